import type { Picture } from "./picture.ts";
import type { Raster } from "./raster.ts";

/** Pixels that are handed on at once. */
const STRIPE_BYTES = 1024 * 1024;

/** Pixels that are there already, as a picture that is read by its rows. */
export function rasterPicture({ rgba, width, height }: Raster): Picture {
  const stripeBytes = Math.max(1, Math.floor(STRIPE_BYTES / (width * 4))) * width * 4;
  let held: Uint8ClampedArray | undefined = rgba;
  return {
    width,
    height,
    isOpaque: isOpaque(rgba),
    // oxlint-disable-next-line typescript/require-await -- other pictures are awaited
    async *stripes() {
      for (let at = 0; held !== undefined && at < held.length; at += stripeBytes) {
        yield held.subarray(at, at + stripeBytes);
      }
      held = undefined;
    },
  };
}

/** Whether every pixel is. */
export function isOpaque(rgba: Uint8ClampedArray): boolean {
  for (let at = 3; at < rgba.length; at += 4) {
    if (rgba[at] !== 255) {
      return false;
    }
  }
  return true;
}
