import { isJsonObject, type JsonValue } from "../lib/json/exact-json.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

const LEVELS_MAX = LIMITS.joined_levels.value;

/**
 * Returns a row's field by its name as a formula variable, undefined if there is none: the own key
 * of that name, else a key whose `.` is written `_` (docs/contract/formulas.md#columns), else the
 * nested field whose path, joined with `_`, equals the name (`customer_name` finds `{customer:
 * {name}}`).
 */
export function rowField(row: JsonValue, name: string): JsonValue | undefined {
  if (!isJsonObject(row)) {
    return undefined;
  }
  if (Object.hasOwn(row, name)) {
    return row[name];
  }
  return name.includes("_") ? joinedField(row, name, LEVELS_MAX) : undefined;
}

function joinedField(
  row: { readonly [key: string]: JsonValue },
  name: string,
  levels: number,
): JsonValue | undefined {
  let nested: JsonValue | undefined;
  for (const key of Object.keys(row)) {
    const written = key.replaceAll(".", "_");
    const value = row[key];
    if (written === name) {
      return value;
    }
    if (
      nested === undefined &&
      levels > 1 &&
      value !== undefined &&
      isJsonObject(value) &&
      name.startsWith(`${written}_`)
    ) {
      nested = joinedField(value, name.slice(written.length + 1), levels - 1);
    }
  }
  return nested;
}
