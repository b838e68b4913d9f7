import type { FontTable } from "./font-table.ts";
import { invalidFont } from "./invalid-font.ts";

/** An INDEX of the CFF table: byte strings one after another (Adobe Technical Note 5176 §5). */
export class CffIndex {
  readonly count: number;
  /** Offset of the first byte after the INDEX. */
  readonly end: number;
  readonly #table: FontTable;
  readonly #offsetsAt: number;
  readonly #offsetSize: number;
  /** Offsets are relative to the byte before the data. */
  readonly #base: number;

  /** Throws FontError if offsets decrease or are outside the table. */
  constructor(table: FontTable, at: number, what: string) {
    this.#table = table;
    this.count = table.u16(at);
    if (this.count === 0) {
      this.#offsetsAt = at;
      this.#offsetSize = 1;
      this.#base = at;
      this.end = at + 2;
      return;
    }
    this.#offsetSize = table.u8(at + 2);
    if (this.#offsetSize < 1 || this.#offsetSize > 4) {
      throw invalidFont(`${what} in the table CFF has offsets of ${this.#offsetSize} bytes`);
    }
    this.#offsetsAt = at + 3;
    const offsetBytes = (this.count + 1) * this.#offsetSize;
    table.need(this.#offsetsAt, offsetBytes, what);
    this.#base = this.#offsetsAt + offsetBytes - 1;
    let before = 1;
    for (let i = 0; i <= this.count; i++) {
      const offset = this.#offset(i);
      if (offset < before || (i === 0 && offset !== 1)) {
        throw invalidFont(`${what} in the table CFF has offsets that are not in order`);
      }
      before = offset;
    }
    this.end = this.#base + before;
    table.need(this.#base, before, what);
  }

  /** Position of entry `i` in the table: its first byte, and the byte after its last. */
  span(i: number): readonly [start: number, end: number] {
    if (i < 0 || i >= this.count) {
      throw invalidFont(`The table CFF refers to entry ${i} of ${this.count}`);
    }
    return [this.#base + this.#offset(i), this.#base + this.#offset(i + 1)];
  }

  #offset(i: number): number {
    return this.#table.uint(this.#offsetsAt + i * this.#offsetSize, this.#offsetSize);
  }
}
