import type { Raster } from "./raster.ts";

/**
 * Scales a picture so that its longest side is `side` px. Shrinking averages the area that each new
 * pixel covers, in premultiplied color, so that transparent pixels do not darken the edges;
 * enlarging averages the same area, which is a soft nearest neighbor.
 */
export function fitRaster(source: Raster, side: number): Raster {
  const factor = side / Math.max(source.width, source.height);
  const width = Math.max(1, Math.round(source.width * factor));
  const height = Math.max(1, Math.round(source.height * factor));
  if (width === source.width && height === source.height) {
    return source;
  }
  const columns = spans(source.width, width);
  const rows = spans(source.height, height);
  const rgba = new Uint8ClampedArray(width * height * 4);
  const { rgba: from } = source;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let [r, g, b, a, total] = [0, 0, 0, 0, 0];
      for (const [row, rowShare] of rows[y] ?? []) {
        for (const [column, columnShare] of columns[x] ?? []) {
          const at = (row * source.width + column) * 4;
          const share = rowShare * columnShare;
          const alpha = (from[at + 3] ?? 0) * share;
          r += (from[at] ?? 0) * alpha;
          g += (from[at + 1] ?? 0) * alpha;
          b += (from[at + 2] ?? 0) * alpha;
          a += alpha;
          total += share;
        }
      }
      if (a > 0) {
        rgba.set([r / a, g / a, b / a, a / total], (y * width + x) * 4);
      }
    }
  }
  return { rgba, width, height };
}

/** For each new pixel, the old pixels that it covers, with their weights. */
function spans(from: number, to: number): (readonly [number, number])[][] {
  const step = from / to;
  return Array.from({ length: to }, (_, i) => {
    const start = i * step;
    const end = Math.min(from, start + step);
    const span: (readonly [number, number])[] = [];
    for (let pixel = Math.floor(start); pixel < end; pixel++) {
      const share = Math.min(end, pixel + 1) - Math.max(start, pixel);
      if (share > 1e-9) {
        span.push([pixel, share]);
      }
    }
    return span;
  });
}
