import { DatasetError, type DatasetErrorCode } from "../../datasets/dataset-error.ts";
import { RowStoreError } from "../../datasets/rows/read-rows.ts";
import { SourceChangedError, SourceUnavailableError } from "../../lib/files/byte-source.ts";
import { NodeError } from "../../lib/errors/node-error.ts";

/** Converts an error of reading a dataset to a NodeError; a defect is returned unchanged. */
export function asNodeError(error: unknown): unknown {
  if (error instanceof DatasetError) {
    return new NodeError(error.code.toUpperCase() as Uppercase<DatasetErrorCode>, error.message);
  }
  if (error instanceof SourceChangedError) {
    return new NodeError("SOURCE_CHANGED", error.message);
  }
  if (error instanceof SourceUnavailableError) {
    return new NodeError("STORAGE_UNAVAILABLE", error.message, { retryable: true, cause: error });
  }
  if (error instanceof RowStoreError) {
    return new NodeError(
      "DATASET_DAMAGED",
      "The stored rows of the dataset are damaged. Submit the run again.",
      { cause: error },
    );
  }
  return error;
}
