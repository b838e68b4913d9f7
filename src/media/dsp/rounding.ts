import type { AudioBlock } from "../audio-block.ts";

/** Bits of an integer sample. */
export type IntegerDepth = 16 | 24;

/**
 * Adding this to a double of at most 51 bits and subtracting it again rounds to the nearest integer, halves to even,
 * which is the rounding of the processor.
 */
const ROUNDER = 1.5 * 2 ** 52;

/**
 * Writes a block as interleaved integers: each sample times
 * 2^(depth − 1), rounded to nearest, halves to even, and clamped. NaN becomes 0. `out` has room for frames × channels.
 */
export function roundBlock(
  block: AudioBlock,
  depth: IntegerDepth,
  out: Int16Array | Int32Array,
): void {
  const channels = block.length;
  const scale = 2 ** (depth - 1);
  const max = scale - 1;
  for (let channel = 0; channel < channels; channel++) {
    const samples = block[channel] as Float32Array;
    for (let i = 0, at = channel; i < samples.length; i++, at += channels) {
      let value = (samples[i] as number) * scale;
      value = value > max ? max : value < -scale ? -scale : value;
      out[at] = value + ROUNDER - ROUNDER;
    }
  }
}

/** Writes integers as little-endian bytes, `depth` / 8 for each. Returns the number of bytes. */
export function packIntegers(
  integers: Int16Array | Int32Array,
  count: number,
  depth: IntegerDepth,
  out: Uint8Array,
): number {
  if (depth === 16) {
    for (let i = 0, at = 0; i < count; i++, at += 2) {
      const value = integers[i] as number;
      out[at] = value;
      out[at + 1] = value >> 8;
    }
    return count * 2;
  }
  for (let i = 0, at = 0; i < count; i++, at += 3) {
    const value = integers[i] as number;
    out[at] = value;
    out[at + 1] = value >> 8;
    out[at + 2] = value >> 16;
  }
  return count * 3;
}
