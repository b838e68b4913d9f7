/** Boxes of ISO base media files (ISO/IEC 14496-12). */
import type { GrowingNumbers } from "../growing-numbers.ts";

/** A box with these contents after its head. */
export function box(type: string, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return joinBytes(boxHead(type, sizeOf(parts) + 8), ...parts);
}

/** A box that begins with a version and flags. */
export function fullBox(
  type: string,
  version: number,
  flags: number,
  ...parts: readonly Uint8Array[]
): Uint8Array<ArrayBuffer> {
  return box(type, u32((version << 24) | flags), ...parts);
}

/** The head of a box whose contents are written elsewhere; `size` includes the head. */
export function boxHead(type: string, size: number): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(8);
  head.set(u32(size));
  head.set(text(type), 4);
  return head;
}

/** One part after another. */
export function joinBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeOf(parts));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

/** Big-endian numbers of 32 bits, of which only the lower bits are taken. */
export function u32(...values: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => {
    view.setUint32(index * 4, value);
  });
  return bytes;
}

/** Numbers of 64 bits, which may be negative. */
export function u64(...values: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.length * 8);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => {
    view.setBigInt64(index * 8, BigInt(value));
  });
  return bytes;
}

export function u16(...values: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.length * 2);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => {
    view.setUint16(index * 2, value);
  });
  return bytes;
}

/** Characters of one byte each. */
export function text(characters: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}

/** The transformation that changes nothing. */
export const UNITY_MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/** A part of a file that is made piece by piece when it is written, because it may be long. */
export interface LazyPart {
  readonly byteLength: number;
  /** Pieces of `byteLength` bytes in all. Each is used before the next one is made. */
  pieces(): Iterable<Uint8Array>;
}

export type BoxPart = Uint8Array | LazyPart;

/** A box with parts that are made when it is written. */
export function lazyBox(type: string, ...parts: readonly BoxPart[]): LazyPart {
  const byteLength = sizeOf(parts) + 8;
  return {
    byteLength,
    *pieces() {
      yield boxHead(type, byteLength);
      for (const part of parts) {
        if (part instanceof Uint8Array) {
          yield part;
        } else {
          yield* part.pieces();
        }
      }
    },
  };
}

/** A lazy box that begins with a version and flags. */
export function lazyFullBox(
  type: string,
  version: number,
  flags: number,
  ...parts: readonly BoxPart[]
): LazyPart {
  return lazyBox(type, u32((version << 24) | flags), ...parts);
}

const PIECE_NUMBERS = 16_384;

/** Numbers of 32 bits, converted piece by piece. */
export function lazyNumbers(numbers: GrowingNumbers): LazyPart {
  return { byteLength: numbers.count * 4, pieces: () => numberPieces(numbers.values()) };
}

/** Big-endian numbers of 32 bits in pieces. */
export function* numberPieces(values: Iterable<number>): Generator<Uint8Array> {
  let view = new DataView(new ArrayBuffer(PIECE_NUMBERS * 4));
  let filled = 0;
  for (const value of values) {
    if (filled === PIECE_NUMBERS * 4) {
      yield new Uint8Array(view.buffer);
      view = new DataView(new ArrayBuffer(PIECE_NUMBERS * 4));
      filled = 0;
    }
    view.setUint32(filled, value);
    filled += 4;
  }
  yield new Uint8Array(view.buffer, 0, filled);
}

const ZEROS = new Uint8Array(16_384);

/** Zeros, which are not held. */
export function lazyZeros(byteLength: number): LazyPart {
  return {
    byteLength,
    *pieces() {
      for (let left = byteLength; left > 0; left -= ZEROS.byteLength) {
        yield ZEROS.subarray(0, left);
      }
    },
  };
}

function sizeOf(parts: readonly BoxPart[]): number {
  return parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
