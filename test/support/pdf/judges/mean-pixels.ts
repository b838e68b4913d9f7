import type { Raster } from "../../../../src/images/raster/raster.ts";

/**
 * Along each side of a pixel of 150 dpi. Readers begin glyphs, lines and rectangles at whole pixels of what they draw, each in its
 * own way; with 16 samples these pixels are 42 µm wide, and the means show what covers a pixel of the page.
 */
export const SAMPLES = 4;

/** A channel of two means that differs by this much, a quarter of its range, differs. */
export const MEAN_DIFFERENCE_MIN = 64;

/**
 * The means of `samples` × `samples` pixels of a drawing, so that it has 1 / `samples` of its width and height. Rows and columns
 * beyond the last whole pixel are left out.
 */
export function meanPixels(drawing: Raster, samples: number): Raster {
  const width = Math.floor(drawing.width / samples);
  const height = Math.floor(drawing.height / samples);
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    const sums = new Float64Array(width * 4);
    for (let row = y * samples; row < (y + 1) * samples; row += 1) {
      for (let x = 0; x < width * samples; x += 1) {
        const [from, to] = [(row * drawing.width + x) * 4, Math.floor(x / samples) * 4];
        for (let channel = 0; channel < 4; channel += 1) {
          sums[to + channel] = (sums[to + channel] ?? 0) + (drawing.rgba[from + channel] ?? 0);
        }
      }
    }
    for (const [at, sum] of sums.entries()) {
      // A clamped array rounds what is written to it.
      rgba[y * width * 4 + at] = sum / samples ** 2;
    }
  }
  return { width, height, rgba };
}

/** The share of pixels of which a channel differs by at least `differenceMin`. Throws if the sizes differ. */
export function differentMeans(a: Raster, b: Raster, differenceMin = MEAN_DIFFERENCE_MIN): number {
  if (b.width !== a.width || b.height !== a.height) {
    throw new Error(`The pages measure ${a.width} × ${a.height} and ${b.width} × ${b.height}.`);
  }
  const pixels = a.width * a.height;
  let count = 0;
  for (let at = 0; at < pixels * 4; at += 4) {
    const differs = [at, at + 1, at + 2].some(
      (channel) => Math.abs((a.rgba[channel] ?? 0) - (b.rgba[channel] ?? 0)) >= differenceMin,
    );
    count += differs ? 1 : 0;
  }
  return count / pixels;
}
