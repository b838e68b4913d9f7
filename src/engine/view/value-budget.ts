import { LIMITS } from "../../lib/limits-table.ts";

/** Up to here a stored body is read back into `value`. */
export const RESOLVED_MAX_BYTES = LIMITS.value_resolved.value;
/** What one answer carries in values at most, each item's counted once. */
export const VALUES_MAX_BYTES = LIMITS.result_values.value;

const encoder = new TextEncoder();

export function utf8Bytes(text: string): number {
  return encoder.encode(text).byteLength;
}

/** Counts the values of one answer: first come, first served, in the order of keys. */
export class ValueBudget {
  #left: number;

  constructor(maxBytes: number) {
    this.#left = maxBytes;
  }

  /** Takes `bytes` if they still fit. */
  take(bytes: number): boolean {
    if (bytes > this.#left) {
      return false;
    }
    this.#left -= bytes;
    return true;
  }
}
