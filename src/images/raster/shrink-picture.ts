import { type Picture, type Raster, readRaster } from "./raster.ts";

/**
 * The picture with a longest side of at most `side` px, created while its rows are read: each new
 * pixel is the average of the area that it covers, in premultiplied color, like in `fitRaster`.
 */
export async function shrinkPicture(picture: Picture, side: number): Promise<Raster> {
  const factor = side / Math.max(picture.width, picture.height);
  if (factor >= 1) {
    return readRaster(picture);
  }
  const width = Math.max(1, Math.round(picture.width * factor));
  const height = Math.max(1, Math.round(picture.height * factor));
  const rgba = new Uint8ClampedArray(width * height * 4);
  const columns = new RowSums(picture.width, width);
  const step = picture.height / height;
  let y = 0;
  let row = 0;
  for await (const stripe of picture.stripes()) {
    for (let at = 0; at < stripe.length; at += picture.width * 4, row++) {
      // A row may belong to two new rows, or to more if they are thinner.
      while (y < height && (y + 1) * step <= row + 1 + 1e-9) {
        columns.add(stripe, at, (y + 1) * step - Math.max(row, y * step));
        columns.take(rgba, y * width * 4);
        y++;
      }
      if (y < height) {
        columns.add(stripe, at, row + 1 - Math.max(row, y * step));
      }
    }
  }
  return { rgba, width, height };
}

/** Sums for a row of new pixels: colors times alpha, alphas, and the area. */
class RowSums {
  readonly #sums: Float64Array;
  readonly #step: number;
  readonly #sourceWidth: number;
  #area = 0;

  constructor(sourceWidth: number, width: number) {
    this.#sums = new Float64Array(width * 4);
    this.#step = sourceWidth / width;
    this.#sourceWidth = sourceWidth;
  }

  add(rgba: Uint8ClampedArray, start: number, share: number): void {
    if (share <= 1e-9) {
      return;
    }
    this.#area += share;
    const sums = this.#sums;
    const step = this.#step;
    for (let x = 0; x < this.#sourceWidth; x++) {
      const at = start + x * 4;
      for (let to = Math.floor(x / step); to * step < x + 1 && to * 4 < sums.length; to++) {
        const part = Math.min(x + 1, (to + 1) * step) - Math.max(x, to * step);
        const alpha = (rgba[at + 3] as number) * share * part;
        sums[to * 4] = (sums[to * 4] as number) + (rgba[at] as number) * alpha;
        sums[to * 4 + 1] = (sums[to * 4 + 1] as number) + (rgba[at + 1] as number) * alpha;
        sums[to * 4 + 2] = (sums[to * 4 + 2] as number) + (rgba[at + 2] as number) * alpha;
        sums[to * 4 + 3] = (sums[to * 4 + 3] as number) + alpha;
      }
    }
  }

  /** Writes the row and begins the next one. */
  take(out: Uint8ClampedArray, start: number): void {
    const sums = this.#sums;
    for (let at = 0; at < sums.length; at += 4) {
      const alpha = sums[at + 3] as number;
      if (alpha > 0) {
        out[start + at] = (sums[at] as number) / alpha;
        out[start + at + 1] = (sums[at + 1] as number) / alpha;
        out[start + at + 2] = (sums[at + 2] as number) / alpha;
        out[start + at + 3] = alpha / (this.#area * this.#step);
      }
    }
    sums.fill(0);
    this.#area = 0;
  }
}
