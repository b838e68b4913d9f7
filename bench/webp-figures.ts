/** Reading and writing WebPs of 12 megapixels beside sharp and the build of libwebp that was there before, kept in `peers`. */
import sharp from "sharp";
import { MemoryCap } from "./peers/webp-whole/memory-cap.ts";
import { CONVERSION_BYTES_MAX } from "../src/images/conversion-bytes.ts";
import { encodeStripes } from "../src/images/encode-stripes.ts";
import { readImageHeader } from "../src/images/header/read-image-header.ts";
import { openImage } from "../src/images/open-image.ts";
import { type Picture, rasterPicture } from "../src/images/raster/raster.ts";
import { encodeWebp } from "../src/images/webp/webp-encoder.ts";
import { compiledPackageFile } from "../test/support/compiled-package-file.ts";
import { samplePicture } from "../test/support/images/sample-files.ts";
import { imageCodecs } from "../test/support/images/wasm-modules.ts";
import { codecFigure } from "./codec-figure.ts";
import type { Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { openJpeg as openJpegBefore } from "./peers/jpeg-by-rows/read/open-jpeg.ts";
import { decodeWebp as decodeBefore } from "./peers/webp-whole/decode-webp.ts";
import { encodeWebp as encodeBefore } from "./peers/webp-whole/webp-encoder.ts";
import { PNG_LEVEL, pngLengthBefore } from "./png-figures.ts";
import { processorMs } from "./processor-time.ts";

const ROUNDS = 3;
const PHOTO = { width: 4_000, height: 3_000 };
const QUALITY = 80;
const BEFORE = "libwebp 1.0.2 of a package, and the writer of PNG in TypeScript of 2026-11-22";
const BEFORE_WRITING = "libwebp 1.0.2 of a package, and the reader of JPEG in TypeScript";

async function lengthOf(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Uint8Array,
): Promise<number> {
  if (pieces instanceof Uint8Array) {
    return pieces.length;
  }
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
  }
  return bytes;
}

const open = (bytes: Uint8Array): Promise<Picture> =>
  openImage(bytes, readImageHeader(bytes), imageCodecs, CONVERSION_BYTES_MAX);

/** The figures of WebPs: from WebP to PNG, and from JPEG to WebP. */
export async function webpFigures(): Promise<Figure[]> {
  const { rgba, width, height } = samplePicture(PHOTO.width, PHOTO.height);
  const pixels = sharp(rgba, { raw: { width, height, channels: 4 } }).removeAlpha();
  const webp = await pixels.clone().webp({ quality: QUALITY }).toBuffer();
  const jpeg = await pixels.clone().jpeg({ quality: 85 }).toBuffer();
  const reader = compiledPackageFile("@jsquash/webp/codec/dec/webp_dec.wasm");
  const writer = compiledPackageFile("@jsquash/webp/codec/enc/webp_enc_simd.wasm");
  // The old decoder holds all pixels, more than a conversion may.
  const cap = () => new MemoryCap(2 * CONVERSION_BYTES_MAX);
  const toPng = (picture: Picture) => lengthOf(encodeStripes(picture, "png", QUALITY, imageCodecs));
  const fromWebp = await interleave(ROUNDS, {
    ours: () => processorMs(async () => toPng(await open(webp))),
    before: () =>
      processorMs(() =>
        pngLengthBefore(rasterPicture(decodeBefore(webp, readImageHeader(webp), reader, cap()))),
      ),
    sharp: () => processorMs(() => sharp(webp).png({ compressionLevel: PNG_LEVEL }).toBuffer()),
  });
  const toWebp = await interleave(ROUNDS, {
    ours: () =>
      processorMs(async () =>
        lengthOf(
          await encodeWebp(
            await open(jpeg),
            QUALITY,
            imageCodecs.webpEncoder,
            CONVERSION_BYTES_MAX,
          ),
        ),
      ),
    before: () =>
      processorMs(async () =>
        lengthOf(await encodeBefore(openJpegBefore(jpeg, readImageHeader(jpeg)), QUALITY, writer)),
      ),
    sharp: () => processorMs(() => sharp(jpeg).webp({ quality: QUALITY }).toBuffer()),
  });
  return [
    codecFigure("a WebP of 12 megapixels to PNG", fromWebp, BEFORE, 0.6),
    codecFigure("a JPEG of 12 megapixels to WebP", toWebp, BEFORE_WRITING, 1),
  ];
}
