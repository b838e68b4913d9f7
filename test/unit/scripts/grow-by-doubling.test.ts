import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { compileFunction } from "node:vm";
import { describe, expect, it } from "vitest";
import { growByDoubling } from "../../../scripts/grow-by-doubling.ts";

const source = readFileSync(createRequire(import.meta.url).resolve("miniflare"), "utf8");

describe("the encoder's buffer", () => {
  it("grows like the installed Miniflare's unless it is set to double", () => {
    expect(growByDoubling(source)).not.toBe(source);
  });

  it("is copied about once for each byte, with requests of any size", () => {
    const name = "function allocate$1(minSize, segments, s)";
    const from = source.indexOf(name);
    const text = source.slice(from, source.indexOf("\n}\n", from) + 3);
    expect(copiedBytes(text)).toBeGreaterThan(100 * TOTAL);
    expect(copiedBytes(growByDoubling(text))).toBeLessThan(2 * TOTAL);
  });

  it("is left unchanged in a version with other code", () => {
    const other = "s.buffer = grow(s.buffer);";
    expect(growByDoubling(other)).toBe(other);
  });
});

const TOTAL = 2 ** 20;

/**
 * Number of bytes that the function copies until the segment has a mebibyte, requested in pieces of
 * 8 bytes.
 */
function copiedBytes(text: string): number {
  const allocate = compileFunction(`${text}; return allocate$1;`, [
    "MIN_SINGLE_SEGMENT_GROWTH",
    "padToWord$1",
    "ArenaAllocationResult",
  ])(4096, (bytes: number) => bytes, class {}) as (
    minSize: number,
    segments: readonly unknown[],
    arena: { buffer: ArrayBuffer },
  ) => void;
  const arena = { buffer: new ArrayBuffer(4096) };
  let copied = 0;
  while (arena.buffer.byteLength < TOTAL) {
    copied += arena.buffer.byteLength;
    allocate(8, [], arena);
  }
  return copied;
}
