import { DurableObject } from "cloudflare:workers";
import type { RunExportApi, ZipBuildApi } from "../../src/contracts/zip-export.ts";
import { runBuilder } from "../../src/domain/exports/run-builder.ts";
import type { RunnerEnv } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";

/**
 * Builds the archives of one run's export, named by the run's id, so that a large one holds up no
 * other. Everything is in memory: what is lost here goes on from its last part when its lease ends.
 */
export class ZipBuilderObject extends DurableObject<RunnerEnv> {
  #isBuilding = false;

  /** Takes a hint that there is an archive to build; the work goes on after the answer. */
  wake(request: { v: 1; run_id: string }): Promise<void> {
    if (!this.#isBuilding) {
      this.#isBuilding = true;
      this.ctx.waitUntil(
        this.#build(request.run_id).finally(() => {
          this.#isBuilding = false;
        }),
      );
    }
    return Promise.resolve();
  }

  async #build(runId: string): Promise<void> {
    const { FILES, ZIP_EXPORT, RUN } = this.env;
    await runBuilder({
      bucket: FILES,
      zips: ZIP_EXPORT.get(ZIP_EXPORT.idFromName(runId)) as unknown as ZipBuildApi,
      run: (id) => RUN.get(RUN.idFromName(id)) as unknown as RunExportApi,
      nowMs: Date.now,
      onError: (cause) => {
        createLogger({ worker: "runner", object: "zip_builder" }).error("zip.build_failed", {
          run_id: runId,
          cause,
        });
      },
    });
  }
}
