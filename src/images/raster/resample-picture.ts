import type { Picture } from "./raster.ts";
import { RowResampler, type ScaledWindow } from "./row-resampler.ts";

/** Size of the rows that are passed on at once. */
const STRIPE_BYTES = 256 * 1024;

/**
 * The picture scaled to `to.width` × `to.height` px while its rows are read (Lanczos 3, docs/contract/pictures.md#scaling);
 * with `window`, only that part of the scaled picture. Nothing but the rows that the kernel covers is held.
 * `pixels` is pixels.wasm.
 */
export function resamplePicture(
  pixels: WebAssembly.Module,
  picture: Picture,
  to: { readonly width: number; readonly height: number },
  window: ScaledWindow = { left: 0, top: 0, ...to },
): Picture {
  const { width, height } = window;
  const isWhole =
    window.left === 0 && window.top === 0 && to.width === width && to.height === height;
  if (isWhole && width === picture.width && height === picture.height) {
    return picture;
  }
  return {
    width,
    height,
    isOpaque: picture.isOpaque,
    async *stripes() {
      const resampler = new RowResampler(pixels, picture, to, window, picture.isOpaque);
      const rowBytes = width * 4;
      const rowsAtOnce = Math.max(1, Math.min(height, Math.floor(STRIPE_BYTES / rowBytes)));
      const out = new Uint8ClampedArray(rowsAtOnce * rowBytes);
      let filled = 0;
      let missing = height;
      for await (const stripe of picture.stripes()) {
        for (let at = 0; at < stripe.length; at += picture.width * 4) {
          resampler.add(stripe, at);
          while (resampler.hasRow) {
            resampler.write(out, filled);
            filled += rowBytes;
            missing--;
            if (filled === out.length) {
              yield out;
              filled = 0;
            }
          }
        }
        if (missing === 0) {
          break;
        }
      }
      if (filled > 0) {
        yield out.subarray(0, filled);
      }
    },
  };
}
