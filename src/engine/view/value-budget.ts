import { LIMITS } from "../../lib/limits/limits-table.ts";

/** Stored bodies up to this size are returned in `value`. */
export const RESOLVED_MAX_BYTES = LIMITS.value_resolved.value;
/** Most bytes of values in one response; each item is counted once. */
export const VALUES_MAX_BYTES = LIMITS.result_values.value;

const encoder = new TextEncoder();

export function utf8Bytes(text: string): number {
  return encoder.encode(text).byteLength;
}

/** Allocates the bytes of one response to values: first come, first served, in the order of keys. */
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
