import { describe, expect, it } from "vitest";
import { boxPath, type Path } from "../../../../src/images/vector/path.ts";
import { coverPath } from "../../../../src/images/vector/cover-path.ts";

const area = (path: Path): number =>
  coverPath(path).alpha.reduce((sum, alpha) => sum + alpha, 0) / 255;

describe("coverPath", () => {
  it("covers whole pixels completely and half pixels by half", () => {
    const { alpha, left, width, height } = coverPath(boxPath(2, 1, 2.5, 1, [0, 0, 0, 0]));
    expect([left, width, height]).toEqual([2, 3, 1]);
    expect([...alpha]).toEqual([255, 255, 128]);
  });

  it("covers the geometric area, at any position of the shape", () => {
    for (const shift of [0, 0.25, 0.61]) {
      expect(area(boxPath(shift, shift, 20, 20, [10, 10, 10, 10]))).toBeCloseTo(
        Math.PI * 100,
        -0.5,
      );
      expect(
        area([["M", shift, 0], ["L", shift + 30, 7], ["L", shift + 5, 21], ["Z"]]),
      ).toBeCloseTo(0.5 * Math.abs(30 * 21 - 5 * 7), 0);
    }
  });

  it("leaves holes empty", () => {
    const ring: Path = [
      ...boxPath(0, 0, 7, 7, [0, 0, 0, 0]),
      ...boxPath(1, 1, 5, 5, [0, 0, 0, 0], true),
    ];
    expect(area(ring)).toBe(24);
    const leaf: Path = [
      ...boxPath(0, 0, 70, 70, [0, 30, 0, 30]),
      ...boxPath(10, 10, 50, 50, [0, 20, 0, 20], true),
    ];
    // The rounded corners of the hole are inside those of the frame.
    const corner = (radius: number) => 2 * radius ** 2 * (1 - Math.PI / 4);
    expect(area(leaf)).toBeCloseTo(4_900 - corner(30) - (2_500 - corner(20)), -1);
    expect(coverPath(leaf).alpha[30 * 70 + 30]).toBe(0);
  });

  it("covers nothing for an empty path", () => {
    expect(coverPath([]).alpha).toHaveLength(0);
  });
});
