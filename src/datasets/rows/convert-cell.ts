import type { ColumnType } from "../../contracts/dataset.ts";
import type { ValueType } from "../../contracts/node-parameters.ts";
import {
  isJsonNumber,
  jsonNumber,
  type JsonValue,
  numberToken,
  parseJson,
} from "../../lib/exact-json.ts";
import { isJsonTextDeeperThan } from "../../lib/json-text-depth.ts";
import { VALUE_DEPTH_MAX } from "../../lib/value-depth.ts";
import { booleanOf } from "../infer/boolean-of.ts";
import type { NumberFormat } from "../../lib/number-format.ts";
import { sheetCell, typedCell } from "./typed-cell.ts";

/**
 * How cells of a table are written: as CSV text in a locale, or as values of their own types, among
 * which those of a worksheet may hold numbers as text (`numbers`).
 */
export type CellForm =
  | { readonly isText: true; readonly numbers: NumberFormat }
  | { readonly isText: false; readonly numbers?: NumberFormat };

/**
 * A cell as a declared type, strictly (docs/contract/datasets.md#rows): undefined when it is not one. An empty cell is
 * null, for a text type empty text; digits go to text unchanged.
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

/** A cell that has a type of its own. */
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
