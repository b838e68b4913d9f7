/** sharp (libvips) and pngjs: readers of pictures that share no code with the service. */
import { PNG } from "pngjs";
import sharp from "sharp";
import type { Raster } from "../../../src/images/raster/raster.ts";

/** All pixels of any picture as libvips decodes it, in sRGB, rotated by its EXIF; a second picture of an animation is ignored. */
export async function decodeBySharp(bytes: Uint8Array): Promise<Raster> {
  const { data, info } = await sharp(bytes)
    .rotate()
    .toColourspace("srgb")
    .ensureAlpha()
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  return { rgba: new Uint8ClampedArray(data), width: info.width, height: info.height };
}

/** All pixels of a PNG as pngjs decodes it. Throws for a damaged file. */
export function decodeByPngjs(bytes: Uint8Array): Raster {
  const { data, width, height } = PNG.sync.read(Buffer.from(bytes));
  return { rgba: new Uint8ClampedArray(data), width, height };
}
