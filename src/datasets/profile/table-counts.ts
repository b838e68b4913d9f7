import type { DatasetOptions, DatasetProfile, DatasetWarning } from "../../contracts/dataset.ts";
import type { JsonValue } from "../../lib/exact-json.ts";
import { DatasetError } from "../dataset-error.ts";
import { KIND } from "../infer/cell-kind.ts";
import { ColumnCounts } from "../infer/column-counts.ts";

/** Columns that are profiled; JSON objects may each bring new keys. */
export const COLUMNS_MAX = 16_384;
/** Characters of the sample, so that an answer stays an answer. */
const SAMPLE_CHARS_MAX = 512 * 1024;

type Columns = DatasetProfile["columns"];

/** What is counted of a table while its rows go by: never the rows themselves. */
export class TableCounts {
  readonly cells = new ColumnCounts();
  readonly names: string[] = [];
  rows = 0;
  readonly #options: Pick<DatasetOptions, "sampleRows" | "maxRows">;
  #sampleChars = 0;
  #sampled = 0;

  constructor(options: Pick<DatasetOptions, "sampleRows" | "maxRows">) {
    this.#options = options;
  }

  /** One more row. Throws DatasetError `row_limit_exceeded`. */
  addRow(): void {
    this.rows++;
    const { maxRows } = this.#options;
    if (maxRows !== null && this.rows > maxRows) {
      throw new DatasetError(
        "row_limit_exceeded",
        `The dataset has more than ${maxRows} rows, the most that was allowed (max_rows of a request, maxRows of a node). Raise that, or send fewer rows.`,
      );
    }
  }

  /** Whether the row at hand belongs to the sample. */
  get wantsSample(): boolean {
    return this.#sampled < this.#options.sampleRows && this.#sampleChars < SAMPLE_CHARS_MAX;
  }

  tookSample(chars: number): void {
    this.#sampled++;
    this.#sampleChars += chars;
  }

  get columns(): Columns {
    return this.names.map((name, index) => ({
      name,
      type: this.cells.type(index),
      nullable: this.cells.present(index) < this.rows,
      warnings: this.cells.of(index, KIND.ambiguous) > 0 ? [AMBIGUOUS] : [],
    }));
  }

  /** Warnings of columns, for the profile's own list. */
  get warnings(): DatasetWarning[] {
    return this.names.flatMap((column, index) => {
      const ambiguous = this.cells.of(index, KIND.ambiguous);
      return ambiguous === 0
        ? []
        : [
            {
              code: AMBIGUOUS,
              column,
              message: `${ambiguous} of ${this.rows} values are numbers in some locale but not in the chosen one, so the column stays text. Send the locale that the file is written in.`,
            },
          ];
    });
  }

  /** Rows in which each column holds something. */
  get present(): number[] {
    return this.names.map((_name, index) => this.cells.present(index));
  }
}

const AMBIGUOUS = "CSV_AMBIGUOUS_NUMBER";

/** A sample row as an object; names may be anything, `__proto__` included. */
export function rowObject(
  names: readonly string[],
  cells: readonly JsonValue[],
): { readonly [key: string]: JsonValue } {
  return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null]));
}
