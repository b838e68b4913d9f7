import type { ColumnType } from "../../contracts/dataset.ts";
import { jsonNumber, type JsonValue } from "../../lib/exact-json.ts";
import { booleanOf } from "../infer/boolean-of.ts";
import type { NumberFormat } from "../../lib/number-format.ts";

/** A cell of a worksheet as its column's type: text that is a number is one in a column of numbers. */
export function sheetCell(cell: JsonValue, type: ColumnType, format: NumberFormat): JsonValue {
  return typeof cell === "string" && type === "number" ? typedCell(cell, type, format) : cell;
}

/**
 * A CSV field as its column's type; null when empty. A field that is not of the type, which a column
 * of that type has none of, stays text.
 */
export function typedCell(field: string, type: ColumnType, format: NumberFormat): JsonValue {
  if (field === "") {
    return null;
  }
  if (type === "number") {
    const token = format.read(field);
    return token === undefined ? field : jsonNumber(token);
  }
  if (type === "boolean") {
    return booleanOf(field) ?? field;
  }
  return field;
}
