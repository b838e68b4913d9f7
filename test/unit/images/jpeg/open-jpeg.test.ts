/** JPEGs by this decoder, bit for bit like libjpeg. */
import { describe, expect, it } from "vitest";
import { decodeImage } from "../../../../src/images/open-image.ts";
import { encodeJpeg } from "../../../support/images/encode-jpeg.ts";
import { orientRaster } from "../../../support/images/orient-raster.ts";
import type { Raster } from "../../../../src/images/raster/raster.ts";
import { decodeByLibjpeg } from "../../../support/images/libjpeg.ts";
import {
  jpegFile,
  mozJpegFile,
  orientedJpeg,
  progressiveJpegFile,
  samplePicture,
} from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const decode = (bytes: Uint8Array) => decodeImage(bytes, imageCodecs);

/** Number of different bytes. */
const unlike = (one: Uint8ClampedArray, other: Uint8ClampedArray) =>
  one.reduce((count, value, i) => count + (value === other[i] ? 0 : 1), 0);

function noise(width: number, height: number): Raster {
  const rgba = new Uint8ClampedArray(width * height * 4);
  let state = 7;
  for (let i = 0; i < rgba.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    rgba[i] = i % 4 === 3 ? 255 : state >>> 24;
  }
  return { rgba, width, height };
}

const SIZES = [
  [1, 1],
  [2, 3],
  [5, 3],
  [16, 16],
  [33, 17],
  [203, 117],
] as const;

describe("a JPEG", () => {
  it.each(SIZES)("of %d × %d px has each pixel like libjpeg", async (width, height) => {
    for (const picture of [samplePicture(width, height), noise(width, height)]) {
      const files = {
        halved: encodeJpeg(picture, 80),
        whole: encodeJpeg(picture, 95),
        "of jpeg-js": jpegFile(picture),
        progressive: progressiveJpegFile(picture),
        // Colors by 2 × 2, 2 × 1 and 1 × 1, which the library selects by quality.
        "progressive, halved": progressiveJpegFile(picture, 60),
        "progressive, halved in one direction": progressiveJpegFile(picture, 85),
        sequential: mozJpegFile(picture, { progressive: false, optimize_coding: true }),
        gray: mozJpegFile(picture, { color_space: 1 }),
        "gray, sequential": mozJpegFile(picture, { color_space: 1, progressive: false }),
        "red, green and blue": mozJpegFile(picture, { color_space: 2 }),
        "by 4 × 4": mozJpegFile(picture, { auto_subsample: false, chroma_subsample: 4 }),
        "by 3 × 3": mozJpegFile(picture, { auto_subsample: false, chroma_subsample: 3 }),
      };
      for (const [name, file] of Object.entries(files)) {
        const { rgba } = await decode(file);
        expect(unlike(rgba, decodeByLibjpeg(file).rgba), name).toBe(0);
      }
    }
  });

  it.each([2, 3, 4, 5, 6, 7, 8] as const)(
    "is rotated by EXIF orientation %d, pixel by pixel",
    async (turn) => {
      for (const file of [
        encodeJpeg(noise(101, 75), 80),
        encodeJpeg(noise(40, 300), 95),
        progressiveJpegFile(noise(130, 33)),
      ]) {
        const expected = orientRaster(decodeByLibjpeg(file), turn);
        const turned = await decode(orientedJpeg(file, turn));
        expect([turned.width, turned.height]).toEqual([expected.width, expected.height]);
        expect(unlike(turned.rgba, expected.rgba)).toBe(0);
      }
    },
  );

  it("with restart markers is read, and rejected if one of them is missing", async () => {
    const file = withRestarts(encodeJpeg(samplePicture(64, 16), 80));
    await expect(decode(file)).rejects.toThrow(/found marker 0xd9 instead of RST0/);
  });
});

/** The file with a segment that declares a restart after each unit, although there is none. */
function withRestarts(file: Uint8Array): Uint8Array {
  const scan = Buffer.from(file).indexOf(Buffer.from([0xff, 0xda]));
  return Uint8Array.from([
    ...file.subarray(0, scan),
    0xff,
    0xdd,
    0,
    4,
    0,
    1,
    ...file.subarray(scan),
  ]);
}
