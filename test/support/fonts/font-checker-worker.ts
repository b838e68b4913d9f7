/** The part of the runner that the API Worker calls, for Worker tests. */
import { WorkerEntrypoint } from "cloudflare:workers";

export { FileTypes } from "../../../src/workers/runner/file-types.ts";

export { FontChecker } from "../../../src/workers/runner/font-checker.ts";

export { ModelProviders } from "../../../src/workers/runner/model-providers-entry.ts";

export { Thumbnails } from "../../../src/workers/runner/thumbnails.ts";

/** Builds no archives: tests that need one replace the builder. */
export class ZipBuilders extends WorkerEntrypoint {
  wake(): Promise<void> {
    return Promise.resolve();
  }
}

export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler;
