import type { DatasetOptions } from "../../contracts/dataset.ts";
import type { ByteSource } from "../../lib/files/byte-source.ts";
import type { CsvSink } from "../csv/csv-table.ts";
import type { CsvRow } from "../csv/csv-tokenizer.ts";
import { readCsv } from "../csv/read-csv.ts";
import { textKind } from "../infer/cell-kind.ts";
import type { NumberFormat } from "../../lib/json/number-format.ts";
import { typedCell } from "../rows/typed-cell.ts";
import { type OpenSink, profileOf, type ReadTable, type RowSink } from "./profile-of.ts";
import { rowObject, TableCounts } from "./table-counts.ts";

export async function profileCsv(
  source: ByteSource,
  format: "csv" | "tsv",
  options: DatasetOptions,
  numbers: NumberFormat,
  rows: OpenSink | undefined,
): Promise<ReadTable> {
  const delimiter = options.delimiter ?? (format === "tsv" ? "\t" : undefined);
  const { sink, metadata } = await readCsv(
    source,
    { delimiter, headerRow: options.headerRow },
    () => new CsvProfile(options, numbers, rows?.()),
    (reading) => reading.drained(),
  );
  const { counts } = sink;
  const columns = counts.columns;
  const sample = sink.sample.map((cells) =>
    rowObject(
      counts.names,
      columns.map(({ type }, index) => typedCell(cells[index] ?? "", type, numbers)),
    ),
  );
  const warnings = counts.warnings;
  if (metadata.encoding === "windows-1252") {
    warnings.unshift({
      code: "CSV_WINDOWS_1252",
      message:
        "The file is not UTF-8 and was read as Windows-1252. Save it as UTF-8 if letters look wrong.",
    });
  }
  return {
    profile: profileOf(format, metadata, { rows: counts.rows, columns, warnings }, sample),
    present: counts.present,
  };
}

class CsvProfile implements CsvSink {
  readonly counts: TableCounts;
  readonly sample: string[][] = [];
  readonly #numbers: NumberFormat;
  readonly #rows: RowSink | undefined;
  #columns = 0;

  constructor(options: DatasetOptions, numbers: NumberFormat, rows: RowSink | undefined) {
    this.counts = new TableCounts(options);
    this.#numbers = numbers;
    this.#rows = rows;
  }

  header(names: readonly string[]): void {
    this.counts.names.push(...names);
    this.#columns = names.length;
  }

  row(row: CsvRow): void {
    const { counts } = this;
    counts.addRow();
    const { text, codes, starts, ends, fieldCount } = row;
    const numbers = this.#numbers;
    for (let column = 0; column < fieldCount; column++) {
      // Doubled quotes never occur in a number, boolean or date, so the source is classified, as
      // text.
      const kind = textKind(text, codes, starts[column] ?? 0, ends[column] ?? 0, numbers);
      if (counts.cells.add(column, kind)) {
        counts.sawFirst(column, kind, row.field(column));
      }
    }
    const isSampled = counts.wantsSample;
    if (isSampled || this.#rows !== undefined) {
      this.#keep(row, isSampled);
    }
  }

  drained(): Promise<void> | undefined {
    return this.#rows?.drained();
  }

  #keep(row: CsvRow, isSampled: boolean): void {
    const fields: string[] = [];
    for (let column = 0; column < row.fieldCount; column++) {
      fields.push(row.field(column));
    }
    if (isSampled) {
      this.sample.push(fields);
      this.counts.tookSample(fields.reduce((chars, field) => chars + field.length, this.#columns));
    }
    this.#rows?.add(fields);
  }
}
