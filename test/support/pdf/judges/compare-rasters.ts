import type { Raster } from "../../../../src/images/raster/raster.ts";

/** A channel of two drawings of one pixel that differ by this much differs clearly. */
const DIFFERENCE_MIN = 128;

/** Of the pixels of a page at 150 dpi. */
export const DIFFERENT_SHARE_MAX = 0.005;

/** The share of a page's pixels that differ clearly beyond edges in its two drawings. */
export function differentShare(a: Raster, b: Raster): number {
  return clearDifferences(a, b).beyondEdges / (a.width * a.height);
}

/**
 * The pixels that differ clearly in a page drawn twice, and those of them that differ from all nine pixels around in the
 * other drawing too. The others lie at edges: poppler moves glyphs to whole rows of pixels, and PDFium rectangles.
 * Throws if the sizes differ.
 */
export function clearDifferences(
  a: Raster,
  b: Raster,
): { readonly all: number; readonly beyondEdges: number } {
  const { width, height } = a;
  if (b.width !== width || b.height !== height) {
    throw new Error(`The pages measure ${width} × ${height} and ${b.width} × ${b.height}.`);
  }
  let all = 0;
  let beyondEdges = 0;
  for (let at = 0; at < width * height; at += 1) {
    if (differ(a, b, at, at)) {
      all += 1;
      beyondEdges += hasNear(a, b, at) && hasNear(b, a, at) ? 0 : 1;
    }
  }
  return { all, beyondEdges };
}

/** Whether the pixel of one drawing is there in the other, at most one pixel away. */
function hasNear(a: Raster, b: Raster, at: number): boolean {
  const [x, y] = [at % a.width, Math.floor(at / a.width)];
  for (let row = Math.max(0, y - 1); row <= Math.min(a.height - 1, y + 1); row += 1) {
    for (let column = Math.max(0, x - 1); column <= Math.min(a.width - 1, x + 1); column += 1) {
      if (!differ(a, b, at, row * a.width + column)) {
        return true;
      }
    }
  }
  return false;
}

function differ(a: Raster, b: Raster, p: number, q: number): boolean {
  return [0, 1, 2].some(
    (channel) =>
      Math.abs((a.rgba[p * 4 + channel] ?? 0) - (b.rgba[q * 4 + channel] ?? 0)) >= DIFFERENCE_MIN,
  );
}

/** The luminance of a drawing: readers compose the pages of a gray press in gray (mupdf), or show their colors (PDFium, poppler). */
export function inGray({ width, height, rgba }: Raster): Raster {
  const gray = new Uint8ClampedArray(rgba.length).fill(255);
  for (let at = 0; at < rgba.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = rgba.subarray(at, at + 3);
    gray.fill(0.3 * red + 0.59 * green + 0.11 * blue, at, at + 3);
  }
  return { width, height, rgba: gray };
}

/** A binary PPM of 8 bits as `pdftoppm` writes it. */
export function readPpm(bytes: Uint8Array): Raster {
  const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(
    new TextDecoder("latin1").decode(bytes.subarray(0, 64)),
  );
  if (head === null) {
    throw new Error("It is not a PPM.");
  }
  const [width, height] = [Number(head[1]), Number(head[2])];
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i += 1) {
    rgba.set(bytes.subarray(head[0].length + i * 3, head[0].length + i * 3 + 3), i * 4);
  }
  return { width, height, rgba };
}
