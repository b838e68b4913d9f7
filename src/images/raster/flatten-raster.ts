import type { Raster } from "./raster.ts";

/** The picture on a white background. Returns the same bytes if nothing is transparent. */
export function flattenRaster(source: Raster): Raster {
  const { rgba, width, height } = source;
  let first = 3;
  while (first < rgba.length && rgba[first] === 255) {
    first += 4;
  }
  if (first >= rgba.length) {
    return source;
  }
  const flat = rgba.slice();
  layOnWhite(flat);
  return { rgba: flat, width, height };
}

/** Puts pixels on a white background, in place. */
export function layOnWhite(rgba: Uint8ClampedArray): void {
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] as number;
    if (alpha === 255) {
      continue;
    }
    const white = 255 - alpha;
    for (let channel = at; channel < at + 3; channel++) {
      rgba[channel] = ((rgba[channel] as number) * alpha) / 255 + white;
    }
    rgba[at + 3] = 255;
  }
}
