import { env } from "cloudflare:workers";
import type { RunExportApi, ZipExportObjectApi } from "../../src/contracts/runs/zip-export.ts";
import { runBuilder } from "../../src/domain/exports/run-builder.ts";

/** The object that owns the export of a run. */
export function zipExportOf(runId: string): ZipExportObjectApi {
  return env.ZIP_EXPORT.get(env.ZIP_EXPORT.idFromName(runId)) as unknown as ZipExportObjectApi;
}

/** Builds a requested export as the runner's object does, since worker tests have no runner. Throws what the builder reports. */
export async function buildExport(runId: string): Promise<void> {
  await runBuilder({
    bucket: env.FILES,
    zips: zipExportOf(runId),
    run: (run) => env.RUN.get(env.RUN.idFromName(run)) as unknown as RunExportApi,
    openFiles: () => Promise.reject(new Error("no run of this test has so many files")),
    nowMs: Date.now,
    onError: (cause) => {
      throw new Error(cause);
    },
  });
}
