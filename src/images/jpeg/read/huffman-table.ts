import { damagedJpeg } from "./damaged-jpeg.ts";

/** Codes up to this long are found by one look. */
export const LOOKUP_BITS = 9;
const LENGTH_MAX = 16;

/** A Huffman table as it is read. */
export interface HuffmanTable {
  /** By the next `LOOKUP_BITS` bits: length << 8 | symbol; 0 where the code is longer, or none. */
  readonly lookup: Uint16Array;
  /** By length: the largest code of it, -1 where there is none. */
  readonly largest: Int32Array;
  /** By length: what a code of it is off from the place of its symbol. */
  readonly offset: Int32Array;
  readonly symbols: Uint8Array;
}

/**
 * The table of a DHT segment at `at`: 16 counts, then the symbols. Throws where more codes are
 * claimed than there are.
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
    throw damagedJpeg("a Huffman table is not whole");
  }
  // A difference of DC has at most 15 bits, and the symbol is how many.
  if (isDc && symbols.some((symbol) => symbol > 15)) {
    throw damagedJpeg("a Huffman table has sizes that there are not");
  }
  const lookup = new Uint16Array(1 << LOOKUP_BITS);
  const largest = new Int32Array(LENGTH_MAX + 1).fill(-1);
  const offset = new Int32Array(LENGTH_MAX + 1);
  let [code, place] = [0, 0];
  for (let length = 1; length <= LENGTH_MAX; length++) {
    const count = counts[length - 1] ?? 0;
    if (code + count > 1 << length) {
      throw damagedJpeg("a Huffman table has more codes than there are");
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
