/**
 * JPEGs with several scans, whose coefficients are read band by band: the same pixels as with all of them held. The files of
 * test/fixtures/jpeg were written by cjpeg of libjpeg-turbo 2.1.5 from made-up pixels.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { PictureCodec } from "../../../../src/images/codec/picture-codec.ts";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import { JPEG_INITIAL_BYTES } from "../../../../src/images/jpeg/jpeg-memory.ts";
import { openJpeg } from "../../../../src/images/jpeg/open-jpeg.ts";
import { readRaster } from "../../../../src/images/raster/raster.ts";
import { noise } from "../../../support/images/largest-picture.ts";
import {
  mozJpegFile,
  orientedJpeg,
  progressiveJpegFile,
  samplePicture,
} from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const MB = 1024 * 1024;
const FIXTURES = join(import.meta.dirname, "../../../fixtures/jpeg");

async function pixels(bytes: Uint8Array, coefficientBytes: number): Promise<Buffer> {
  const header = readImageHeader(bytes);
  const picture = openJpeg(bytes, header, imageCodecs.jpeg, 16 * MB, coefficientBytes);
  return Buffer.from((await readRaster(picture)).rgba);
}

const picture = samplePicture(203, 117);
const FILES: Readonly<Record<string, Uint8Array>> = {
  progressive: progressiveJpegFile(picture, 85),
  "progressive, halved": progressiveJpegFile(picture, 60),
  gray: mozJpegFile(picture, { color_space: 1 }),
  ...Object.fromEntries(
    readdirSync(FIXTURES).map((name) => [name, readFileSync(join(FIXTURES, name))]),
  ),
};

describe("a JPEG with several scans", () => {
  it.each(Object.entries(FILES))(
    "(%s) has the pixels of sharp, in bands of any height",
    async (_, file) => {
      const whole = await sharp(file).toColorspace("srgb").ensureAlpha().raw().toBuffer();
      // One row of units, some rows, and all.
      for (const bytes of [1, 40_000, 70_000, 16 * MB]) {
        expect((await pixels(file, bytes)).equals(whole)).toBe(true);
      }
    },
  );

  it("that is turned has the same pixels in bands", async () => {
    const turned = orientedJpeg(progressiveJpegFile(picture, 60), 6);
    expect((await pixels(turned, 1)).equals(await pixels(turned, 16 * MB))).toBe(true);
  });

  it("holds a band of its coefficients and a bit for each, not all of them", async () => {
    const [width, height] = [800, 600];
    const { rgba } = noise(width, height);
    const file = await sharp(rgba, { raw: { width, height, channels: 4 } })
      .jpeg({ progressive: true, quality: 80 })
      .toBuffer();
    const memoryWith = (coefficientBytes: number) => {
      const codec = new PictureCodec<{
        readonly start: (denominator: number, isTurned: number, coefficientBytes: number) => void;
        readonly rows: (to: number, max: number) => number;
      }>(imageCodecs.jpeg, { initialBytes: JPEG_INITIAL_BYTES, bytesMax: 16 * MB, file });
      codec.call(({ start }) => {
        start(1, 0, coefficientBytes);
      });
      const at = codec.room(width * 4 * 16);
      let hasMore = true;
      while (hasMore) {
        hasMore = codec.call(({ rows }) => rows(at, 16)) > 0;
      }
      return codec.memoryBytes - JPEG_INITIAL_BYTES;
    };
    const coefficients = 2 * 1.5 * width * height;
    expect(memoryWith(16 * MB)).toBeGreaterThan(0.9 * coefficients);
    expect(memoryWith(MB / 8)).toBeLessThan(0.3 * coefficients);
  });
});
