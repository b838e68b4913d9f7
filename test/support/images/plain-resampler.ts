/** Scaling as docs/contract/pictures.md#scaling has it, one sample at a time with whole numbers. */
import type { Raster } from "../../../src/images/raster/raster.ts";
import { lanczosTable } from "../../../src/images/raster/lanczos-table.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A picture scaled to a size; judges the vectors of wasm/pixels/scale.c, which take four pixels at once. */
export function scaledPlainly({ rgba, width, height }: Raster, to: Size): Raster {
  const boxOf = (step: number) => Math.max(1, Math.floor(step / 2));
  const [boxWidth, boxHeight] = [boxOf(width / to.width), boxOf(height / to.height)];
  const columns = Math.ceil(width / boxWidth);
  const rows = Math.ceil(height / boxHeight);
  const isOpaque = rgba.every((value, at) => at % 4 < 3 || value === 255);
  /** The mean of a box, with 16 bits. */
  const mean = (row: number, column: number, channel: number) => {
    const [endX, endY] = [
      Math.min(width, (column + 1) * boxWidth),
      Math.min(height, (row + 1) * boxHeight),
    ];
    let [sum, count] = [0, 0];
    for (let y = row * boxHeight; y < endY; y++) {
      for (let x = column * boxWidth; x < endX; x++, count++) {
        const at = (y * width + x) * 4;
        const value = channel === 3 ? 255 : rgba[at + channel]!;
        sum += value * (isOpaque ? 256 : rgba[at + 3]!);
      }
    }
    return Math.floor(sum / count + 0.5);
  };
  const across = lanczosTable(columns, width / to.width / boxWidth, 0, to.width);
  const down = lanczosTable(rows, height / to.height / boxHeight, 0, to.height);
  const weighted = (
    { first, taps, weights }: typeof across,
    i: number,
    sample: (at: number) => number,
  ) => {
    let sum = 0;
    for (let tap = 0; tap < taps; tap++) {
      sum += sample(first[i]! + tap) * weights[i * taps + tap]!;
    }
    return sum;
  };
  const narrow = Array.from({ length: rows * to.width * 4 }, (_, at) => {
    const [row, x, channel] = [Math.floor(at / 4 / to.width), (at >> 2) % to.width, at & 3];
    const sum = weighted(across, x, (column) => mean(row, column, channel));
    return Math.floor((sum + 2 ** 15) / 2 ** 16);
  });
  const out = new Uint8ClampedArray(to.width * to.height * 4);
  for (let at = 0; at < out.length; at += 4) {
    const [y, x] = [Math.floor(at / 4 / to.width), (at >> 2) % to.width];
    const sums = [0, 1, 2, 3].map((channel) =>
      weighted(down, y, (row) => narrow[(row * to.width + x) * 4 + channel]!),
    );
    if (isOpaque) {
      out.set([...sums.slice(0, 3).map((sum) => Math.floor(sum / 2 ** 20 + 0.5)), 255], at);
      continue;
    }
    out[at + 3] = (sums[3]! * 255) / (255 * 255 * 2 ** 12);
    if (out[at + 3]! > 0) {
      out.set(
        sums.slice(0, 3).map((sum) => sum * (255 / sums[3]!)),
        at,
      );
    }
  }
  return { rgba: out, ...to };
}
