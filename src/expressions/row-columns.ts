import * as z from "zod";
import {
  portNameField,
  type ValueType,
  valueTypeField,
} from "../contracts/workflows/node-parameters.ts";
import { type JsonValue, parseJson } from "../lib/json/exact-json.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import type { NodeErrorCode } from "../lib/errors/node-error-guides.ts";
import type { ReadingNotes } from "../contracts/reading-notes.ts";
import { cellPolicyFields, emptyCellTest, RowReading } from "./cell-policy.ts";
import { compileExpression } from "./compile-expression.ts";
import { compileTextFormula } from "./compile-text-formula.ts";
import { convertValue, jsonKind } from "./convert-value.ts";
import { type ColumnProblem, eachColumn } from "./each-column.ts";
import { FormulaSyntaxError } from "./formula-syntax-error.ts";
import { parseJsonPath, readJsonPath } from "./json-path.ts";
import { rowField } from "./row-field.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

const COLUMNS_MAX = LIMITS.computed_columns.value;

const Column = z.strictObject({
  path: z.string().optional(),
  outputPort: portNameField,
  outputType: valueTypeField.default("any"),
  isComputed: z.boolean().default(false),
  formula: z.string().optional(),
  ...cellPolicyFields,
});
type Column = z.output<typeof Column>;

/**
 * `properties[]` of a JSON enumerator: columns read by path, and computed columns
 * (docs/contract/formulas.md#columns). `reserved` contains the names of the node's own ports.
 */
export function rowColumnsField(reserved: readonly string[]) {
  return z
    .array(Column)
    .max(COLUMNS_MAX)
    .superRefine((columns, context) => {
      eachColumn(columns, reserved, context, checkColumn);
    });
}

function checkColumn(column: Column, problem: ColumnProblem): void {
  if (column.isComputed && column.nullValues.length > 0) {
    problem("nullValues", "A computed column does not read a field. Omit `nullValues`.");
  }
  if (!column.isComputed) {
    if (column.formula !== undefined) {
      problem("formula", "A formula needs `isComputed: true`.");
    }
    if (column.path === undefined) {
      problem("path", 'A column that is not computed needs a `path`, for example "$.name".');
      return;
    }
  } else if (column.formula === undefined) {
    problem("formula", "A computed column needs a `formula`.");
    return;
  }
  try {
    compileColumn(column);
  } catch (error) {
    if (!(error instanceof FormulaSyntaxError)) {
      throw error;
    }
    problem(column.isComputed ? "formula" : "path", `${error.message}.`);
  }
}

/** Reads one column of one row; undefined if the row has no value there. Throws NodeError. */
type ReadColumn = (row: JsonValue) => JsonValue | undefined;

function compileColumn(column: Column): ReadColumn {
  const { formula = "", outputType: type } = column;
  if (column.isComputed) {
    return compileFormula(formula, type);
  }
  const path = parseJsonPath(column.path ?? "$");
  const isEmpty = emptyCellTest(column);
  return (row) => {
    const found = readJsonPath(row, path);
    const value = isEmpty(found) ? null : found;
    return value === undefined || (value === null && type !== "json" && type !== "any")
      ? undefined
      : typed(value, type, "TYPE_MISMATCH");
  };
}

/**
 * A computed column's formula: a number expression for a number column, a text formula for any
 * other type. Throws FormulaSyntaxError; the compiled formula throws NodeError.
 */
export function compileFormula(formula: string, type: ValueType): (row: JsonValue) => JsonValue {
  if (type === "number") {
    const expression = compileExpression(formula, "columns");
    return (row) =>
      typed(
        expression.evaluate((name) => rowField(row, name)),
        type,
        "FORMULA_ERROR",
      );
  }
  const template = compileTextFormula(formula);
  return (row) =>
    computedText(
      template.render((name) => rowField(row, name)),
      type,
    );
}

function typed(value: JsonValue, type: ValueType, code: NodeErrorCode): JsonValue {
  const converted = convertValue(value, type);
  if (converted === undefined) {
    throw new NodeError(code, `The value is ${jsonKind(value)} and the column's type is ${type}.`);
  }
  return converted;
}

/**
 * Converts the text of a text formula to the column's type: `true`/`false` for a boolean, JSON text
 * for json.
 */
function computedText(text: string, type: ValueType): JsonValue {
  if (type === "boolean") {
    if (text !== "true" && text !== "false") {
      throw new NodeError(
        "FORMULA_ERROR",
        "The formula of a boolean column must return true or false.",
      );
    }
    return text === "true";
  }
  if (type === "json") {
    try {
      return parseJson(text);
    } catch {
      throw new NodeError("FORMULA_ERROR", "The formula of a json column must return JSON text.");
    }
  }
  return text;
}

/** Output ports of the columns, in order. */
export function columnPorts(
  columns: readonly Column[],
): readonly { readonly name: string; readonly type: ValueType; readonly optional: boolean }[] {
  return columns.map(({ outputPort, outputType, isComputed, onInvalid }) => ({
    name: outputPort,
    type: outputType,
    optional: !isComputed || onInvalid === "null",
  }));
}

/** Reads elements one after another. */
export interface RowReader {
  /**
   * Reads a row (1-based number for messages) into `outputs`; returns false if the row is skipped.
   */
  read(row: JsonValue, rowNumber: number, outputs: Map<string, JsonValue>): boolean;
  /** The notes of the rows read so far; undefined if there is nothing to warn about. */
  readonly notes: ReadingNotes | undefined;
}

/** Compiles the columns once. */
export function compileColumns(columns: readonly Column[]): RowReader {
  const readers = columns.map((column) => ({ column, read: compileColumn(column) }));
  const reading = new RowReading();
  const readRow = (row: JsonValue, rowNumber: number, outputs: Map<string, JsonValue>): true => {
    for (const { column, read } of readers) {
      // A nulled cell is absent, like a null cell.
      const value = reading.cell<JsonValue | undefined>(
        column.outputPort,
        column,
        column.outputType === "json" || column.outputType === "any" ? null : undefined,
        () => readCell(column, read, row, rowNumber),
      );
      if (value !== undefined) {
        outputs.set(column.outputPort, value);
      }
    }
    return true;
  };
  return {
    read: (row, rowNumber, outputs) =>
      reading.row(rowNumber, () => readRow(row, rowNumber, outputs)) ?? false,
    get notes() {
      return reading.notes;
    },
  };
}

/** Number of elements that are not skipped; throws if reading them throws. */
export function countKept(items: Iterable<JsonValue>, columns: readonly Column[]): number {
  const reader = compileColumns(columns);
  let row = 0;
  let kept = 0;
  for (const item of items) {
    row += 1;
    kept += reader.read(item, row, new Map()) ? 1 : 0;
  }
  return kept;
}

function readCell(
  column: Column,
  read: ReadColumn,
  row: JsonValue,
  rowNumber: number,
): JsonValue | undefined {
  try {
    return read(row);
  } catch (error) {
    if (!(error instanceof NodeError)) {
      throw error;
    }
    // A computed column fails with one code for every failure of its formula
    // (docs/contract/formulas.md#columns).
    const code = column.isComputed ? "FORMULA_ERROR" : error.code;
    throw new NodeError(code, `Column "${column.outputPort}", row ${rowNumber}: ${error.message}`, {
      cause: error,
    });
  }
}
