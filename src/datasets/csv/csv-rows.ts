import type { ByteSource } from "../../lib/files/byte-source.ts";
import { decodeText, NotUtf8Error, type TextEncoding } from "../text/decode-text.ts";
import { CsvTable } from "./csv-table.ts";
import type { CsvOptions } from "./read-csv.ts";
import { sniffDelimiter } from "./sniff-delimiter.ts";

export interface CsvPage {
  readonly columns: readonly string[];
  /** Cells of each row in column order; a short row has fewer. */
  readonly rows: readonly (readonly string[])[];
}

/** Rows of CSV text in memory. Throws DatasetError while it yields. */
export function* csvRowsOfText(text: string, options: CsvOptions): Generator<CsvPage> {
  const whole = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const page = new PageSink();
  const table = new CsvTable(options.delimiter ?? sniffDelimiter(whole), options.headerRow, page);
  for (let at = 0; at < whole.length; at += PIECE_CHARS) {
    table.write(whole.slice(at, at + PIECE_CHARS));
    yield page.take();
  }
  table.finish();
  yield page.take();
}

/** Text is split into pieces, so that the size of a page of rows is bounded. */
const PIECE_CHARS = 64 * 1024;

/**
 * Rows of a stored CSV file, one page at a time, at most `rowsMax`: a caller that needs few rows of
 * a large file reads only those. Throws DatasetError while it yields.
 */
export async function* csvRowsOfFile(
  source: ByteSource,
  options: CsvOptions,
  rowsMax: number,
): AsyncGenerator<CsvPage> {
  // Rows that were yielded cannot be taken back, so the encoding is determined before the first
  // one.
  const encoding = (await isUtf8(source, options, rowsMax)) ? "utf-8" : "windows-1252";
  yield* readPages(source, options, rowsMax, encoding);
}

async function isUtf8(source: ByteSource, options: CsvOptions, rowsMax: number): Promise<boolean> {
  try {
    for await (const _page of readPages(source, options, rowsMax, "utf-8")) {
      // Only the decoding of the text matters here.
    }
    return true;
  } catch (error) {
    if (error instanceof NotUtf8Error) {
      return false;
    }
    throw error;
  }
}

async function* readPages(
  source: ByteSource,
  options: CsvOptions,
  rowsMax: number,
  encoding: TextEncoding,
): AsyncGenerator<CsvPage> {
  const page = new PageSink();
  let table: CsvTable | undefined;
  for await (const piece of decodeText(source, encoding)) {
    table ??= new CsvTable(options.delimiter ?? sniffDelimiter(piece), options.headerRow, page);
    table.write(piece);
    yield page.take();
    if (page.told >= rowsMax) {
      return;
    }
  }
  table ??= new CsvTable(",", options.headerRow, page);
  table.finish();
  yield page.take();
}

class PageSink {
  told = 0;
  #columns: readonly string[] = [];
  #rows: string[][] = [];

  header(names: readonly string[]): void {
    this.#columns = names;
  }

  row(row: { readonly fieldCount: number; field(index: number): string }): void {
    const cells: string[] = [];
    for (let index = 0; index < row.fieldCount; index++) {
      cells.push(row.field(index));
    }
    this.#rows.push(cells);
    this.told++;
  }

  take(): CsvPage {
    const rows = this.#rows;
    this.#rows = [];
    return { columns: this.#columns, rows };
  }
}
