import type { DatasetFormat, DatasetProfile } from "../../contracts/dataset.ts";
import type { JsonValue } from "../../lib/exact-json.ts";

/** A profile, and what a manifest adds to it. */
export interface ReadTable {
  readonly profile: DatasetProfile;
  /** Rows in which each column holds something. */
  readonly present: readonly number[];
}

/** Where rows go while a table is read. */
export interface RowSink {
  add(row: JsonValue): void;
  /** To be awaited between pieces of the file. */
  drained(): Promise<void> | undefined;
}

/** Begins anew where a reading must start over. */
export type OpenSink = () => RowSink;

/** The parts of a profile that every format fills alike. */
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
