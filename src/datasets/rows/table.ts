import type { ColumnType } from "../../contracts/dataset.ts";
import type { ValueType } from "../../contracts/workflows/node-parameters.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { foldCase } from "../../lib/fold-case.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { shown } from "../dataset-error.ts";
import { type CellForm, convertCell } from "./convert-cell.ts";
import { cellOf, type StoredRow } from "./read-rows.ts";
import { sheetCell, typedCell } from "./typed-cell.ts";

export interface TableColumnMetadata {
  readonly name: string;
  readonly type: ColumnType;
}

/** Data shared by the rows of one table. */
export class Table {
  readonly columns: readonly string[];
  readonly #metadata: readonly TableColumnMetadata[];
  readonly #form: CellForm;
  readonly #byName: ReadonlyMap<string, number>;
  readonly #byFoldedName: ReadonlyMap<string, number> | undefined;

  /**
   * `isExact`: columns are found by their exact names only (docs/contract/datasets.md#rows,
   * `sourceColumn`).
   */
  constructor(columns: readonly TableColumnMetadata[], form: CellForm, isExact: boolean) {
    this.#metadata = columns;
    this.#form = form;
    this.columns = columns.map(({ name }) => name);
    this.#byName = new Map(this.columns.map((name, index) => [name, index]));
    this.#byFoldedName = isExact
      ? undefined
      : new Map(this.columns.map((name, index) => [foldCase(name.trim()), index]));
  }

  row(index: number, stored: StoredRow): Row {
    return new Row(this, index, stored);
  }

  /** Every column's cell in its column's type; null for an empty one. */
  values(stored: StoredRow): { readonly [column: string]: JsonValue } {
    const form = this.#form;
    return Object.fromEntries(
      this.#metadata.map(({ name, type }, index) => {
        const cell = cellOf(stored, name, index) ?? null;
        return [name, typedValue(cell, type, form)];
      }),
    );
  }

  /** A cell as stored. Throws NodeError `COLUMN_NOT_FOUND`. */
  cell(stored: StoredRow, column: string): JsonValue | undefined {
    const { metadata, at } = this.#column(column);
    return cellOf(stored, metadata.name, at);
  }

  convert(stored: StoredRow, row: number, column: string, type: ValueType): JsonValue {
    const { metadata, at } = this.#column(column);
    const cell = cellOf(stored, metadata.name, at);
    const value = convertCell(cell, type, metadata.type, this.#form);
    if (value === undefined) {
      const what = typeof cell === "string" ? shown(cell) : "the value";
      throw new NodeError(
        "TYPE_MISMATCH",
        `Column ${shown(metadata.name)}, row ${row + 1}: ${what} is not a ${type}. Give the port a type that fits, such as text or any, set how these cells are read with onInvalid, or correct the file.`,
      );
    }
    return value;
  }

  #column(column: string): { readonly metadata: TableColumnMetadata; readonly at: number } {
    const at = this.#byName.get(column) ?? this.#byFoldedName?.get(foldCase(column.trim())) ?? -1;
    const metadata = this.#metadata[at];
    if (metadata === undefined) {
      const names = this.columns.slice(0, NAMES_SHOWN_MAX).map((name) => JSON.stringify(name));
      throw new NodeError(
        "COLUMN_NOT_FOUND",
        `The table has no column ${shown(column)}. Its columns: ${names.join(", ")}${names.length < this.columns.length ? ", …" : ""}.`,
      );
    }
    return { metadata, at };
  }
}

function typedValue(cell: JsonValue, type: ColumnType, { isText, numbers }: CellForm): JsonValue {
  if (numbers === undefined || typeof cell !== "string") {
    return cell;
  }
  return isText ? typedCell(cell, type, numbers) : sheetCell(cell, type, numbers);
}

const NAMES_SHOWN_MAX = 30;

/** One row of a table; cells are converted on access. */
class Row {
  readonly index: number;
  readonly #table: Table;
  readonly #stored: StoredRow;

  constructor(table: Table, index: number, stored: StoredRow) {
    this.#table = table;
    this.index = index;
    this.#stored = stored;
  }

  get columns(): readonly string[] {
    return this.#table.columns;
  }

  get values(): { readonly [column: string]: JsonValue } {
    return this.#table.values(this.#stored);
  }

  cell(column: string): JsonValue | undefined {
    return this.#table.cell(this.#stored, column);
  }

  convert(column: string, type: ValueType): JsonValue {
    return this.#table.convert(this.#stored, this.index, column, type);
  }
}
