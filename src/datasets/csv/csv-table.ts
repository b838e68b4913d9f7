import { columnNames } from "../column-names.ts";
import { DatasetError } from "../dataset-error.ts";
import { type CsvRow, CsvTokenizer } from "./csv-tokenizer.ts";

/** Receives the rows of a table while it is read. */
export interface CsvSink {
  /** Called once, before any row. */
  header(names: readonly string[]): void;
  /** A row that is not blank, with at most as many fields as there are columns. */
  row(row: CsvRow): void;
}

/**
 * Reads CSV text as a table: finds the header, skips blank rows, rejects rows that are too long.
 */
export class CsvTable {
  readonly #tokenizer: CsvTokenizer;
  readonly #headerRow: number;
  readonly #sink: CsvSink;
  #columns = -1;

  /** `headerRow` is the physical row from 1; blank rows there are skipped. */
  constructor(delimiter: string, headerRow: number, sink: CsvSink) {
    this.#tokenizer = new CsvTokenizer(delimiter, (row) => {
      this.#take(row);
    });
    this.#headerRow = headerRow;
    this.#sink = sink;
  }

  write(piece: string): void {
    this.#tokenizer.write(piece);
  }

  finish(): void {
    this.#tokenizer.finish();
    if (this.#columns < 0) {
      throw new DatasetError(
        "invalid_data",
        this.#headerRow === 1
          ? "The file is empty. Its first row must contain the column names."
          : `The file ends before row ${this.#headerRow}, which header_row names as the header.`,
      );
    }
  }

  /** Stops: no further row is passed on. */
  stop(): void {
    this.#tokenizer.stop();
  }

  #take(row: CsvRow): void {
    if (row.number < this.#headerRow || isBlank(row)) {
      return;
    }
    if (this.#columns < 0) {
      const names = columnNames(Array.from({ length: row.fieldCount }, (_, i) => row.field(i)));
      this.#columns = names.length;
      this.#sink.header(names);
      return;
    }
    if (row.fieldCount > this.#columns) {
      throw new DatasetError(
        "invalid_data",
        `Row ${row.number} has ${row.fieldCount} values, but the header has ${this.#columns} columns. Quote values that contain the delimiter.`,
      );
    }
    this.#sink.row(row);
  }
}

/**
 * Cells of white space only count as empty when blank rows are skipped, and nowhere else
 * (docs/contract/datasets.md#reading-rules).
 */
function isBlank(row: CsvRow): boolean {
  for (let index = 0; index < row.fieldCount; index++) {
    const start = row.starts[index] ?? 0;
    const end = row.ends[index] ?? 0;
    if (start < end) {
      const first = row.codes[start] ?? 0;
      const isPlainlyText = first > 32 && first < 128;
      if (isPlainlyText || row.text.slice(start, end).trim() !== "") {
        return false;
      }
    }
  }
  return true;
}
