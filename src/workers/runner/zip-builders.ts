import { WorkerEntrypoint } from "cloudflare:workers";
import type { ZipBuildersApi } from "../../contracts/runs/zip-export.ts";
import { parseEntries } from "../../../durable-objects/shared/entries.ts";
import { object, text, version } from "../../lib/json/shape.ts";
import { isRunnerEnvUsable } from "../../platform/check-env.ts";
import type { RunnerEnv } from "../../platform/env.ts";

/** Connects the object of an export to the object that builds it, through the binding ZIP_BUILDERS. */
export class ZipBuilders extends WorkerEntrypoint<RunnerEnv> implements ZipBuildersApi {
  async wake(request: { readonly v: 1; readonly run_id: string }): Promise<void> {
    const { ZIP_BUILDER } = this.env;
    await ZIP_BUILDER.get(ZIP_BUILDER.idFromName(request.run_id)).wake(request);
  }
}

parseEntries<ZipBuildersApi>(ZipBuilders, isRunnerEnvUsable, {
  wake: [object<{ v: 1; run_id: string }>({ v: version(1), run_id: text })],
});
