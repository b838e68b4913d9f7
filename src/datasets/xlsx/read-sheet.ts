import { jsonNumber, type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { columnNames } from "../column-names.ts";
import { DatasetError, shown } from "../dataset-error.ts";
import { columnName, columnOf, SHEET_COLUMNS_MAX, SHEET_ROWS_MAX } from "./cell-reference.ts";
import { RichText, type Sheet, type Workbook } from "./open-workbook.ts";
import { readXml, type XmlHandler } from "./read-xml.ts";
import type { XmlAttributes } from "./xml-attributes.ts";
import { serialToIso } from "./serial-date.ts";
import { broken } from "./broken-workbook.ts";

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Additional doubles of XML Schema; LibreOffice writes them after an overflow. */
const NO_NUMBER = /^(?:[+-]?INF|NaN)$/;

export interface SheetSink {
  /** Called once, before any row. */
  header(names: readonly string[]): void;
  /** Cells of a row that is not blank, in column order; a short row has fewer. */
  row(cells: readonly JsonValue[]): void;
  drained(): Promise<void> | undefined;
}

/** Properties of a sheet that cause warnings. */
export interface SheetMetadata {
  formulas: number;
  uncachedFormulas: number;
  errors: number;
  mergedRanges: number;
}

export interface SheetOptions {
  /** Row of the sheet, from 1; blank rows there are skipped. */
  readonly headerRow: number;
  readonly rejectsFormulas: boolean;
}

/**
 * Reads a worksheet as a table, row by row. Formulas return their value stored in the workbook, or
 * are rejected; they are never calculated. Throws DatasetError.
 */
export async function readSheet(
  workbook: Workbook,
  sheet: Sheet,
  options: SheetOptions,
  sink: SheetSink,
): Promise<SheetMetadata> {
  const strings = await workbook.sharedStrings();
  const reader = new SheetReader(workbook, strings, options, sink);
  await readXml(workbook.open(sheet.part), `worksheet ${shown(sheet.name)}`, reader);
  reader.finish();
  return reader.metadata;
}

class SheetReader implements XmlHandler {
  readonly metadata: SheetMetadata = {
    formulas: 0,
    uncachedFormulas: 0,
    errors: 0,
    mergedRanges: 0,
  };
  readonly #workbook: Workbook;
  readonly #strings: readonly string[];
  readonly #options: SheetOptions;
  readonly #sink: SheetSink;
  readonly #inline = new RichText();
  #columns = -1;
  #row = 0;
  #cells: JsonValue[] = [];
  #column = -1;
  #type = "n";
  #style = 0;
  #value = "";
  #isInValue = false;
  #isInInline = false;
  #hasFormula = false;

  constructor(
    workbook: Workbook,
    strings: readonly string[],
    options: SheetOptions,
    sink: SheetSink,
  ) {
    this.#workbook = workbook;
    this.#strings = strings;
    this.#options = options;
    this.#sink = sink;
  }

  open(name: string, attributes: XmlAttributes): void {
    switch (name) {
      case "c":
        this.#openCell(attributes);
        break;
      case "v":
        this.#isInValue = true;
        break;
      case "row":
        this.#openRow(attributes.get("r"));
        break;
      case "f":
        this.#openFormula();
        break;
      case "is":
        this.#isInInline = true;
        this.#inline.begin();
        break;
      case "mergeCell":
        this.metadata.mergedRanges++;
        break;
      default:
        if (this.#isInInline) {
          this.#inline.open(name);
        }
    }
  }

  text(text: string): void {
    if (this.#isInValue) {
      this.#value += text;
    } else if (this.#isInInline) {
      this.#inline.add(text);
    }
  }

  close(name: string): void {
    switch (name) {
      case "v":
        this.#isInValue = false;
        break;
      case "c":
        this.#closeCell();
        break;
      case "row":
        this.#closeRow();
        break;
      case "is":
        this.#isInInline = false;
        this.#value = this.#inline.text;
        break;
      default:
        if (this.#isInInline) {
          this.#inline.close(name);
        }
    }
  }

  drained(): Promise<void> | undefined {
    return this.#sink.drained();
  }

  finish(): void {
    if (this.#columns < 0) {
      throw new DatasetError(
        "invalid_data",
        this.#row === 0
          ? "The worksheet is empty. Its first row must contain the column names."
          : `The worksheet ends before row ${this.#options.headerRow}, which header_row names as the header.`,
      );
    }
  }

  #openRow(given: string | undefined): void {
    const row = given === undefined ? this.#row + 1 : Number(given);
    if (!Number.isInteger(row) || row <= this.#row || row > SHEET_ROWS_MAX) {
      throw broken(`row ${shown(given ?? "")} is out of order or past row ${SHEET_ROWS_MAX}`);
    }
    this.#row = row;
    this.#cells = [];
    this.#column = -1;
  }

  #openCell(attributes: XmlAttributes): void {
    const reference = attributes.get("r");
    const column = reference === undefined ? this.#column + 1 : columnOf(reference);
    if (column <= this.#column || column >= SHEET_COLUMNS_MAX) {
      throw broken(`cell ${shown(reference ?? "")} is out of order or past column XFD`);
    }
    this.#column = column;
    this.#type = attributes.get("t") ?? "n";
    const style = attributes.get("s");
    this.#style = style === undefined ? 0 : Number(style);
    this.#value = "";
    this.#hasFormula = false;
  }

  #openFormula(): void {
    if (this.#options.rejectsFormulas) {
      throw new DatasetError(
        "invalid_data",
        `Cell ${columnName(this.#column)}${this.#row} contains a formula, which formula_policy rejects. Replace it by its value, or send cached_value.`,
      );
    }
    this.metadata.formulas++;
    this.#hasFormula = true;
  }

  #closeCell(): void {
    if (this.#row < this.#options.headerRow) {
      return;
    }
    const value = this.#cellValue();
    if (value === null) {
      return;
    }
    if (this.#columns >= 0 && this.#column >= this.#columns) {
      throw new DatasetError(
        "invalid_data",
        `Row ${this.#row} has a value in column ${columnName(this.#column)}, but the header has ${this.#columns} columns.`,
      );
    }
    while (this.#cells.length < this.#column) {
      this.#cells.push(null);
    }
    this.#cells.push(value);
  }

  #cellValue(): JsonValue {
    const value = this.#value;
    if (value === "") {
      this.metadata.uncachedFormulas += this.#hasFormula ? 1 : 0;
      return null;
    }
    switch (this.#type) {
      case "s": {
        const text = this.#strings[Number(value)];
        if (text === undefined) {
          throw broken(`cell ${columnName(this.#column)}${this.#row} refers to a missing string`);
        }
        return unescaped(text);
      }
      case "str":
      case "inlineStr":
        return unescaped(value);
      case "d":
        return value.replace(/T00:00:00(?:\.0+)?$/, "");
      case "b":
        return value === "1" || value === "true";
      case "e":
        this.metadata.errors++;
        return null;
      default:
        return this.#number(value);
    }
  }

  #number(token: string): JsonValue {
    const trimmed = token.trim();
    const number = Number(trimmed);
    if (!NUMBER.test(trimmed)) {
      if (NO_NUMBER.test(trimmed)) {
        this.metadata.errors++;
        return null;
      }
      throw broken(
        `cell ${columnName(this.#column)}${this.#row} contains ${shown(token)} instead of a number`,
      );
    }
    const format = this.#workbook.styles[this.#style] ?? "none";
    if (format !== "none") {
      const iso = serialToIso(number, format, this.#workbook.is1904);
      if (iso !== undefined) {
        return iso;
      }
    }
    // A workbook's numbers are doubles, written with up to 17 digits, more than the double needs.
    // Programs that write them round the largest ones beyond the range of a double; their digits
    // are kept like all others.
    return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : jsonNumber(trimmed);
  }

  #closeRow(): void {
    if (this.#row < this.#options.headerRow || this.#cells.every(isBlank)) {
      return;
    }
    if (this.#columns < 0) {
      const names = columnNames(this.#cells.map((cell) => (cell === null ? "" : headerText(cell))));
      this.#columns = names.length;
      this.#sink.header(names);
      return;
    }
    this.#sink.row(this.#cells);
  }
}

function headerText(cell: JsonValue): string {
  return typeof cell === "string" ? cell : stringifyJson(cell);
}

function isBlank(cell: JsonValue): boolean {
  return cell === null || (typeof cell === "string" && cell.trim() === "");
}

/** `_x000D_` represents a character that XML cannot contain (ECMA-376 part 1, 22.9.2.19). */
function unescaped(text: string): string {
  return text.includes("_x")
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_all, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : text;
}
