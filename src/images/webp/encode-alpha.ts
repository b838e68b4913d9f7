import { type PrefixCode, prefixCode } from "./prefix-code.ts";
import { ByteWriter } from "../byte-writer.ts";

/** A plane with one byte for each pixel. */
export interface Plane {
  readonly bytes: Uint8Array;
  readonly width: number;
}

/** Receives the runs: one literal byte, or a copy from the left or from above. */
interface Sink {
  literal(byte: number): void;
  copy(length: number, isFromAbove: boolean): void;
}

const COPY_MIN = 4;
const COPY_MAX = 4_096;
/** 256 bytes and 24 prefixes of lengths. */
const GREEN_SYMBOLS = 280;
const CODE_BITS_MAX = 15;
const LENGTH_CODE_BITS_MAX = 7;
/** Order in which the lengths of the code-length code are stored. */
const LENGTH_CODE_ORDER = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const COMPRESSED = 1;
const GRADIENT_FILTER = 3 << 2;

/**
 * A transparency plane as the content of a WebP ALPH chunk, lossless. It is a VP8L stream with one
 * channel and copies from the left and from above only: the codec package's encoder needs 28 bytes
 * for each pixel with transparency, this one needs one.
 */
export function encodeAlpha(plane: Plane): Uint8Array[] {
  const plain = measure(plane);
  const predicted = predict(plane);
  const filtered = measure(predicted);
  const [source, stats, filter] =
    filtered.cost < plain.cost ? [predicted, filtered, GRADIENT_FILTER] : [plane, plain, 0];
  const out = new BitWriter();
  out.write(COMPRESSED | filter, 8);
  // No transform, no color cache, no meta prefix codes.
  out.write(0, 3);
  const green = writeCode(out, stats.green);
  for (let channel = 0; channel < 3; channel++) {
    writeZeroCode(out);
  }
  // Distances: 0 is above, 1 is to the left; a simple code of both, with one bit each.
  out.write(0b1, 1);
  out.write(0b1, 1);
  out.write(0b0, 1);
  out.write(0, 1);
  out.write(1, 8);
  walk(source, {
    literal: (byte) => writeSymbol(out, green, byte),
    copy(length, isFromAbove) {
      const { symbol, extra, extraBits } = lengthPrefix(length);
      writeSymbol(out, green, symbol);
      out.write(extra, extraBits);
      out.write(isFromAbove ? 0 : 1, 1);
    },
  });
  return out.finish();
}

interface Stats {
  readonly green: Uint32Array;
  /** Its approximate size in bits. */
  readonly cost: number;
}

function measure(plane: Plane): Stats {
  const green = new Uint32Array(GREEN_SYMBOLS);
  let extras = 0;
  walk(plane, {
    literal: (byte) => void (green[byte] = (green[byte] ?? 0) + 1),
    copy(length) {
      const { symbol, extraBits } = lengthPrefix(length);
      green[symbol] = (green[symbol] ?? 0) + 1;
      extras += extraBits + 1;
    },
  });
  const total = green.reduce((sum, count) => sum + count, 0);
  const entropy = green.reduce(
    (sum, count) => (count === 0 ? sum : sum - count * Math.log2(count / total)),
    0,
  );
  return { green, cost: entropy + extras };
}

/** Greedy: the longer repetition of the left pixel or of the row above, else the byte itself. */
function walk({ bytes, width }: Plane, sink: Sink): void {
  for (let at = 0; at < bytes.length;) {
    const left = at === 0 ? 0 : runLength(bytes, at, 1);
    const above = at < width || left === COPY_MAX ? 0 : runLength(bytes, at, width);
    const longest = Math.max(left, above);
    if (longest < COPY_MIN) {
      sink.literal(bytes[at++] ?? 0);
    } else {
      sink.copy(longest, above > left);
      at += longest;
    }
  }
}

function runLength(bytes: Uint8Array, at: number, distance: number): number {
  const end = Math.min(bytes.length, at + COPY_MAX);
  let place = at;
  while (place < end && bytes[place] === bytes[place - distance]) {
    place++;
  }
  return place - at;
}

/**
 * Difference of each byte from left + above - above left, clamped (the gradient filter of ALPH).
 */
function predict({ bytes, width }: Plane): Plane {
  const out = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    const x = at % width;
    const left = x === 0 ? 0 : (bytes[at - 1] ?? 0);
    const above = at < width ? 0 : (bytes[at - width] ?? 0);
    const corner = x === 0 || at < width ? 0 : (bytes[at - width - 1] ?? 0);
    // In the first row and column there is only one neighbor.
    const guess = at < width ? left : x === 0 ? above : left + above - corner;
    out[at] = (bytes[at] ?? 0) - Math.min(255, Math.max(0, guess));
  }
  return { bytes: out, width };
}

function lengthPrefix(length: number): { symbol: number; extra: number; extraBits: number } {
  const value = length - 1;
  if (value < 4) {
    return { symbol: 256 + value, extra: 0, extraBits: 0 };
  }
  const high = 31 - Math.clz32(value);
  const extraBits = high - 1;
  const second = (value >>> extraBits) & 1;
  return { symbol: 256 + 2 * high + second, extra: value & ((1 << extraBits) - 1), extraBits };
}

function writeSymbol(out: BitWriter, { codes, lengths }: PrefixCode, symbol: number): void {
  out.write(codes[symbol] as number, lengths[symbol] as number);
}

/** A simple code with the single symbol 0, which needs no bits. */
function writeZeroCode(out: BitWriter): void {
  out.write(0b0001, 4);
}

function writeCode(out: BitWriter, counts: Uint32Array): PrefixCode {
  const used = [...counts.keys()].filter((symbol) => (counts[symbol] ?? 0) > 0);
  const [only = 0] = used;
  if (used.length === 1) {
    // Simple, one symbol of 8 bits: the first one is always a literal byte.
    out.write(0b101, 3);
    out.write(only, 8);
    return { lengths: new Uint8Array(GREEN_SYMBOLS), codes: new Uint16Array(GREEN_SYMBOLS) };
  }
  const code = prefixCode(counts, CODE_BITS_MAX);
  const lengthCounts = new Uint32Array(LENGTH_CODE_ORDER.length);
  for (const length of code.lengths) {
    lengthCounts[length] = (lengthCounts[length] ?? 0) + 1;
  }
  // Codes of one length only: a second code, never used, completes the prefix code.
  const distinct = lengthCounts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  if (distinct === 1) {
    lengthCounts[0] = 1;
  }
  const lengthCode = prefixCode(lengthCounts, LENGTH_CODE_BITS_MAX);
  out.write(0, 1);
  out.write(LENGTH_CODE_ORDER.length - 4, 4);
  for (const length of LENGTH_CODE_ORDER) {
    out.write(lengthCode.lengths[length] ?? 0, 3);
  }
  // The lengths of all symbols follow.
  out.write(0, 1);
  for (const length of code.lengths) {
    writeSymbol(out, lengthCode, length);
  }
  return code;
}

/** Writes bits to bytes, the least significant first. */
class BitWriter {
  readonly #out = new ByteWriter();
  #held = 0;
  #heldBits = 0;

  /** At most 16 bits. */
  write(value: number, count: number): void {
    this.#held |= value << this.#heldBits;
    this.#heldBits += count;
    while (this.#heldBits >= 8) {
      this.#out.put(this.#held & 255);
      this.#held >>>= 8;
      this.#heldBits -= 8;
    }
  }

  finish(): Uint8Array[] {
    if (this.#heldBits > 0) {
      this.#out.put(this.#held & 255);
    }
    return this.#out.take();
  }
}
