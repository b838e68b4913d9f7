/** Writing PNGs of 12 megapixels from JPEG and PNG beside sharp and the code before WebAssembly, which is kept in `peers`. */
import sharp from "sharp";
import { CONVERSION_BYTES_MAX } from "../src/images/conversion-bytes.ts";
import { encodeStripes } from "../src/images/encode-stripes.ts";
import { readImageHeader } from "../src/images/header/read-image-header.ts";
import { openImage } from "../src/images/open-image.ts";
import type { Picture } from "../src/images/raster/raster.ts";
import { samplePicture } from "../test/support/images/sample-files.ts";
import { imageCodecs } from "../test/support/images/wasm-modules.ts";
import { codecFigure } from "./codec-figure.ts";
import type { Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { openJpeg as openJpegBefore } from "./peers/jpeg-by-rows/read/open-jpeg.ts";
import { openPng as openPngBefore } from "./peers/png-by-rows/open-png.ts";
import { PngEncoder as PngEncoderBefore } from "./peers/png-by-rows/png-encoder.ts";
import { processorMs } from "./processor-time.ts";

const ROUNDS = 3;
const PHOTO = { width: 4_000, height: 3_000 };
/** PNG is written at this level (docs/decisions/pictures.md). */
export const PNG_LEVEL = 4;
const BEFORE = "the readers and the writer in TypeScript of 2026-11-22";

/** The bytes of a PNG that the code of 2026-11-22 writes. */
export async function pngLengthBefore(picture: Picture): Promise<number> {
  const encoder = new PngEncoderBefore(picture.width, picture.height, picture.isOpaque);
  let bytes = 0;
  for await (const stripe of picture.stripes()) {
    for (const piece of encoder.add(stripe)) {
      bytes += piece.length;
    }
  }
  for (const piece of encoder.end()) {
    bytes += piece.length;
  }
  return bytes;
}

async function pngLength(file: Uint8Array): Promise<number> {
  const picture = await openImage(file, readImageHeader(file), imageCodecs, CONVERSION_BYTES_MAX);
  let bytes = 0;
  for await (const piece of encodeStripes(picture, "png", 0, imageCodecs)) {
    bytes += piece.length;
  }
  return bytes;
}

/** From JPEG to PNG, and from PNG to PNG. */
export async function pngFigures(): Promise<Figure[]> {
  const { rgba, width, height } = samplePicture(PHOTO.width, PHOTO.height);
  const pixels = sharp(rgba, { raw: { width, height, channels: 4 } }).removeAlpha();
  const jpeg = await pixels.clone().jpeg({ quality: 85 }).toBuffer();
  const png = await pixels.clone().png({ compressionLevel: PNG_LEVEL }).toBuffer();
  const bySharp = (file: Uint8Array) =>
    sharp(file).png({ compressionLevel: PNG_LEVEL, adaptiveFiltering: true }).toBuffer();
  const fromJpeg = await interleave(ROUNDS, {
    ours: () => processorMs(() => pngLength(jpeg)),
    before: () => processorMs(() => pngLengthBefore(openJpegBefore(jpeg, readImageHeader(jpeg)))),
    sharp: () => processorMs(() => bySharp(jpeg)),
  });
  const fromPng = await interleave(ROUNDS, {
    ours: () => processorMs(() => pngLength(png)),
    before: () => processorMs(() => pngLengthBefore(openPngBefore(png))),
    sharp: () => processorMs(() => bySharp(png)),
  });
  return [
    codecFigure("a JPEG of 12 megapixels to PNG", fromJpeg, BEFORE, 0.5),
    codecFigure("a PNG of 12 megapixels to PNG", fromPng, BEFORE, 0.6),
  ];
}
