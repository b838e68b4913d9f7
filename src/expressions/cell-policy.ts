import * as z from "zod";
import type { ReadingNotes } from "../contracts/reading-notes.ts";
import { canonicalDecimal } from "../lib/json/canonical-decimal.ts";
import { isJsonNumber, type JsonValue, numberToken } from "../lib/json/exact-json.ts";
import { foldCase } from "../lib/fold-case.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

const NULL_VALUES_MAX = LIMITS.null_values.value;

/** Settings of every column for empty cells and for cells that do not convert. */
export const cellPolicyFields = {
  onInvalid: z.enum(["fail", "null", "skip_row"]).default("fail"),
  nullValues: z.array(z.string().max(LIMITS.null_value.value)).max(NULL_VALUES_MAX).default([]),
};

export interface CellPolicy {
  readonly onInvalid: "fail" | "null" | "skip_row";
  readonly nullValues: readonly string[];
}

/** Whether a row may be skipped, in which case the number of elements is not the number of rows. */
export function maySkipRows(columns: readonly CellPolicy[]): boolean {
  return columns.some(({ onInvalid }) => onInvalid === "skip_row");
}

/** Matches the texts that count as an empty cell, trimmed and ignoring case. */
export function emptyCellTest({
  nullValues,
}: CellPolicy): (cell: JsonValue | undefined) => boolean {
  if (nullValues.length === 0) {
    return () => false;
  }
  const texts = new Set(nullValues.map((text) => foldCase(text.trim())));
  return (cell) => {
    const text = scalarText(cell);
    return text !== undefined && texts.has(foldCase(text.trim()));
  };
}

function scalarText(cell: JsonValue | undefined): string | undefined {
  if (typeof cell === "string") {
    return cell;
  }
  return isJsonNumber(cell)
    ? canonicalDecimal(numberToken(cell))
    : typeof cell === "boolean"
      ? String(cell)
      : undefined;
}

/** The error codes of cells that do not convert; a missing column is a different error. */
const CELL_CODES: ReadonlySet<string> = new Set(["TYPE_MISMATCH", "FORMULA_ERROR"]);

/** Stops the reading of a row that is skipped. */
class RowSkipped extends Error {
  readonly column: string;

  constructor(column: string) {
    super(column);
    this.column = column;
  }
}

/** Applies the policies of columns row by row, and notes the skipped rows and nulled cells. */
export class RowReading {
  #of = 0;
  #skipped: { count: number; firstRow: number; column: string } | null = null;
  readonly #nulled = new Map<string, { count: number; firstRow: number }>();
  #nulledHere: string[] = [];

  /** Reads one row; undefined if it is skipped. */
  row<T>(rowNumber: number, read: () => T): T | undefined {
    this.#of += 1;
    this.#nulledHere = [];
    try {
      const value = read();
      for (const column of this.#nulledHere) {
        const known = this.#nulled.get(column) ?? { count: 0, firstRow: rowNumber };
        known.count += 1;
        this.#nulled.set(column, known);
      }
      return value;
    } catch (error) {
      if (!(error instanceof RowSkipped)) {
        throw error;
      }
      this.#skipped ??= { count: 0, firstRow: rowNumber, column: error.column };
      this.#skipped.count += 1;
      return undefined;
    }
  }

  /** Reads one cell; returns `empty` if it does not convert and its policy is to null it. */
  cell<T>(column: string, { onInvalid }: CellPolicy, empty: T, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (onInvalid === "fail" || !(error instanceof NodeError) || !CELL_CODES.has(error.code)) {
        throw error;
      }
      if (onInvalid === "skip_row") {
        throw new RowSkipped(column);
      }
      this.#nulledHere.push(column);
      return empty;
    }
  }

  /** The notes for a warning; undefined if there are none. */
  get notes(): ReadingNotes | undefined {
    return this.#skipped === null && this.#nulled.size === 0
      ? undefined
      : {
          of: this.#of,
          skipped: this.#skipped,
          nulled: [...this.#nulled].map(([column, entry]) => ({ column, ...entry })),
        };
  }
}
