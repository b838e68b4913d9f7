import { DurableObject } from "cloudflare:workers";
import type { StoredFile, ZipBuilderApi } from "../../src/contracts/runs/zip-export.ts";
import { runBuilder } from "../../src/domain/exports/run-builder.ts";
import type { RunnerEnv } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { list, object, optional, text, version, whole } from "../../src/lib/json/shape.ts";
import { isRunnerEnvUsable } from "../../src/platform/check-env.ts";
import { parseEntries } from "../shared/entries.ts";
import { streamFiles } from "./stream-files.ts";

/**
 * Builds the archives of one run's export, named by the run's id, so that a large one holds up no other. Keeps
 * everything in memory: lost work continues from its last part when its lease ends.
 */
export class ZipBuilderObject extends DurableObject<RunnerEnv> implements ZipBuilderApi {
  #isBuilding = false;

  /** Accepts a hint that there is an archive to build; the work continues after the response. */
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

  /** Reads for another builder: its storage calls count towards this invocation's limits instead of the builder's. */
  readFiles(request: { v: 1; files: readonly StoredFile[] }): Promise<ReadableStream<Uint8Array>> {
    return Promise.resolve(
      streamFiles(this.env.FILES, request.files, (work) => {
        this.ctx.waitUntil(work);
      }),
    );
  }

  async #build(runId: string): Promise<void> {
    const { FILES, ZIP_EXPORT, ZIP_BUILDER, RUN } = this.env;
    await runBuilder({
      bucket: FILES,
      zips: ZIP_EXPORT.get(ZIP_EXPORT.idFromName(runId)),
      run: (id) => RUN.get(RUN.idFromName(id)),
      openFiles: async (id, files) => {
        const reader = ZIP_BUILDER.get(ZIP_BUILDER.idFromName(`${id}/files`));
        return await reader.readFiles({ v: 1, files });
      },
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

const v = version(1);

parseEntries<ZipBuilderApi>(ZipBuilderObject, isRunnerEnvUsable, {
  wake: [object<{ v: 1; run_id: string }>({ v, run_id: text })],
  readFiles: [
    object<{ v: 1; files: readonly StoredFile[] }>({
      v,
      files: list(object<StoredFile>({ key: text, size_bytes: whole, offset: optional(whole) })),
    }),
  ],
});
