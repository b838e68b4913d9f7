import type { ColumnType } from "../../contracts/dataset.ts";
import { jsonNumber, type JsonValue } from "../../lib/json/exact-json.ts";
import { booleanOf } from "../infer/boolean-of.ts";
import type { NumberFormat } from "../../lib/json/number-format.ts";

/**
 * A worksheet's cell in its column's type: in a column of numbers, text that is a number becomes a
 * number.
 */
export function sheetCell(cell: JsonValue, type: ColumnType, format: NumberFormat): JsonValue {
  return typeof cell === "string" && type === "number" ? typedCell(cell, type, format) : cell;
}

/**
 * A CSV field in its column's type; null if empty. A field that does not have the type stays text;
 * a column of that type has no such field.
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
