/**
 * Takes the transparency out of pixels, which are opaque then, as a byte a pixel; undefined where
 * nothing is transparent. Where nothing shows, the colour beside or above goes on, so that no hidden
 * one bleeds over the edge.
 */
export function takeAlpha(
  rgba: Uint8ClampedArray,
  width: number,
  height: number,
): Uint8Array | undefined {
  let first = 3;
  while (first < rgba.length && rgba[first] === 255) {
    first += 4;
  }
  if (first >= rgba.length) {
    return undefined;
  }
  const alpha = new Uint8Array(width * height);
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, alpha.length);
  for (let at = 0; at < alpha.length; at++) {
    alpha[at] = rgba[at * 4 + 3] as number;
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
      rgba[at * 4 + 3] = 255;
    }
  }
  return alpha;
}

function firstShown(alpha: Uint8Array, row: number, width: number): number | undefined {
  for (let at = row; at < row + width; at++) {
    if (alpha[at] !== 0) {
      return at;
    }
  }
  return undefined;
}
