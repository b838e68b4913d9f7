/** Characters that are put together at once. */
const BATCH_CHARS = 64 * 1024;
/** What each string takes besides its characters: the header of a slice, and its place in a list that grows. */
const STRING_BYTES = 32;
/** Such a character makes every one beside it take two bytes. */
const WIDE = /[\u0100-\uffff]/;

/**
 * Many short strings that were cut out of long texts. As they are cut they would keep those texts
 * whole, markup and all; here a batch of them is one text of nothing but them.
 */
export class StringPool {
  readonly strings: string[] = [];
  #batch: string[] = [];
  #batchChars = 0;
  #bytes = 0;

  /** What all of them take, about. */
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

  /** To be called after the last. */
  close(): void {
    // One character more: what is put together out of one string would be that string.
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
