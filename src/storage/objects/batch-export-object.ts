import type { BatchExportsApi, ExportFormat } from "../../contracts/batches/batch-export.ts";
import type { RunnerEnv } from "../../platform/env.ts";

/** The object that builds the export of a batch in one format. Named by both; the runner has it. */
export function batchExportObject(
  env: Pick<RunnerEnv, "BATCH_EXPORT">,
  batchId: string,
  format: ExportFormat,
): BatchExportsApi {
  return env.BATCH_EXPORT.get(env.BATCH_EXPORT.idFromName(`${batchId}/${format}`));
}
