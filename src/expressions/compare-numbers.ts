import { ExactNumber } from "../lib/json/exact-json.ts";
import { type DecimalParts, decimalParts } from "../lib/json/decimal-token.ts";

/** The order of two JSON numbers by exact value: negative, zero or positive. Never rounds. */
export function compareNumbers(left: number | ExactNumber, right: number | ExactNumber): number {
  if (typeof left === "number" && typeof right === "number") {
    return left - right;
  }
  const a = decimalParts(left instanceof ExactNumber ? left.token : String(left));
  const b = decimalParts(right instanceof ExactNumber ? right.token : String(right));
  const signs = sign(a) - sign(b);
  if (signs !== 0) {
    return signs;
  }
  return sign(a) * magnitudeOrder(a, b);
}

function sign(parts: DecimalParts): number {
  return parts.digits === "" ? 0 : parts.negative ? -1 : 1;
}

function magnitudeOrder(a: DecimalParts, b: DecimalParts): number {
  if (a.exponent !== b.exponent) {
    return a.exponent < b.exponent ? -1 : 1;
  }
  // Both digit strings begin at the same power of ten and have no trailing zeros, so text order is
  // number order.
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -1 : 1;
}
