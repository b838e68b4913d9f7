import type { ValueType } from "../contracts/node-parameters.ts";
import { canonicalDecimal } from "../lib/canonical-decimal.ts";
import { isJsonNumber, type JsonValue, numberToken } from "../lib/exact-json.ts";

/**
 * A JSON value as a declared type, strictly; undefined when it is not one. Text is never read as a
 * number or a boolean; a number or boolean does become text, since its text is exact.
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

/** What a JSON value is, for a message. */
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
