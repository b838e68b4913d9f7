import { describe, expect, it } from "vitest";
import { median, quantile, spread, tail } from "../../../bench/statistics.ts";

describe("statistics", () => {
  it("interpolates a quantile between the adjacent samples, in any order of samples", () => {
    expect(quantile([40, 10, 30, 20], 0)).toBe(10);
    expect(quantile([40, 10, 30, 20], 1)).toBe(40);
    expect(quantile([40, 10, 30, 20], 0.5)).toBe(25);
    expect(quantile([40, 10, 30, 20], 0.25)).toBe(17.5);
    expect(quantile([7], 0.99)).toBe(7);
  });

  it("has no quantile without samples", () => {
    expect(() => median([])).toThrow(RangeError);
  });

  it("returns the samples of a spread in order, to four digits", () => {
    expect(spread([3.14159, 100_000.4, 0.000123456])).toEqual({
      median: 3.14159,
      low: expect.closeTo(1.5708, 3) as number,
      high: expect.closeTo(50_001.77, 1) as number,
      count: 3,
      samples: [3.142, 100_000, 0.0001235],
    });
  });

  it("shows one quantile of many samples as a separate figure", () => {
    const samples = Array.from({ length: 101 }, (_, i) => i);
    expect(tail(samples, 0.99)).toMatchObject({ median: 99, low: 99, high: 99, count: 101 });
  });
});
