import { WorkerEntrypoint } from "cloudflare:workers";
import type { DescribeRequest, RendererApi, RendererState } from "../../contracts/renderer.ts";
import { parseEntries } from "../../../durable-objects/shared/entries.ts";
import { isolateMemory } from "../../lib/memory-budget.ts";
import { object, version } from "../../lib/shape.ts";
import { describeTurns } from "./render-gate.ts";
import { isRendererEnvUsable } from "../../platform/check-env.ts";
import type { RendererEnv } from "../../platform/env.ts";

/** Newest version of requests that this code accepts. */
const REQUEST_VERSION = 1;

/** The renderer's entry point for the API Worker (binding RENDERER). */
export class Renderer extends WorkerEntrypoint<RendererEnv> implements RendererApi {
  describe(): Promise<RendererState> {
    const { takenBytes, keptBytes } = isolateMemory;
    return Promise.resolve({
      version: REQUEST_VERSION,
      ...describeTurns(),
      taken_bytes: takenBytes,
      kept_bytes: keptBytes,
    });
  }
}

parseEntries<RendererApi>(Renderer, isRendererEnvUsable, {
  describe: [object<DescribeRequest>({ v: version(1) })],
});
