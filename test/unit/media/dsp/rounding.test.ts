import { describe, expect, it } from "vitest";
import { packIntegers, roundBlock } from "../../../../src/media/dsp/rounding.ts";

function rounded(values: readonly number[], depth: 16 | 24): number[] {
  const out = new Int32Array(values.length);
  roundBlock([Float32Array.from(values)], depth, out);
  return [...out];
}

describe("samples that become integers", () => {
  it("are rounded to the nearest, and halves to even", () => {
    const steps = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49, -0.51, 3.5001];
    for (const depth of [16, 24] as const) {
      const values = steps.map((step) => step / 2 ** (depth - 1));
      expect(rounded(values, depth).map((value) => value + 0)).toEqual([
        -2, -2, 0, 0, 2, 2, 0, -1, 4,
      ]);
    }
  });

  it("are clamped, not wrapped, and NaN is silence", () => {
    const values = [
      1,
      -1,
      1.5,
      -1.5,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NaN,
    ];
    expect(rounded(values, 16)).toEqual([32767, -32768, 32767, -32768, 32767, -32768, 0]);
    expect(rounded(values, 24)).toEqual([
      8388607, -8388608, 8388607, -8388608, 8388607, -8388608, 0,
    ]);
  });

  it("are the same integers again if they were integers of as many bits", () => {
    const all = Float32Array.from({ length: 65_536 }, (_, i) => (i - 32_768) / 32_768);
    const out = new Int16Array(65_536);
    roundBlock([all], 16, out);
    expect(out.every((value, i) => value === i - 32_768)).toBe(true);
    const deep = Float32Array.from(
      { length: 65_536 },
      (_, i) => (i * 256 - 8_388_608 + 77) / 2 ** 23,
    );
    const wide = new Int32Array(65_536);
    roundBlock([deep], 24, wide);
    expect(wide.every((value, i) => value === i * 256 - 8_388_608 + 77)).toBe(true);
  });

  it("are interleaved, and packed with the lowest byte first", () => {
    const out = new Int32Array(4);
    const unit = 2 ** -23;
    roundBlock([Float32Array.of(unit, -unit), Float32Array.of(0x10203 * unit, -1)], 24, out);
    expect([...out]).toEqual([1, 0x10203, -1, -8388608]);
    const bytes = new Uint8Array(12);
    expect(packIntegers(out, 4, 24, bytes)).toBe(12);
    expect([...bytes]).toEqual([1, 0, 0, 3, 2, 1, 255, 255, 255, 0, 0, 128]);
    expect(packIntegers(Int32Array.of(-2, 0x1234), 2, 16, bytes)).toBe(4);
    expect([...bytes.subarray(0, 4)]).toEqual([254, 255, 0x34, 0x12]);
  });
});
