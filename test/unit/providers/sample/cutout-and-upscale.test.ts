import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Raster, rasterPicture, readRaster } from "../../../../src/images/raster/raster.ts";
import { resamplePicture } from "../../../../src/images/raster/resample-picture.ts";
import { cutOut } from "../../../../src/providers/sample/cutout/cut-out.ts";
import { psnr } from "../../../support/images/judge-picture.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

type Color = readonly [number, number, number];

/** A picture whose colors follow from the position. */
function paint(width: number, height: number, colorAt: (x: number, y: number) => Color): Raster {
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < width * height; i++) {
    rgba.set([...colorAt(i % width, Math.floor(i / width)), 255], i * 4);
  }
  return { rgba, width, height };
}

const BLUE: Color = [40, 90, 200];
const RED: Color = [200, 40, 30];

/** A ring on a slightly uneven background, with soft edges. */
function ring(size: number): Raster {
  return paint(size, size, (x, y) => {
    const distance = Math.hypot(x - size / 2, y - size / 2) / size;
    const share = Math.min(1, Math.max(0, (0.1 - Math.abs(distance - 0.25)) * size * 0.5 + 0.5));
    const ground = BLUE.map((part) => part + ((x + y) % 7) - 3);
    return ground.map((part, i) => part + (RED[i]! - part) * share) as unknown as Color;
  });
}

const alphaAt = ({ rgba, width }: Raster, x: number, y: number) => rgba[(y * width + x) * 4 + 3];

describe("the sample cutout", () => {
  test("makes the border's color transparent where it reaches, with soft edges", async () => {
    const source = ring(120);
    const result = await readRaster(await cutOut(() => Promise.resolve(rasterPicture(source))));
    expect([result.width, result.height]).toEqual([120, 120]);
    expect(alphaAt(result, 0, 0)).toBe(0);
    expect(alphaAt(result, 60, 3)).toBe(0);
    expect(alphaAt(result, 60, 30)).toBe(255);
    expect([...result.rgba.subarray((30 * 120 + 60) * 4, (30 * 120 + 60) * 4 + 3)]).toEqual([
      ...RED,
    ]);
    // The same color inside of the ring is not reached.
    expect(alphaAt(result, 60, 60)).toBe(255);
    const alphas = Array.from({ length: 30 }, (_, y) => alphaAt(result, 60, y)!);
    expect(alphas).toEqual(alphas.toSorted((a, b) => a - b));
    expect(alphas.some((alpha) => alpha > 20 && alpha < 235)).toBe(true);
  });

  test("keeps a foreground of any other color that touches the border", async () => {
    const source = paint(64, 64, (x) => (x > 40 ? RED : BLUE));
    const result = await readRaster(await cutOut(() => Promise.resolve(rasterPicture(source))));
    expect(alphaAt(result, 10, 32)).toBe(0);
    expect(alphaAt(result, 60, 32)).toBe(255);
  });

  test("is the same each time", async () => {
    const open = () => Promise.resolve(rasterPicture(ring(50)));
    const hash = async () =>
      createHash("sha256")
        .update((await readRaster(await cutOut(open))).rgba)
        .digest("hex")
        .slice(0, 16);
    const first = await hash();
    expect(await hash()).toBe(first);
    expect(first).toMatchInlineSnapshot(`"3877d4a527b44a99"`);
  });
});

/** Lanczos with 3 lobes by its formula, on an opaque picture. */
function lanczosByFormula({ rgba, width, height }: Raster, scale: number): Raster {
  const kernel = (t: number) =>
    t === 0
      ? 1
      : Math.abs(t) >= 3
        ? 0
        : (3 * Math.sin(Math.PI * t) * Math.sin((Math.PI * t) / 3)) / (Math.PI * t) ** 2;
  const taps = (position: number, count: number) => {
    const center = (position + 0.5) / scale - 0.5;
    const indexes = Array.from({ length: 6 }, (_, i) => Math.floor(center) - 2 + i);
    const weights = indexes.map((index) => kernel(index - center));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return indexes.map((index, i) => ({
      index: Math.min(count - 1, Math.max(0, index)),
      weight: weights[i]! / sum,
    }));
  };
  const large = new Uint8ClampedArray(width * scale * height * scale * 4);
  for (let y = 0; y < height * scale; y++) {
    const rows = taps(y, height);
    for (let x = 0; x < width * scale; x++) {
      const columns = taps(x, width);
      for (let channel = 0; channel < 4; channel++) {
        let value = 0;
        for (const row of rows) {
          for (const column of columns) {
            value +=
              rgba[(row.index * width + column.index) * 4 + channel]! * row.weight * column.weight;
          }
        }
        large[(y * width * scale + x) * 4 + channel] = value;
      }
    }
  }
  return { rgba: large, width: width * scale, height: height * scale };
}

describe("the sample upscaling", () => {
  test.each([2, 4] as const)(
    "by %d has exactly that size and the pixels of Lanczos 3",
    async (scale) => {
      const source = paint(19, 13, (x, y) => [x * 12, y * 18, 128 + 100 * Math.sin((x * y) / 60)]);
      const large = await readRaster(
        resamplePicture(imageCodecs.pixels, rasterPicture(source), {
          width: 19 * scale,
          height: 13 * scale,
        }),
      );
      expect([large.width, large.height]).toEqual([19 * scale, 13 * scale]);
      expect(psnr(large, lanczosByFormula(source, scale))).toBeGreaterThan(50);
      expect(
        psnr(
          large,
          lanczosByFormula(
            paint(19, 13, () => BLUE),
            scale,
          ),
        ),
      ).toBeLessThan(20);
    },
  );
});
