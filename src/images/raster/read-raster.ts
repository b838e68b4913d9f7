import type { Picture } from "./picture.ts";
import type { Raster } from "./raster.ts";

/** All of a picture's pixels, 4 bytes each. */
export async function readRaster(picture: Picture): Promise<Raster> {
  const { width, height } = picture;
  const rgba = new Uint8ClampedArray(width * height * 4);
  let at = 0;
  for await (const stripe of picture.stripes()) {
    rgba.set(stripe, at);
    at += stripe.length;
  }
  return { rgba, width, height };
}
