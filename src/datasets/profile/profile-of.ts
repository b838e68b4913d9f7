import type { DatasetFormat, DatasetProfile } from "../../contracts/dataset.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";

/** A profile, and the values that a manifest adds to it. */
export interface ReadTable {
  readonly profile: DatasetProfile;
  /** Number of rows with a value, by column. */
  readonly present: readonly number[];
}

/** Receives the rows while a table is read. */
export interface RowSink {
  add(row: JsonValue): void;
  /** To be awaited between pieces of the file. */
  drained(): Promise<void> | undefined;
}

/** Discards all rows if the reading starts over. */
export type OpenSink = () => RowSink;

/** The parts of a profile that are the same for every format. */
export function profileOf(
  format: DatasetFormat,
  metadata: Partial<Pick<DatasetProfile, "encoding" | "delimiter" | "table">>,
  counts: Pick<DatasetProfile, "columns" | "warnings"> & { readonly rows: number },
  sample: readonly { readonly [key: string]: JsonValue }[],
): DatasetProfile {
  return {
    schema: "svc.dataset-profile/v1",
    format,
    encoding: metadata.encoding ?? null,
    delimiter: metadata.delimiter ?? null,
    table: metadata.table ?? null,
    row_count: counts.rows,
    columns: counts.columns,
    sample: [...sample],
    warnings: counts.warnings,
  };
}
