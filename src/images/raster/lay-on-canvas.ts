import type { Background } from "../../contracts/models/picture-edits.ts";
import type { Size } from "./fit-size.ts";
import type { Picture } from "./raster.ts";

/** Size of the rows that are passed on at once. */
const STRIPE_BYTES = 256 * 1024;

/**
 * The picture on a canvas of another size, at `left` and `top`, which must have room for it, read by rows. Transparent
 * parts of the picture show the background.
 */
export function layOnCanvas(
  picture: Picture,
  canvas: Size,
  left: number,
  top: number,
  background: Background,
): Picture {
  const { width, height } = canvas;
  const isSame = width === picture.width && height === picture.height;
  if (isSame && (background === null || picture.isOpaque)) {
    return picture;
  }
  const pixel = new Uint8ClampedArray([
    ...(background ?? [0, 0, 0]),
    background === null ? 0 : 255,
  ]);
  const color = new Uint32Array(pixel.buffer)[0] as number;
  return {
    width,
    height,
    isOpaque: background !== null || (isSame && picture.isOpaque),
    async *stripes() {
      const rowsAtOnce = Math.max(1, Math.min(height, Math.floor(STRIPE_BYTES / (width * 4))));
      const out = new Uint8ClampedArray(rowsAtOnce * width * 4);
      const pixels = new Uint32Array(out.buffer).fill(color);
      let y = 0;
      let filled = 0;
      /** Whether the stripe is full after one more row. */
      const endRow = () => {
        y++;
        filled++;
        return filled === rowsAtOnce || y === height;
      };
      const take = () => {
        const rows = out.subarray(0, filled * width * 4);
        filled = 0;
        return rows;
      };
      while (y < top) {
        if (endRow()) {
          yield take();
        }
      }
      const rowBytes = picture.width * 4;
      for await (const stripe of picture.stripes()) {
        for (let at = 0; at < stripe.length; at += rowBytes) {
          const row = stripe.subarray(at, at + rowBytes);
          const to = (filled * width + left) * 4;
          out.set(row, to);
          if (background !== null && !picture.isOpaque) {
            layRowOn(out, to, rowBytes, background);
          }
          if (endRow()) {
            yield take();
          }
        }
      }
      pixels.fill(color, filled * width);
      for (let isClean = false; y < height;) {
        if (endRow()) {
          yield take();
          if (!isClean) {
            pixels.fill(color);
            isClean = true;
          }
        }
      }
    },
  };
}

/** Puts the pixels of a row on a color, in place. */
function layRowOn(
  rgba: Uint8ClampedArray,
  at: number,
  bytes: number,
  color: readonly [number, number, number],
): void {
  for (let i = at; i < at + bytes; i += 4) {
    const alpha = rgba[i + 3] as number;
    if (alpha === 255) {
      continue;
    }
    const rest = 255 - alpha;
    rgba[i] = ((rgba[i] as number) * alpha + color[0] * rest) / 255;
    rgba[i + 1] = ((rgba[i + 1] as number) * alpha + color[1] * rest) / 255;
    rgba[i + 2] = ((rgba[i + 2] as number) * alpha + color[2] * rest) / 255;
    rgba[i + 3] = 255;
  }
}
