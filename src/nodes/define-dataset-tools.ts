/** The tools of a node that read and make tables. */
import type { DatasetManifest, DatasetOptions, DatasetProfile } from "../contracts/dataset.ts";
import type { ValueType } from "../contracts/workflows/node-parameters.ts";
import type { JsonValue } from "../lib/json/exact-json.ts";
import type { FileRef } from "../lib/files/file-ref.ts";

/** One row of a table. */
export interface TableRow {
  /** Row index, from 0. */
  readonly index: number;
  /** Column names, the same for every row of a table. */
  readonly columns: readonly string[];
  /** The row by column name, with cells in the types of their columns. */
  readonly values: { readonly [column: string]: JsonValue };
  /**
   * A cell read strictly as a declared type; null for an empty cell, an empty text for a text type
   * (docs/contract/datasets.md#reading-rules). Throws NodeError `COLUMN_NOT_FOUND` or `TYPE_MISMATCH`.
   */
  convert(column: string, type: ValueType): JsonValue;
  /** A cell as it is stored; undefined if a short row has none. Throws `COLUMN_NOT_FOUND`. */
  cell(column: string): JsonValue | undefined;
}

/** Id of a dataset's row: the same file read with the same options gives a row the same id. */
export interface DatasetRow extends TableRow {
  readonly id: string;
}

/**
 * Readers for tables in stored files. They read row by row on demand and never hold a whole table. All of them throw
 * NodeError while reading: the dataset codes in capitals (`INVALID_DATA`), `FILE_MISSING`, `SOURCE_CHANGED`,
 * `DATASET_DAMAGED`.
 */
export interface DatasetReaders {
  /** Reads rows of CSV, from a text or a stored file. Cells are text. */
  csvRows(
    source: string | FileRef,
    options: {
      readonly delimiter?: string;
      /**
       * If true, all rows are read, because some may not become elements, and more than a million are
       * `ROW_LIMIT_EXCEEDED`. If false, reading stops after the maximum number of elements of a node.
       */
      readonly isWhole?: boolean;
    },
  ): AsyncIterable<TableRow>;
  /** Reads the elements of the array at `table` in a stored JSON file, or of every line of an NDJSON file. */
  jsonItems(file: FileRef, table: string | undefined): AsyncIterable<JsonValue>;
  /** Reads the rows of a dataset made by `input/data` and verifies them against its manifest. */
  rows(manifest: JsonValue): AsyncIterable<DatasetRow>;
}

/** Makes datasets from files. Implemented by the runner. */
export interface DatasetWriter {
  /** Reads a whole stored file once, in constant memory, and stores its rows. Throws the readers' errors. */
  store(
    file: FileRef,
    options: DatasetOptions,
  ): Promise<{ readonly manifest: DatasetManifest; readonly profile: DatasetProfile }>;
}
