import type { ExactNumber } from "../lib/exact-json.ts";
import { decimalOf } from "./exact-decimal.ts";

/** Whether `value - base` is a whole number of steps, in exact decimals of 34 digits. `step` is positive. */
export function isMultipleOf(
  value: number | ExactNumber,
  step: number | ExactNumber,
  base: number | ExactNumber,
): boolean {
  return decimalOf(value).minus(decimalOf(base)).dividedBy(decimalOf(step)).isInteger();
}
