import { ExactNumber, isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";

/**
 * Returns the value with every exact number as a double, for members whose digits do not matter
 * (positions, bounds).
 */
export function plainNumbers(value: JsonValue): JsonValue {
  if (value instanceof ExactNumber) {
    return value.toNumber();
  }
  if (Array.isArray(value)) {
    return value.map((item) => plainNumbers(item as JsonValue));
  }
  if (!isJsonObject(value)) {
    return value;
  }
  // fromEntries defines own properties, so a `__proto__` key stays data and is rejected as unknown.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, plainNumbers(member)]),
  );
}
