/** Reading an AVIF beside sharp and the package with libavif and libaom that was there before. */
import sharp from "sharp";
import { CONVERSION_BYTES_MAX } from "../src/images/conversion-bytes.ts";
import { readImageHeader } from "../src/images/header/read-image-header.ts";
import { openImage } from "../src/images/open-image.ts";
import { readRaster } from "../src/images/raster/raster.ts";
import { decodeByLibavif } from "../test/support/images/libavif.ts";
import { samplePicture } from "../test/support/images/sample-files.ts";
import { imageCodecs } from "../test/support/images/wasm-modules.ts";
import { codecFigure } from "./codec-figure.ts";
import type { Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { processorMs } from "./processor-time.ts";

const ROUNDS = 5;
/** As much as could be read before. */
const PHOTO = { width: 1_600, height: 1_200 };
const BEFORE = "@jsquash/avif: libavif with libaom 3.7.0";

/** The figure of an AVIF, all of whose pixels are read. */
export async function avifFigure(): Promise<Figure> {
  const { rgba, width, height } = samplePicture(PHOTO.width, PHOTO.height);
  const file = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .avif({ quality: 60, effort: 2, chromaSubsampling: "4:2:0" })
    .toBuffer();
  const header = readImageHeader(file);
  const read = await interleave(ROUNDS, {
    ours: () =>
      processorMs(async () =>
        readRaster(await openImage(file, header, imageCodecs, CONVERSION_BYTES_MAX)),
      ),
    before: () => processorMs(() => decodeByLibavif(file)),
    sharp: () => processorMs(() => sharp(file).raw().toBuffer()),
  });
  return codecFigure("an AVIF of 2 megapixels, read", read, BEFORE, 1);
}
