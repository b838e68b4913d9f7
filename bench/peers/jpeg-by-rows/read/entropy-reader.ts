import { damagedJpeg } from "./jpeg-frame.ts";

/** Maximum length of codes that are found by one table lookup. */
const LOOKUP_BITS = 9;
const LENGTH_MAX = 16;

/** A Huffman table for decoding. */
export interface HuffmanTable {
  /** By the next `LOOKUP_BITS` bits: length << 8 | symbol; 0 if the code is longer or invalid. */
  readonly lookup: Uint16Array;
  /** By length: the largest code, -1 if there is none. */
  readonly largest: Int32Array;
  /** By length: the difference between a code and the index of its symbol. */
  readonly offset: Int32Array;
  readonly symbols: Uint8Array;
}

/**
 * The table of a DHT segment at `at`: 16 counts, then the symbols. Throws if more codes are
 * declared than are possible.
 */
export function readHuffmanTable(
  body: Uint8Array,
  at: number,
  isDc: boolean,
): { table: HuffmanTable; end: number } {
  const counts = body.subarray(at, at + LENGTH_MAX);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const symbols = body.subarray(at + LENGTH_MAX, at + LENGTH_MAX + total);
  if (counts.length < LENGTH_MAX || symbols.length < total || total > 256) {
    throw damagedJpeg("a Huffman table is incomplete");
  }
  // A DC difference has at most 15 bits; the symbol is their number.
  if (isDc && symbols.some((symbol) => symbol > 15)) {
    throw damagedJpeg("a Huffman table has invalid sizes");
  }
  const lookup = new Uint16Array(1 << LOOKUP_BITS);
  const largest = new Int32Array(LENGTH_MAX + 1).fill(-1);
  const offset = new Int32Array(LENGTH_MAX + 1);
  let [code, place] = [0, 0];
  for (let length = 1; length <= LENGTH_MAX; length++) {
    const count = counts[length - 1] ?? 0;
    if (code + count > 1 << length) {
      throw damagedJpeg("a Huffman table has too many codes");
    }
    offset[length] = place - code;
    if (count > 0) {
      largest[length] = code + count - 1;
    }
    for (let i = 0; i < count; i++, code++, place++) {
      if (length <= LOOKUP_BITS) {
        const spread = LOOKUP_BITS - length;
        const first = code << spread;
        lookup.fill((length << 8) | (symbols[place] ?? 0), first, first + (1 << spread));
      }
    }
    code <<= 1;
  }
  return { table: { lookup, largest, offset, symbols }, end: at + LENGTH_MAX + total };
}

/** The bits of a scan up to the next marker, the highest of each byte first. */
export class EntropyReader {
  readonly #bytes: Uint8Array;
  #at: number;
  #held = 0;
  #heldBits = 0;
  /** Bits read past a marker, which are an error if they are used. */
  #absentBits = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** The end of the scan's bytes, at a marker or before it. */
  get end(): number {
    return this.#at;
  }

  /** The next symbol of a table. */
  symbol(table: HuffmanTable): number {
    if (this.#heldBits < 16) {
      this.#fill();
    }
    const short = (this.#held >>> (this.#heldBits - LOOKUP_BITS)) & ((1 << LOOKUP_BITS) - 1);
    const found = table.lookup[short] as number;
    if (found !== 0) {
      this.#heldBits -= found >> 8;
      return found & 255;
    }
    for (let length = LOOKUP_BITS + 1; length <= 16; length++) {
      const code = (this.#held >>> (this.#heldBits - length)) & ((1 << length) - 1);
      if (code <= (table.largest[length] as number)) {
        this.#heldBits -= length;
        return table.symbols[code + (table.offset[length] as number)] as number;
      }
    }
    throw damagedJpeg("it contains an invalid code");
  }

  /** The next `count` bits, 1 to 16. */
  bits(count: number): number {
    if (this.#heldBits < count) {
      this.#fill();
    }
    this.#heldBits -= count;
    return (this.#held >>> this.#heldBits) & ((1 << count) - 1);
  }

  /** A value of `size` bits, 1 to 15; the lower half of the range is negative (T.81 F.2.2.1). */
  value(size: number): number {
    const bits = this.bits(size);
    return bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits;
  }

  /** Throws if bits past the end have been used. */
  check(): void {
    if (this.#heldBits < this.#absentBits) {
      throw damagedJpeg("its data ends early");
    }
  }

  /** Continues after the restart marker of that number, which must be next. */
  restart(number: number): void {
    this.check();
    [this.#held, this.#heldBits, this.#absentBits] = [0, 0, 0];
    let at = this.#at;
    while (this.#bytes[at] === 0xff && this.#bytes[at + 1] === 0xff) {
      at++;
    }
    if (this.#bytes[at] !== 0xff || this.#bytes[at + 1] !== 0xd0 + number) {
      throw damagedJpeg("a restart marker is missing");
    }
    this.#at = at + 2;
  }

  /** Fills up to at least 25 bits. */
  #fill(): void {
    const bytes = this.#bytes;
    while (this.#heldBits <= 24) {
      const byte = bytes[this.#at] ?? 0xff;
      if (byte !== 0xff) {
        this.#at++;
      } else if (bytes[this.#at + 1] === 0) {
        this.#at += 2;
      } else {
        // A marker, or fill bytes before one.
        this.#held <<= 8;
        this.#heldBits += 8;
        this.#absentBits += 8;
        continue;
      }
      this.#held = (this.#held << 8) | byte;
      this.#heldBits += 8;
    }
  }
}
