import type { ColumnType } from "../../contracts/dataset.ts";
import { jsonNumber, type JsonValue } from "../../lib/exact-json.ts";
import { booleanOf } from "../infer/boolean-of.ts";
import type { NumberFormat } from "../infer/number-format.ts";

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
