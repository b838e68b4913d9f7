import type { ExactNumber } from "../lib/json/exact-json.ts";
import { decimalOf, jsonNumberOf } from "./exact-decimal.ts";

type JsonNumber = number | ExactNumber;

/**
 * Number of values in `start, start + step, …` up to and including `end`. `step` must not be zero.
 */
export function decimalRangeCount(start: JsonNumber, end: JsonNumber, step: JsonNumber): number {
  const steps = decimalOf(end).minus(decimalOf(start)).dividedBy(decimalOf(step)).floor();
  return steps.isNegative() ? 0 : steps.toNumber() + 1;
}

/**
 * The values, one at a time, each calculated as `start + i * step` in exact decimals, so that
 * errors do not accumulate.
 */
export function* decimalRange(
  start: JsonNumber,
  end: JsonNumber,
  step: JsonNumber,
): Generator<JsonNumber> {
  const count = decimalRangeCount(start, end, step);
  const first = decimalOf(start);
  const distance = decimalOf(step);
  for (let index = 0; index < count; index += 1) {
    yield jsonNumberOf(first.plus(distance.times(index)));
  }
}
