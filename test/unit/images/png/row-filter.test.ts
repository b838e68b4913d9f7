/** The filters of PNG, judged one byte at a time by the formulas of its specification. */
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { RowFilter } from "../../../../src/images/png/row-filter.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

/** Gradients with grain, and each third row like the one above it. */
function picture(width: number, height: number): Uint8ClampedArray {
  const rgba = new Uint8ClampedArray(width * height * 4);
  let state = width;
  for (let at = 0; at < rgba.length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    const [x, y] = [(at >> 2) % width, Math.floor(at / 4 / width)];
    const isCopy = y > 0 && y % 3 === 0;
    rgba[at] = isCopy
      ? rgba[at - width * 4]!
      : (x * 9 * (y % 5) + y * 13 * (at & 3) + (state >> 16) * 0.0002) & 255;
  }
  return rgba;
}

/** A row as each filter that we use leaves it, by the filter's number, in our order of preference. */
function filtered(row: readonly number[], above: readonly number[], step: number) {
  const left = (i: number) => row[i - step] ?? 0;
  const paeth = (i: number) => {
    const [a, b, c] = [left(i), above[i]!, above[i - step] ?? 0];
    const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
  };
  const less = (prediction: (i: number) => number) =>
    row.map((value, i) => (value - prediction(i)) & 255);
  return [
    [2, less((i) => above[i]!)],
    [1, less(left)],
    [4, less(paeth)],
  ] as const;
}

const size = (bytes: readonly number[]) =>
  bytes.reduce((sum, byte) => sum + Math.min(byte, 256 - byte), 0);

/** The last four bytes of zlib's own stream. */
const zlibChecksum = (bytes: Uint8Array) => deflateSync(bytes).subarray(-4).readUInt32BE();

describe("RowFilter", () => {
  it.each([
    [1, 3],
    [2, 4],
    [5, 3],
    [16, 4],
    [21, 3],
    [23, 4],
    [64, 3],
  ] as const)(
    "filters rows of %d px with %d bytes a pixel by the smallest sum of differences",
    (width, channels) => {
      const height = 41;
      const rgba = picture(width, height);
      const filter = new RowFilter(imageCodecs.pixels, width, height, channels, 600);
      const bytes: number[] = [];
      let sum = 1;
      const take = (stripe: Uint8Array) => {
        bytes.push(...stripe);
        sum = filter.checksum(stripe, sum);
      };
      for (const part of [rgba.subarray(0, width * 28), rgba.subarray(width * 28)]) {
        for (const stripe of filter.add(part)) {
          take(stripe);
        }
      }
      take(filter.rest());
      const expected: number[] = [];
      let above = Array.from({ length: width * channels }, () => 0);
      for (let y = 0; y < height; y++) {
        const row = [...rgba.subarray(y * width * 4, (y + 1) * width * 4)].filter(
          (_, i) => i % 4 < channels,
        );
        const tried = filtered(row, above, channels);
        const least = Math.min(...tried.map(([, differences]) => size(differences)));
        const [number, best] = tried.find(([, differences]) => size(differences) === least)!;
        expected.push(number, ...best);
        above = row;
      }
      expect(bytes).toEqual(expected);
      expect(sum).toBe(zlibChecksum(Uint8Array.from(bytes)));
    },
  );

  it("sums bytes of any length as zlib does", () => {
    const filter = new RowFilter(imageCodecs.pixels, 3_000, 1, 4, 1);
    const rgba = new Uint8ClampedArray(12_000).fill(255);
    expect([...filter.add(rgba)]).toEqual([]);
    const rest = filter.rest();
    rest.fill(255);
    for (const length of [0, 1, 15, 16, 17, 4_095, 4_096, 4_097, 12_001]) {
      const part = rest.subarray(0, length);
      expect(filter.checksum(part, 1), `${length} bytes`).toBe(zlibChecksum(part));
    }
  });
});
