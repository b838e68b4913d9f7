import type { Raster } from "../raster/raster.ts";

/**
 * A picture as opaque colours and a plane of transparency, none where nothing is transparent. Where
 * nothing shows, the colour beside or above goes on, so that no hidden one bleeds over the edge.
 */
export function splitAlpha(source: Raster): { opaque: Raster; alpha?: Uint8Array } {
  const { rgba, width, height } = source;
  let first = 3;
  while (first < rgba.length && rgba[first] === 255) {
    first += 4;
  }
  if (first >= rgba.length) {
    return { opaque: source };
  }
  const alpha = new Uint8Array(width * height);
  const colors = rgba.slice();
  const pixels = new Uint32Array(colors.buffer);
  for (let at = 0; at < pixels.length; at++) {
    alpha[at] = rgba[at * 4 + 3] ?? 0;
  }
  for (let row = 0; row < pixels.length; row += width) {
    const shown = firstShown(alpha, row, width);
    for (let at = row; at < row + width; at++) {
      if (alpha[at] === 0) {
        // Left of the first that shows, its colour; right of it, the last one's; else the row above.
        pixels[at] =
          shown === undefined
            ? (pixels[at - width] ?? 0)
            : ((at < shown ? pixels[shown] : pixels[at - 1]) ?? 0);
      }
      colors[at * 4 + 3] = 255;
    }
  }
  return { opaque: { rgba: colors, width, height }, alpha };
}

function firstShown(alpha: Uint8Array, row: number, width: number): number | undefined {
  for (let at = row; at < row + width; at++) {
    if (alpha[at] !== 0) {
      return at;
    }
  }
  return undefined;
}
