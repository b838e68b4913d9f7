/** Reading and writing JPEGs of 12 megapixels beside sharp and the code that libjpeg-turbo replaced, which is kept in `peers`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { readImageHeader } from "../src/images/header/read-image-header.ts";
import { encodeStripes } from "../src/images/encode-stripes.ts";
import { openJpeg } from "../src/images/jpeg/open-jpeg.ts";
import type { Picture } from "../src/images/raster/raster.ts";
import { samplePicture } from "../test/support/images/sample-files.ts";
import { imageCodecs } from "../test/support/images/wasm-modules.ts";
import { codecFigure } from "./codec-figure.ts";
import type { Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { commandsMs, isInstalled } from "./native-programs.ts";
import { JpegEncoder as JpegEncoderBefore } from "./peers/jpeg-by-rows/jpeg-encoder.ts";
import { openJpeg as openJpegBefore } from "./peers/jpeg-by-rows/read/open-jpeg.ts";
import { processorMs } from "./processor-time.ts";

const ROUNDS = 5;
const PHOTO = { width: 4_000, height: 3_000 };
const QUALITY = 85;
/** More than a file of this size needs, as much as a conversion grants. */
const READER_BYTES_MAX = 24 * 1024 * 1024;
const BEFORE = "the decoder and encoder in TypeScript that it replaced";

async function readAll(picture: Picture): Promise<number> {
  let bytes = 0;
  for await (const stripe of picture.stripes()) {
    bytes += stripe.length;
  }
  return bytes;
}

async function writeAll(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
  }
  return bytes;
}

async function* encodeBefore(picture: Picture): AsyncGenerator<Uint8Array> {
  const encoder = new JpegEncoderBefore(picture.width, picture.height, QUALITY);
  for await (const stripe of picture.stripes()) {
    yield* encoder.add(stripe);
  }
  yield* encoder.end();
}

/** libjpeg-turbo's own programs, where they are installed: the file is decoded, and encoded if `isWritten`. */
function byPrograms(
  file: Uint8Array,
  isWritten: boolean,
): Readonly<Record<string, readonly number[]>> {
  if (!isInstalled("djpeg", "-version") || !isInstalled("cjpeg", "-version")) {
    return {};
  }
  const folder = mkdtempSync(join(tmpdir(), "jpeg-"));
  try {
    const [from, pixels, to] = ["a.jpg", "a.ppm", "b.jpg"].map((name) => join(folder, name));
    writeFileSync(from!, file);
    const reading = ["djpeg", "-outfile", pixels!, from!];
    const writing = ["cjpeg", "-quality", `${QUALITY}`, "-optimize", "-outfile", to!, pixels!];
    return isWritten
      ? {
          "djpeg and cjpeg (native), with a file between them": commandsMs(
            [reading, writing],
            ROUNDS,
          ),
        }
      : { "djpeg (native), to a file": commandsMs([reading], ROUNDS) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The figures of JPEGs: from JPEG to JPEG, and reading a progressive one. */
export async function jpegFigures(): Promise<Figure[]> {
  const { rgba, width, height } = samplePicture(PHOTO.width, PHOTO.height);
  const pixels = sharp(rgba, { raw: { width, height, channels: 4 } }).removeAlpha();
  const settings = { quality: QUALITY };
  const file = await pixels.clone().jpeg(settings).toBuffer();
  const progressive = await pixels
    .clone()
    .jpeg({ ...settings, progressive: true })
    .toBuffer();
  const open = (bytes: Uint8Array) =>
    openJpeg(bytes, readImageHeader(bytes), imageCodecs.jpeg, READER_BYTES_MAX);
  const openBefore = (bytes: Uint8Array) => openJpegBefore(bytes, readImageHeader(bytes));
  const rewritten = await interleave(ROUNDS, {
    ours: () => processorMs(() => writeAll(encodeStripes(open(file), "jpg", QUALITY, imageCodecs))),
    before: () => processorMs(() => writeAll(encodeBefore(openBefore(file)))),
    sharp: () => processorMs(() => sharp(file).jpeg(settings).toBuffer()),
  });
  const read = await interleave(ROUNDS, {
    ours: () => processorMs(() => readAll(open(progressive))),
    before: () => processorMs(() => readAll(openBefore(progressive))),
    sharp: () => processorMs(() => sharp(progressive).raw().toBuffer()),
  });
  return [
    codecFigure("a JPEG of 12 megapixels to JPEG", rewritten, BEFORE, 0.35, byPrograms(file, true)),
    codecFigure(
      "a progressive JPEG of 12 megapixels, read",
      read,
      BEFORE,
      1,
      byPrograms(progressive, false),
    ),
  ];
}
