import type { Raster } from "./raster.ts";

/** The picture laid on white. The same bytes when nothing in it is transparent. */
export function flattenRaster(source: Raster): Raster {
  const { rgba } = source;
  let first = 3;
  while (first < rgba.length && rgba[first] === 255) {
    first += 4;
  }
  if (first >= rgba.length) {
    return source;
  }
  const flat = rgba.slice();
  for (let at = first - 3; at < flat.length; at += 4) {
    const alpha = rgba[at + 3] ?? 0;
    if (alpha === 255) {
      continue;
    }
    const white = 255 - alpha;
    for (let channel = at; channel < at + 3; channel++) {
      flat[channel] = ((rgba[channel] ?? 0) * alpha) / 255 + white;
    }
    flat[at + 3] = 255;
  }
  return { rgba: flat, width: source.width, height: source.height };
}
