import { layOnWhite } from "./lay-on-white.ts";
import type { Raster } from "./raster.ts";

/** The picture laid on white. The same bytes when nothing in it is transparent. */
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
