import { ExactNumber, isJsonNumber, isJsonObject, type JsonValue } from "../lib/json/exact-json.ts";
import { decimalParts } from "../lib/json/decimal-token.ts";

/**
 * Whether two numbers have the same exact value: `1.50` equals `1.5`; nothing is rounded to a
 * double.
 */
function numbersEqual(left: number | ExactNumber, right: number | ExactNumber): boolean {
  if (typeof left === "number" && typeof right === "number") {
    return left === right;
  }
  const a = decimalParts(left instanceof ExactNumber ? left.token : String(left));
  const b = decimalParts(right instanceof ExactNumber ? right.token : String(right));
  return a.negative === b.negative && a.exponent === b.exponent && a.digits === b.digits;
}

/**
 * Deep equality of JSON values: numbers compare by value as decimals, key order is ignored, text
 * never equals a number. The depth limit on values that enter a run bounds the recursion.
 */
export function jsonEqual(left: JsonValue, right: JsonValue): boolean {
  if (isJsonNumber(left) || isJsonNumber(right)) {
    return isJsonNumber(left) && isJsonNumber(right) && numbersEqual(left, right);
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) {
      return false;
    }
    return left.every((element, index) =>
      jsonEqual(element as JsonValue, right[index] as JsonValue),
    );
  }
  if (!isJsonObject(left) || !isJsonObject(right)) {
    return left === right;
  }
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) =>
        Object.hasOwn(right, key) && jsonEqual(left[key] as JsonValue, right[key] as JsonValue),
    )
  );
}
