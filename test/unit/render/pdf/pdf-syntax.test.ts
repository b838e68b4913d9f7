import { describe, expect, it } from "vitest";
import { factor, multiply, num } from "../../../../src/render/pdf/pdf-syntax.ts";

describe("numbers of a PDF", () => {
  it.each([
    [0, "0"],
    [-0.0004, "0"],
    [0.5, ".5"],
    [-0.25, "-.25"],
    [595.2756, "595.276"],
    [-14_400, "-14400"],
    [1e300, "1000000000000000"],
    [-1e21, "-1000000000000000"],
  ])("writes %d as %s", (value, text) => {
    expect(num(value)).toBe(text);
  });

  it("keeps six decimals of factors, without an exponent", () => {
    expect(factor(0.000_001_4)).toBe(".000001");
    expect(factor(1 / 3)).toBe(".333333");
  });

  it("multiplies matrices without an overflow", () => {
    const huge = [1e308, 1e308, -1e308, 1e308, 1e308, -1e308] as const;
    const product = multiply(multiply(huge, huge), huge);
    expect(product.filter((value) => !(Math.abs(value) <= 1e15))).toEqual([]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "throws for %d, which no reader understands",
    (value) => {
      expect(() => num(value)).toThrow(RangeError);
      expect(() => factor(value)).toThrow(RangeError);
    },
  );
});
