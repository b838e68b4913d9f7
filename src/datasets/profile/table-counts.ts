import type { DatasetOptions, DatasetProfile, DatasetWarning } from "../../contracts/dataset.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { DatasetError } from "../dataset-error.ts";
import { type CellKind, KIND, KINDS } from "../infer/cell-kind.ts";
import { ColumnCounts } from "../infer/column-counts.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** Maximum number of profiled columns; each JSON object may bring new keys. */
export const COLUMNS_MAX = LIMITS.columns.value;
/** Maximum number of characters in the sample, which bounds the response. */
const SAMPLE_CHARS_MAX = 512 * 1024;

type Columns = DatasetProfile["columns"];

/** Counts of a table while its rows are read, without the rows themselves. */
export class TableCounts {
  readonly cells = new ColumnCounts();
  readonly names: string[] = [];
  rows = 0;
  readonly #options: Pick<DatasetOptions, "sampleRows" | "maxRows">;
  /** The first cell of each kind, by column and kind. */
  readonly #firsts = new Map<number, { readonly row: number; readonly text: string }>();
  #sampleChars = 0;
  #sampled = 0;

  constructor(options: Pick<DatasetOptions, "sampleRows" | "maxRows">) {
    this.#options = options;
  }

  /** Adds one row. Throws DatasetError `row_limit_exceeded`. */
  addRow(): void {
    this.rows++;
    const { maxRows } = this.#options;
    if (maxRows !== null && this.rows > maxRows) {
      throw new DatasetError(
        "row_limit_exceeded",
        `The dataset has more than ${maxRows} rows, the limit that was set (max_rows of a request, maxRows of a node). Raise the limit, or send fewer rows.`,
      );
    }
  }

  /** Whether the current row belongs to the sample. */
  get wantsSample(): boolean {
    return this.#sampled < this.#options.sampleRows && this.#sampleChars < SAMPLE_CHARS_MAX;
  }

  tookSample(chars: number): void {
    this.#sampled++;
    this.#sampleChars += chars;
  }

  /** The current row has the first cell of its kind in a column, which a warning shows. */
  sawFirst(column: number, kind: CellKind, text: string): void {
    this.#firsts.set(column * KINDS + kind, {
      row: this.rows,
      text: text.slice(0, EXAMPLE_CHARS_MAX).toWellFormed(),
    });
  }

  get columns(): Columns {
    return this.names.map((name, index) => ({
      name,
      type: this.cells.type(index),
      nullable: this.cells.present(index) < this.rows,
      warnings: this.#warningsOf(name, index).map(({ code }) => code),
    }));
  }

  /** Warnings about columns, for the list in the profile. */
  get warnings(): DatasetWarning[] {
    return this.names.flatMap((name, index) => this.#warningsOf(name, index));
  }

  #warningsOf(column: string, index: number): DatasetWarning[] {
    const warnings: DatasetWarning[] = [];
    const ambiguous = this.cells.of(index, KIND.ambiguous);
    if (ambiguous > 0) {
      warnings.push({
        code: "CSV_AMBIGUOUS_NUMBER",
        column,
        message: `${ambiguous} of ${this.rows} values are numbers in another locale but not in the selected one, so the column is text. Send the locale that the file is written in.`,
      });
    }
    const mixed = this.cells.type(index) === "text" ? this.#mixed(column, index) : undefined;
    return mixed === undefined ? warnings : [...warnings, mixed];
  }

  /** Most cells are of one type, and the others make the column text. */
  #mixed(column: string, index: number): DatasetWarning | undefined {
    const present = this.cells.present(index);
    const type = (["number", "boolean", "date"] as const)
      .filter((each) => this.cells.of(index, KIND[each]) * 2 >= present)
      .toSorted((a, b) => this.cells.of(index, KIND[b]) - this.cells.of(index, KIND[a]))[0];
    if (type === undefined || present === 0) {
      return undefined;
    }
    const [first] = Object.values(KIND)
      .filter((kind) => kind !== KIND[type] && kind !== KIND.empty)
      .flatMap((kind) => this.#firsts.get(index * KINDS + kind) ?? [])
      .toSorted((a, b) => a.row - b.row);
    const others = present - this.cells.of(index, KIND[type]);
    const example = first?.text ?? "";
    return {
      code: "COLUMN_MIXED",
      column,
      type,
      others,
      first_row: first?.row ?? 1,
      example,
      message: `${present - others} of ${present} cells are of type ${type}, and ${others} are not, so the column is text. The first of these is ${JSON.stringify(example)} in row ${first?.row ?? 1}. Correct the file, or set how a node reads these cells with onInvalid and nullValues.`,
    };
  }

  /** Number of rows with a value, by column. */
  get present(): number[] {
    return this.names.map((_name, index) => this.cells.present(index));
  }
}

/** Maximum length of a cell shown in a warning, in UTF-16 units. */
const EXAMPLE_CHARS_MAX = 40;

/** A sample row as an object; its keys may be any text, including `__proto__`. */
export function rowObject(
  names: readonly string[],
  cells: readonly JsonValue[],
): { readonly [key: string]: JsonValue } {
  return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null]));
}
