import { DatasetError } from "../dataset-error.ts";

/** A workbook that cannot be read; `why` completes the sentence, without its full stop. */
export function broken(why: string): DatasetError {
  return new DatasetError("invalid_data", `The workbook cannot be read: ${why}.`);
}
