import { ByteWriter } from "../../../src/images/byte-writer.ts";
import type { HuffmanSpec } from "./jpeg-tables.ts";

/** Codes of a Huffman table by symbol: the bits and their number. */
export interface HuffmanCodes {
  readonly codes: Uint16Array;
  readonly lengths: Uint8Array;
}

/** Codes of one length count up, and continue at the next length (T.81 annex C). */
export function huffmanCodes({ counts, values }: HuffmanSpec): HuffmanCodes {
  const codes = new Uint16Array(256);
  const lengths = new Uint8Array(256);
  let code = 0;
  let next = 0;
  for (const [i, count] of counts.entries()) {
    for (let k = 0; k < count; k++) {
      const value = values[next++] ?? 0;
      codes[value] = code++;
      lengths[value] = i + 1;
    }
    code <<= 1;
  }
  return { codes, lengths };
}

/** Entropy-coded bytes are stuffed: a zero follows each 0xFF. */
export class JpegWriter {
  readonly #out = new ByteWriter();
  #held = 0;
  #heldBits = 0;

  bytes(...bytes: readonly number[]): void {
    for (const byte of bytes) {
      this.#out.put(byte);
    }
  }

  /** A marker segment with its length. */
  segment(marker: number, body: readonly number[]): void {
    const length = body.length + 2;
    this.bytes(0xff, marker, length >> 8, length & 255, ...body);
  }

  /** At most 16 bits, the highest first. */
  bits(value: number, count: number): void {
    this.#held = (this.#held << count) | value;
    this.#heldBits += count;
    while (this.#heldBits >= 8) {
      this.#heldBits -= 8;
      const byte = (this.#held >>> this.#heldBits) & 255;
      this.#out.put(byte);
      if (byte === 0xff) {
        this.#out.put(0);
      }
    }
    this.#held &= (1 << this.#heldBits) - 1;
  }

  /** Fills the last byte with ones. */
  endBits(): void {
    if (this.#heldBits > 0) {
      const missing = 8 - this.#heldBits;
      this.bits((1 << missing) - 1, missing);
    }
  }

  /** The bytes written since the last call, complete bytes only. */
  take(): Uint8Array[] {
    return this.#out.take();
  }
}
