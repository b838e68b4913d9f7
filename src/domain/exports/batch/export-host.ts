/** What a builder of a batch's export needs of the service. */
import type { BatchObjectApi } from "../../../contracts/batches/batch-object-api.ts";
import type { RunExportApi } from "../../../contracts/runs/zip-export.ts";

export interface ExportHost {
  readonly bucket: R2Bucket;
  readonly batch: Pick<BatchObjectApi, "read" | "items" | "inputs">;
  run(runId: string): RunExportApi;
  readonly nowMs: () => number;
}

/** Something that the export needs is gone for good. The message is for the caller. */
export class ExportGoneError extends Error {
  override readonly name = "ExportGoneError";
  /** The run whose outputs are gone; null if something else is. */
  readonly run: string | null;

  constructor(message: string, run: string | null = null) {
    super(message);
    this.run = run;
  }
}

/** A file of the export would be larger than its format or the store allows. The message is for the caller. */
export class ExportTooLargeError extends Error {
  override readonly name = "ExportTooLargeError";
}

/** For a run whose outputs are gone. */
export function expired(run: string): ExportGoneError {
  return new ExportGoneError(
    `Outputs of the execution ${run} can no longer be read; their retention may have ended.`,
    run,
  );
}
