/** Number of characters that are joined at once. */
const BATCH_CHARS = 64 * 1024;
/**
 * Memory of each string besides its characters: the header of a slice, and its slot in a growing
 * list.
 */
const STRING_BYTES = 32;
/** One character of this kind makes all characters of its text take two bytes. */
const WIDE = /[\u0100-\uffff]/;

/**
 * Many short strings that were cut out of long texts. A slice would keep its whole text in memory,
 * markup included; here a batch of strings is copied to one text that contains nothing else.
 */
export class StringPool {
  readonly strings: string[] = [];
  #batch: string[] = [];
  #batchChars = 0;
  #bytes = 0;

  /** Approximate memory of all strings. */
  get bytes(): number {
    return this.#bytes + this.#batchChars + this.#batch.length * STRING_BYTES;
  }

  add(text: string): void {
    this.#batch.push(text);
    this.#batchChars += text.length;
    if (this.#batchChars >= BATCH_CHARS) {
      this.close();
    }
  }

  /** To be called after the last string. */
  close(): void {
    // One more character, because a join of a single string would return that string.
    const all = ` ${this.#batch.join("")}`;
    let at = 1;
    for (const { length } of this.#batch) {
      this.strings.push(all.slice(at, at + length));
      at += length;
    }
    this.#bytes += all.length * (WIDE.test(all) ? 2 : 1) + this.#batch.length * STRING_BYTES;
    this.#batch = [];
    this.#batchChars = 0;
  }
}
