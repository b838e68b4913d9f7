import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitSize } from "../../../../src/images/raster/fit-size.ts";

const size = (width: number, height: number) => ({ width, height });

describe("fitSize", () => {
  it.each([
    // from, box, expected
    [size(300, 200), { width: 150 }, size(150, 100)],
    [size(300, 200), { height: 50 }, size(75, 50)],
    // 1.5 px is rounded up, 1.49 px down, and 0.01 px is one pixel.
    [size(200, 3), { width: 100 }, size(100, 2)],
    [size(201, 3), { width: 100 }, size(100, 1)],
    [size(8_000, 1), { width: 100 }, size(100, 1)],
  ])("keeps the proportions of %o with %o alone", (from, box, expected) => {
    for (const fit of ["contain", "cover", "stretch", "inside"] as const) {
      expect(fitSize(from, box, fit)).toMatchObject({ scaled: expected, canvas: expected });
    }
  });

  it.each([
    // A wide picture in a square, a tall one, an odd rest, and one that is enlarged.
    [size(400, 100), size(200, 200), size(200, 50), 0, 75],
    [size(100, 400), size(200, 200), size(50, 200), 75, 0],
    [size(3, 2), size(10, 10), size(10, 7), 0, 1],
    [size(10, 10), size(25, 20), size(20, 20), 2, 0],
  ])("contains %o in %o as %o at %d, %d", (from, box, scaled, left, top) => {
    const whole = { left: 0, top: 0, ...scaled };
    expect(fitSize(from, box, "contain")).toEqual({
      scaled,
      window: whole,
      canvas: box,
      left,
      top,
    });
    expect(fitSize(from, box, "inside")).toMatchObject({ scaled, canvas: scaled, left: 0, top: 0 });
  });

  it.each([
    [size(400, 100), size(200, 200), size(800, 200), 300, 0],
    [size(100, 400), size(200, 200), size(200, 800), 0, 300],
    [size(3, 2), size(10, 10), size(15, 10), 2, 0],
  ])("covers: %o in %o is scaled to %o and cropped at %d, %d", (from, box, scaled, left, top) => {
    expect(fitSize(from, box, "cover")).toMatchObject({
      scaled,
      window: { left, top, ...box },
      canvas: box,
    });
  });

  it("never returns a window outside of the scaled picture, nor a picture outside of the canvas", () => {
    const side = fc.integer({ min: 1, max: 8_192 });
    fc.assert(
      fc.property(
        side,
        side,
        side,
        side,
        fc.constantFrom("contain", "cover", "stretch", "inside"),
        (w, h, width, height, fit) => {
          const { scaled, window, canvas, left, top } = fitSize(size(w, h), { width, height }, fit);
          expect(window.left).toBeGreaterThanOrEqual(0);
          expect(window.top).toBeGreaterThanOrEqual(0);
          expect(window.left + window.width).toBeLessThanOrEqual(scaled.width);
          expect(window.top + window.height).toBeLessThanOrEqual(scaled.height);
          expect(left + window.width).toBeLessThanOrEqual(canvas.width);
          expect(top + window.height).toBeLessThanOrEqual(canvas.height);
          expect(Math.min(left, top)).toBeGreaterThanOrEqual(0);
          if (fit !== "inside") {
            expect(canvas).toEqual({ width, height });
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
