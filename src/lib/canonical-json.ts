import { ExactNumber, isJsonObject, type JsonValue } from "./exact-json.ts";

/**
 * One text for all notations of a JSON value: keys sorted by UTF-16 code units, no white space,
 * number tokens unchanged. Recursive: only for values whose depth has been checked.
 */
export function canonicalJson(value: JsonValue): string {
  if (value instanceof ExactNumber) {
    return value.token;
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => canonicalJson(item as JsonValue)).join(",")}]`;
  }
  if (!isJsonObject(value)) {
    return JSON.stringify(value);
  }
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`);
  return `{${members.join(",")}}`;
}
