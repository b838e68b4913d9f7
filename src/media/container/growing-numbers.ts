/** Numbers that are packed together, in as many bytes as the largest one of them needs. Even, so that no pair is torn apart. */
const BLOCK = 1_024;

/**
 * Whole numbers of 32 bits without a sign whose count is not known before. The tables of long films are kept here: sizes of packets take
 * 2 to 3 bytes each.
 */
export class GrowingNumbers {
  /** Full blocks, each of BLOCK numbers of as many bytes, the lowest one first. */
  readonly #packed: Uint8Array[] = [];
  /** The numbers after them; packed when the next one comes. */
  readonly #open = new Uint32Array(BLOCK);
  #openCount = 0;

  get count(): number {
    return this.#packed.length * BLOCK + this.#openCount;
  }

  push(value: number): void {
    if (this.#openCount === BLOCK) {
      this.#packed.push(packed(this.#open));
      this.#openCount = 0;
    }
    this.#open[this.#openCount++] = value;
  }

  /** A number by its index; 0 if there is none. */
  at(index: number): number {
    const block = Math.floor(index / BLOCK);
    const place = index - block * BLOCK;
    if (block === this.#packed.length) {
      return place < this.#openCount ? (this.#open[place] ?? 0) : 0;
    }
    const bytes = this.#packed[block];
    return bytes === undefined ? 0 : numberAt(bytes, place);
  }

  /** Adds to one of the last two numbers: `index` is -1 or -2. -2 only where numbers come in pairs. */
  raise(index: -1 | -2, by: number): void {
    const place = this.#openCount + index;
    if (place < 0) {
      throw new RangeError("Only numbers of the last block can be changed.");
    }
    this.#open[place] = (this.#open[place] ?? 0) + by;
  }

  /** The last number, or 0. */
  get last(): number {
    return this.at(this.count - 1);
  }

  *values(): Generator<number> {
    for (const bytes of this.#packed) {
      for (let place = 0; place < BLOCK; place++) {
        yield numberAt(bytes, place);
      }
    }
    yield* this.#open.subarray(0, this.#openCount);
  }

  /** All numbers, 4 bytes each. */
  all(): Uint32Array {
    const all = new Uint32Array(this.count);
    let at = 0;
    for (const value of this.values()) {
      all[at++] = value;
    }
    return all;
  }
}

function packed(numbers: Uint32Array): Uint8Array {
  const largest = numbers.reduce((max, value) => Math.max(max, value), 0);
  const width = largest < 2 ** 8 ? 1 : largest < 2 ** 16 ? 2 : largest < 2 ** 24 ? 3 : 4;
  const bytes = new Uint8Array(BLOCK * width);
  let at = 0;
  for (const value of numbers) {
    for (let shift = 0; shift < width * 8; shift += 8) {
      bytes[at++] = value >>> shift;
    }
  }
  return bytes;
}

function numberAt(bytes: Uint8Array, place: number): number {
  const width = bytes.length / BLOCK;
  let value = 0;
  for (let i = 0, at = place * width; i < width; i++) {
    value |= (bytes[at + i] ?? 0) << (8 * i);
  }
  return value >>> 0;
}
