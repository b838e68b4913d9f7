import { NodeError } from "../lib/errors/node-error.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

/**
 * Maximum size of one value (docs/contract/results.md#sizes). A UTF-16 unit is at least one byte,
 * so this is never too strict.
 */
/** In UTF-16 units: each is at least one byte, so this is never too strict. */
const LENGTH_MAX = LIMITS.value.value;

/** Joins texts up to the maximum size of one value, and throws before the memory is allocated. */
export class TextBuilder {
  readonly #parts: string[] = [];
  #length = 0;

  /** Throws NodeError `VALUE_TOO_LARGE`. */
  add(text: string): void {
    this.#length += text.length;
    if (this.#length > LENGTH_MAX) {
      throw new NodeError(
        "VALUE_TOO_LARGE",
        "The text would be larger than 16 MiB, the maximum for a value. Split the work.",
      );
    }
    this.#parts.push(text);
  }

  toString(): string {
    return this.#parts.join("");
  }
}
