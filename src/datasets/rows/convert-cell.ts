import type { ColumnType } from "../../contracts/dataset.ts";
import type { ValueType } from "../../contracts/workflows/node-parameters.ts";
import {
  isJsonNumber,
  jsonNumber,
  type JsonValue,
  numberToken,
  parseJson,
} from "../../lib/json/exact-json.ts";
import { isJsonTextDeeperThan } from "../../lib/json/json-text-depth.ts";
import { VALUE_DEPTH_MAX } from "../../lib/json/value-depth.ts";
import { booleanOf } from "../infer/boolean-of.ts";
import type { NumberFormat } from "../../lib/json/number-format.ts";
import { sheetCell, typedCell } from "./typed-cell.ts";

/**
 * The notation of a table's cells: CSV text in a locale, or values with their own types; text in a
 * worksheet may be a number (`numbers`).
 */
export type CellForm =
  | { readonly isText: true; readonly numbers: NumberFormat }
  | { readonly isText: false; readonly numbers?: NumberFormat };

/**
 * Converts a cell strictly to a declared type (docs/contract/datasets.md#rows); undefined if it
 * does not have that type. An empty cell becomes null, or empty text for a text type; digits are
 * copied to text unchanged.
 */
export function convertCell(
  cell: JsonValue | undefined,
  type: ValueType,
  columnType: ColumnType,
  form: CellForm,
): JsonValue | undefined {
  if (cell === undefined || cell === null || (form.isText && cell === "")) {
    return type === "text" ? "" : null;
  }
  if (form.isText && typeof cell === "string") {
    return convertText(cell, type, columnType, form.numbers);
  }
  return convertValue(cell, type, columnType, form.numbers);
}

/** A cell with its own type. */
function convertValue(
  cell: JsonValue,
  type: ValueType,
  columnType: ColumnType,
  numbers: NumberFormat | undefined,
): JsonValue | undefined {
  switch (type) {
    case "any":
      return numbers === undefined ? cell : sheetCell(cell, columnType, numbers);
    case "json":
      return cell;
    case "number":
      return isJsonNumber(cell) ? cell : numberInText(cell, numbers);
    case "boolean":
      return typeof cell === "boolean" ? cell : undefined;
    case "url":
      return typeof cell === "string" ? webAddress(cell) : undefined;
    case "text":
      return isJsonNumber(cell)
        ? numberToken(cell)
        : typeof cell === "boolean"
          ? String(cell)
          : typeof cell === "string"
            ? cell
            : undefined;
  }
}

function numberInText(cell: JsonValue, numbers: NumberFormat | undefined): JsonValue | undefined {
  const token = typeof cell === "string" ? numbers?.read(cell) : undefined;
  return token === undefined ? undefined : jsonNumber(token);
}

function convertText(
  cell: string,
  type: ValueType,
  columnType: ColumnType,
  numbers: NumberFormat,
): JsonValue | undefined {
  switch (type) {
    case "any":
      return typedCell(cell, columnType, numbers);
    case "text":
      return cell;
    case "number": {
      const token = numbers.read(cell);
      return token === undefined ? undefined : jsonNumber(token);
    }
    case "boolean":
      return booleanOf(cell);
    case "url":
      return webAddress(cell);
    case "json":
      try {
        return isJsonTextDeeperThan(cell, VALUE_DEPTH_MAX) ? undefined : parseJson(cell);
      } catch {
        return undefined;
      }
  }
}

function webAddress(text: string): string | undefined {
  const trimmed = text.trim();
  return /^https?:\/\//i.test(trimmed) && URL.canParse(trimmed) ? trimmed : undefined;
}
