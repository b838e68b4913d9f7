import type { ValueType } from "../contracts/workflows/node-parameters.ts";
import { canonicalDecimal } from "../lib/json/canonical-decimal.ts";
import { isJsonNumber, type JsonValue, numberToken } from "../lib/json/exact-json.ts";

/**
 * Converts a JSON value strictly to a declared type; undefined if it does not have that type. Text
 * is never converted to a number or a boolean; numbers and booleans are converted to text, which is
 * exact.
 */
export function convertValue(value: JsonValue, type: ValueType): JsonValue | undefined {
  switch (type) {
    case "any":
    case "json":
      return value;
    case "number":
      return isJsonNumber(value) ? value : undefined;
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "url":
      return typeof value === "string" ? value : undefined;
    case "text":
      if (isJsonNumber(value)) {
        return canonicalDecimal(numberToken(value));
      }
      return typeof value === "boolean"
        ? String(value)
        : typeof value === "string"
          ? value
          : undefined;
  }
}

/** The kind of a JSON value, for a message. */
export function jsonKind(value: JsonValue): string {
  if (value === null) {
    return "null";
  }
  if (isJsonNumber(value)) {
    return "a number";
  }
  if (Array.isArray(value)) {
    return "a list";
  }
  return typeof value === "string"
    ? "text"
    : typeof value === "boolean"
      ? "a boolean"
      : "an object";
}
