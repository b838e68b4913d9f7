import { Decimal } from "decimal.js";
import { decimalParts } from "../lib/json/decimal-token.ts";
import { type ExactNumber, jsonNumber } from "../lib/json/exact-json.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

/** Number of significant digits in arithmetic (docs/contract/formulas.md#calculations). */
export const DIGITS_MAX = LIMITS.expression_digits.value;
const EXPONENT_MAX = LIMITS.expression_exponent.value;

/** decimal.js with 34 significant digits; halves are rounded away from zero (its ROUND_HALF_UP). */
export const ExactDecimal = Decimal.clone({
  precision: DIGITS_MAX,
  rounding: Decimal.ROUND_HALF_UP,
  // A whole number is written with all its digits, a very small one in JavaScript's notation.
  toExpPos: DIGITS_MAX,
  toExpNeg: -7,
});
export type ExactDecimal = Decimal;

/** Throws `CALC_OVERFLOW` if the exponent of a result is outside ±1000. */
export function withinRange(value: Decimal): Decimal {
  if (!value.isFinite() || (!value.isZero() && Math.abs(value.e) > EXPONENT_MAX)) {
    throw new NodeError(
      "CALC_OVERFLOW",
      `A number is outside of the range of 1e-${EXPONENT_MAX} to 1e${EXPONENT_MAX}. Scale the values before calculating.`,
    );
  }
  return value;
}

/**
 * Converts a JSON number to a decimal, rounded to 34 digits. Linear in the token's length; throws
 * `CALC_OVERFLOW`.
 */
export function decimalOf(value: number | ExactNumber): Decimal {
  if (typeof value === "number") {
    return new ExactDecimal(value);
  }
  const { negative, digits, exponent } = decimalParts(value.token);
  if (digits === "") {
    return new ExactDecimal(0);
  }
  if (Math.abs(exponent) > EXPONENT_MAX) {
    return withinRange(new ExactDecimal(Number.POSITIVE_INFINITY));
  }
  // Digit 35 alone decides a rounding half away from zero, so the other digits are not read.
  const kept = digits.slice(0, DIGITS_MAX + 1);
  const token = `${negative ? "-" : ""}${kept[0] ?? ""}.${kept.slice(1)}0e${exponent}`;
  return withinRange(new ExactDecimal(token).toSignificantDigits(DIGITS_MAX));
}

/**
 * Converts a decimal to a JSON number: a double if it has the same digits, else the exact token.
 */
export function jsonNumberOf(value: Decimal): number | ExactNumber {
  return jsonNumber(value.isZero() ? "0" : value.toString());
}
