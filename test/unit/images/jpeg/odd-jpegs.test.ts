/** JPEGs that cameras and old programs write, and that browsers show: read with all their pixels. */
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import { openJpeg } from "../../../../src/images/jpeg/open-jpeg.ts";
import { decodeImage } from "../../../../src/images/open-image.ts";
import { prepareModelPicture } from "../../../../src/images/prepare-model-picture.ts";
import { readRaster } from "../../../../src/images/raster/raster.ts";
import { passJpeg } from "../../../../src/render/pdf/pictures/pass-jpeg.ts";
import { JPEG_CUT_IN_SCAN } from "../../../support/images/hostile-files.ts";
import { decodeBySharp } from "../../../support/images/outside-readers.ts";
import {
  jpegFile,
  mozJpegFile,
  orientedJpeg,
  progressiveJpegFile,
  samplePicture,
} from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const picture = samplePicture(61, 47);
const KINDS: Readonly<Record<string, Uint8Array>> = {
  "of jpeg-js": jpegFile(picture),
  sequential: mozJpegFile(picture, { progressive: false }),
  progressive: progressiveJpegFile(picture, 85),
  gray: mozJpegFile(picture, { color_space: 1 }),
  turned: orientedJpeg(jpegFile(picture), 6),
};

const decode = (bytes: Uint8Array) => decodeImage(bytes, imageCodecs);
const joined = (...parts: readonly (Uint8Array | readonly number[])[]) =>
  Uint8Array.from(Buffer.concat(parts.map((part) => Uint8Array.from(part))));
const placeOf = (file: Uint8Array, marker: number) =>
  Buffer.from(file).indexOf(Buffer.from([0xff, marker]));

/** Bytes before the marker of the tables, which old cameras write there. */
const withStrayBytes = (file: Uint8Array) => {
  const tables = placeOf(file, 0xdb);
  return joined(file.subarray(0, tables), [0, 17, 34, 0], file.subarray(tables));
};
const adobe = (transform: number) =>
  joined([0xff, 0xee, 0, 14], Buffer.from("Adobe"), [0, 100, 0, 0, 0, 0, transform]);

describe.each(Object.entries(KINDS))("a JPEG (%s)", (_, file) => {
  it("without its end marker has all its pixels", async () => {
    const { rgba } = await decode(file);
    expect((await decode(file.subarray(0, -2))).rgba).toEqual(rgba);
    expect((await decode(file.subarray(0, -1))).rgba).toEqual(rgba);
  });

  it("with bytes between its segments, or behind its end, has all its pixels", async () => {
    const { rgba } = await decode(file);
    expect((await decode(withStrayBytes(file))).rgba).toEqual(rgba);
    expect((await decode(joined(file, [0, 1, 2, 0xff]))).rgba).toEqual(rgba);
    const end = [file.subarray(0, -2), [0, 0, 0], file.subarray(-2)] as const;
    expect((await decode(joined(...end))).rgba).toEqual(rgba);
  });

  it("that is cut in its last scan is refused", async () => {
    for (const missing of [40, 100, 200]) {
      await expect(decode(file.subarray(0, -missing))).rejects.toMatchObject({
        code: "IMAGE_UNREADABLE",
      });
    }
  });
});

describe("a JPEG", () => {
  it("without its end is read in bands too", async () => {
    const whole = KINDS["progressive"]!;
    const cut = whole.subarray(0, -2);
    const banded = openJpeg(cut, readImageHeader(cut), imageCodecs.jpeg, 4 * 1024 * 1024, 1);
    expect((await readRaster(banded)).rgba).toEqual((await decode(whole)).rgba);
  });

  it("with stray bytes before a restart marker is refused: they are data of a picture that nobody sees", async () => {
    const create = { width: 8, height: 8, channels: 3 as const, background: "#555" };
    const file = await sharp({ create })
      .toColourspace("b-w")
      .jpeg({ optimiseCoding: false })
      .toBuffer();
    const [frame, scan] = [placeOf(file, 0xc0), placeOf(file, 0xda)];
    const data = scan + 2 + file.readUInt16BE(scan + 2);
    const head = Buffer.concat([
      file.subarray(0, scan),
      // A restart after each block.
      Buffer.from([0xff, 0xdd, 0, 4, 0, 1]),
      file.subarray(scan, data),
    ]);
    head.writeUInt16BE(16, frame + 7);
    const coded = file.subarray(data, -2);
    const written = (stray: readonly number[]) =>
      joined(head, coded, stray, [0xff, 0xd0], coded, [0xff, 0xd9]);
    const { rgba } = await decode(written([]));
    expect(new Set(rgba)).toEqual(new Set([0x55, 255]));
    await expect(decode(written([0x12, 0x34, 0x56]))).rejects.toMatchObject({
      code: "IMAGE_UNREADABLE",
    });
  });

  it("cut in its scan has a header, and is refused when it is decoded", async () => {
    expect(readImageHeader(JPEG_CUT_IN_SCAN)).toMatchObject({ width: 40, height: 30 });
    await expect(decode(JPEG_CUT_IN_SCAN)).rejects.toMatchObject({
      code: "IMAGE_UNREADABLE",
      message: expect.stringContaining("is cut short"),
    });
  });

  it("with Adobe's marker and no profile has the colors that the marker states, as in libvips", async () => {
    const file = KINDS["sequential"]!;
    const jfif = 20;
    for (const transform of [0, 1]) {
      const marked = joined([0xff, 0xd8], adobe(transform), file.subarray(jfif));
      const expected = await decodeBySharp(marked);
      expect((await decode(marked)).rgba).toEqual(expected.rgba);
    }
    const gray = await sharp(file).grayscale().jpeg().toBuffer();
    const marked = joined([0xff, 0xd8], adobe(1), gray.subarray(2));
    expect((await decode(marked)).rgba).toEqual((await decode(gray)).rgba);
  });

  it("without its end stays out of PDF files, and goes to models as PNG", async () => {
    const cut = KINDS["sequential"]!.subarray(0, -2);
    expect(() => passJpeg(cut, { allowsCmyk: true })).toThrow(/no end marker/);
    for (const odd of [cut, withStrayBytes(KINDS["sequential"]!)]) {
      const png = Uint8Array.of(1);
      const prepared = await prepareModelPicture(odd, "image/jpeg", () => Promise.resolve(png));
      expect(prepared).toEqual({ contentType: "image/png", bytes: png });
    }
  });
});
