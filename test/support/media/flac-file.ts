import { Buffer } from "node:buffer";

/** Writes bits, the highest first. */
class BitWriter {
  readonly #bytes: number[] = [];
  #bits = 0;

  put(value: number, count: number): void {
    for (let i = count - 1; i >= 0; i--, this.#bits++) {
      const at = this.#bits >> 3;
      const bit = Math.floor(value / 2 ** i) & 1;
      this.#bytes[at] = (this.#bytes[at] ?? 0) | (bit << (7 - (this.#bits & 7)));
    }
  }

  align(): void {
    this.#bits = (this.#bits + 7) & ~7;
  }

  bytes(): Buffer {
    return Buffer.from(this.#bytes);
  }
}

function crc(bytes: Uint8Array, width: 8 | 16, polynomial: number): number {
  const top = 2 ** (width - 1);
  let value = 0;
  for (const byte of bytes) {
    value ^= width === 8 ? byte : byte << 8;
    for (let bit = 0; bit < 8; bit++) {
      value = (value & top) === 0 ? value << 1 : (value << 1) ^ polynomial;
    }
    value &= 2 ** width - 1;
  }
  return value;
}

const SIZE_CODES: Readonly<Record<number, number>> = { 8: 1, 12: 2, 16: 4, 20: 5, 24: 6 };

/** A mono FLAC of one block whose samples are written as they are (RFC 9639, section 9.2.2). */
export function verbatimFlac(samples: readonly number[], bits: 8 | 12 | 16 | 20 | 24): Uint8Array {
  const info = new BitWriter();
  info.put(samples.length, 16);
  info.put(samples.length, 16);
  info.put(0, 48);
  info.put(44_100, 20);
  info.put(0, 3);
  info.put(bits - 1, 5);
  info.put(samples.length, 36);
  info.put(0, 128);
  const frame = new BitWriter();
  frame.put(0xfff8, 16);
  // A block size of 16 bits at the end of the header, 44.1 kHz, one channel.
  frame.put(0x79, 8);
  frame.put((SIZE_CODES[bits] ?? 0) << 1, 8);
  // The frame's number.
  frame.put(0, 8);
  frame.put(samples.length - 1, 16);
  frame.put(crc(frame.bytes(), 8, 0x107), 8);
  // A subframe of samples as they are.
  frame.put(0b0000_0010, 8);
  for (const sample of samples) {
    frame.put(sample < 0 ? sample + 2 ** bits : sample, bits);
  }
  frame.align();
  frame.put(crc(frame.bytes(), 16, 0x18005), 16);
  const head = Buffer.concat([Buffer.from("fLaC"), Buffer.from([0x80, 0, 0, 34]), info.bytes()]);
  return Uint8Array.from(Buffer.concat([head, frame.bytes()]));
}
