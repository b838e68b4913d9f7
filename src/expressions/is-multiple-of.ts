import type { ExactNumber } from "../lib/json/exact-json.ts";
import { decimalOf } from "./exact-decimal.ts";

/**
 * Whether `value - base` is a whole multiple of `step`, in exact decimals of 34 digits. `step` must
 * be positive.
 */
export function isMultipleOf(
  value: number | ExactNumber,
  step: number | ExactNumber,
  base: number | ExactNumber,
): boolean {
  return decimalOf(value).minus(decimalOf(base)).dividedBy(decimalOf(step)).isInteger();
}
