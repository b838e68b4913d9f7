import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { decodeImage } from "../../../src/images/open-image.ts";
import { encodeJpeg } from "../../support/images/encode-jpeg.ts";
import type { Raster } from "../../../src/images/raster/raster.ts";
import { flattenRaster } from "../../../src/images/raster/flatten-raster.ts";
import { alphaOf, decodeElsewhere, psnr } from "../../support/images/judge-picture.ts";
import { noise } from "../../support/images/largest-picture.ts";
import { samplePicture, webpFile } from "../../support/images/sample-files.ts";
import { readImageHeader } from "../../../src/images/header/read-image-header.ts";
import { webpOf } from "../../support/images/webp-of.ts";
import { imageCodecs } from "../../support/images/wasm-modules.ts";
import { testInProof } from "../../support/in-proof.ts";

const SIZES = [
  [1, 1],
  [7, 9],
  [8, 8],
  [16, 16],
  [17, 33],
  [640, 427],
] as const;

function jpegBySharp({ rgba, width, height }: Raster, quality: number): Promise<Buffer> {
  return sharp(rgba, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .jpeg({ quality, chromaSubsampling: quality < 90 ? "4:2:0" : "4:4:4" })
    .toBuffer();
}

async function pixelsOf(file: Uint8Array): Promise<Buffer> {
  return Buffer.from((await decodeImage(file, imageCodecs)).rgba);
}

describe("encodeJpeg", () => {
  it.each(SIZES)("writes %d × %d px that two decoders read alike", async (width, height) => {
    const picture = samplePicture(width, height);
    for (const quality of [1, 50, 85, 90, 100]) {
      const file = encodeJpeg(picture, quality);
      const [one, other] = [decodeElsewhere(file), await decodeImage(file, imageCodecs)];
      expect([one.width, one.height]).toEqual([width, height]);
      // They interpolate halved colors differently, which is visible at a hard edge in a small
      // picture.
      expect(psnr(one, other), `quality ${quality}`).toBeGreaterThan(quality < 90 ? 25 : 40);
      expect(psnr(one, picture), `quality ${quality}`).toBeGreaterThan(quality < 85 ? 15 : 20);
    }
  });

  it("is closer to the picture and takes more bytes at higher quality", () => {
    const picture = samplePicture(640, 427);
    const files = [5, 30, 60, 85, 95, 100].map((quality) => encodeJpeg(picture, quality));
    const nearness = files.map((file) => psnr(decodeElsewhere(file), picture));
    expect(nearness).toEqual(nearness.toSorted((a, b) => a - b));
    expect(files.map(({ length }) => length)).toEqual(
      files.map(({ length }) => length).toSorted((a, b) => a - b),
    );
    expect(nearness[3]).toBeGreaterThan(32);
    expect(nearness[5]).toBeGreaterThan(48);
  });

  it("puts transparency on white exactly", () => {
    // Blocks of one value each, so that the loss of the format is at most a rounding.
    const rgba = new Uint8ClampedArray(64 * 64 * 4);
    for (let at = 0; at < rgba.length; at += 4) {
      const block = Math.floor(at / 4 / 64 / 16) * 4 + Math.floor(((at / 4) % 64) / 16);
      rgba.set([(block * 37) & 255, (block * 91) & 255, (block * 151) & 255, block * 17], at);
    }
    const flat = decodeElsewhere(encodeJpeg({ rgba, width: 64, height: 64 }, 100)).rgba;
    for (let at = 0; at < rgba.length; at++) {
      const alpha = rgba[at | 3]! / 255;
      const expected = (at & 3) === 3 ? 255 : rgba[at]! * alpha + 255 * (1 - alpha);
      expect(Math.abs(flat[at]! - expected)).toBeLessThanOrEqual(2.5);
    }
    // Transparent pixels are exactly white.
    expect([...flat.subarray(0, 4)]).toEqual([255, 255, 255, 255]);
  });

  it.each([1, 60, 80, 85, 90, 95, 100])(
    "writes the file that sharp writes at quality %d, to the byte",
    async (quality) => {
      for (const picture of [samplePicture(640, 427), noise(320, 240), samplePicture(7, 33)]) {
        const file = encodeJpeg(picture, quality);
        // sharp's files have no JFIF segment.
        const [start, segment] = [file.subarray(0, 2), file.subarray(2, 20)];
        expect([...segment.subarray(0, 8)]).toEqual([0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46]);
        const bare = Buffer.concat([start, file.subarray(20)]);
        expect(bare.equals(await jpegBySharp(picture, quality))).toBe(true);
      }
    },
  );

  it("has the pixels of sharp's file where more was written than it holds, in nearly its size", async () => {
    for (const quality of [85, 100]) {
      const picture = noise(640, 427);
      const bySharp = await jpegBySharp(picture, quality);
      const pixels = await pixelsOf(bySharp);
      for (const heldBytes of [0, 64 * 1024]) {
        expect(bySharp.length).toBeGreaterThan(2 * heldBytes);
        const file = encodeJpeg(picture, quality, heldBytes);
        expect(pixels.equals(await pixelsOf(file))).toBe(true);
        expect(Math.abs(file.length / bySharp.length - 1)).toBeLessThan(0.03);
      }
    }
  });

  it("holds less where rows of the largest width leave less memory", async () => {
    const picture = noise(16_384, 96);
    const file = encodeJpeg(picture, 100);
    expect(file.length).toBeGreaterThan(4 * 1024 * 1024);
    const bySharp = await jpegBySharp(picture, 100);
    expect(Math.abs(file.length / bySharp.length - 1)).toBeLessThan(0.03);
  });

  it("has a code for what only the rest of a picture has, after what it holds", async () => {
    const picture = noise(640, 427);
    // Half of the rows have few different blocks, which alone decide about the tables.
    picture.rgba.subarray(0, picture.rgba.length / 2).forEach((_, at, half) => {
      half[at] = (at & 3) === 3 ? 255 : 128 + ((at >> 2) % 64);
    });
    const bySharp = await jpegBySharp(picture, 90);
    const file = encodeJpeg(picture, 90, 0);
    const [one, other] = await Promise.all([pixelsOf(file), pixelsOf(bySharp)]);
    expect(one.equals(other)).toBe(true);
  });

  it("does not modify the given picture", () => {
    const picture = samplePicture(20, 20, true);
    const before = picture.rgba.slice();
    encodeJpeg(picture, 85);
    expect(picture.rgba).toEqual(before);
  });
});

describe("encodeWebp", () => {
  it.each(SIZES)("writes %d × %d px that two decoders read alike", async (width, height) => {
    const picture = samplePicture(width, height);
    const file = await webpOf(picture, 80);
    const [one, other] = [decodeElsewhere(file), await decodeImage(file, imageCodecs)];
    expect([one.width, one.height]).toEqual([width, height]);
    expect(psnr(other, picture)).toBeGreaterThan(22);
    // The decoder clips colors of single-block pictures, also in libwebp's own files.
    if (width > 16) {
      expect(psnr(one, other)).toBeGreaterThan(30);
    }
    expect(alphaOf(one).every((alpha) => alpha === 255)).toBe(true);
  });

  it.each([40, 80, 95])(
    "has at quality %d the size of sharp's file within 3 %",
    async (quality) => {
      for (const picture of [samplePicture(640, 427), noise(320, 240), samplePicture(101, 71)]) {
        const { rgba, width, height } = picture;
        const bySharp = await sharp(rgba, { raw: { width, height, channels: 4 } })
          .removeAlpha()
          .webp({ quality })
          .toBuffer();
        const file = await webpOf(picture, quality);
        expect(Math.abs(file.length / bySharp.length - 1)).toBeLessThan(0.03);
      }
    },
  );

  it("is closer to the picture and takes more bytes at higher quality", async () => {
    const picture = samplePicture(640, 427);
    const nearness: number[] = [];
    for (const quality of [5, 40, 80, 100]) {
      nearness.push(psnr(decodeElsewhere(await webpOf(picture, quality)), picture));
    }
    expect(nearness).toEqual(nearness.toSorted((a, b) => a - b));
    expect(nearness[2]).toBeGreaterThan(32);
  });

  it.each([
    ["a soft disc", (x: number, y: number) => 255 - 3 * Math.hypot(x - 50, y - 35)],
    ["a hard disc", (x: number, y: number) => (Math.hypot(x - 50, y - 35) < 30 ? 255 : 0)],
    ["a ramp", (x: number) => x * 2.5],
    ["noise", (x: number, y: number) => (Math.imul(x * 7919 + y, 2654435761) >>> 24) & 255],
    ["stripes", (x: number) => (x % 2 === 0 ? 255 : 1)],
    ["one value", () => 128],
    ["nothing", () => 0],
    ["a single clear pixel", (x: number, y: number) => (x === 3 && y === 4 ? 0 : 255)],
    ["rows alike", (_x: number, y: number) => y * 3.5],
    [
      "a few values, one of them rare",
      (x: number, y: number) => (x + y === 0 ? 9 : 17 * ((x * y) % 5)),
    ],
  ])("keeps transparency exactly: %s", async (_name, alpha) => {
    for (const [width, height] of [
      [1, 1],
      [2, 5],
      [101, 71],
    ] as const) {
      const picture = samplePicture(width, height);
      for (let i = 0; i < width * height; i++) {
        picture.rgba[i * 4 + 3] = alpha(i % width, Math.floor(i / width));
      }
      const file = await webpOf(picture, 80);
      for (const decoded of [decodeElsewhere(file), await decodeImage(file, imageCodecs)]) {
        expect(alphaOf(decoded), `${width} × ${height}`).toEqual(alphaOf(picture));
      }
    }
  });

  it("lets no hidden color bleed over an edge", async () => {
    // White, with black in transparent areas, like in drawings.
    const rgba = new Uint8ClampedArray(64 * 64 * 4);
    for (let i = 0; i < 64 * 64; i++) {
      if (i % 64 >= 21 && i % 64 < 43) {
        rgba.set([255, 255, 255, 255], i * 4);
      }
    }
    const decoded = decodeElsewhere(await webpOf({ rgba, width: 64, height: 64 }, 80));
    for (let i = 0; i < 64 * 64; i++) {
      if (decoded.rgba[i * 4 + 3] === 255) {
        expect(Math.min(...decoded.rgba.subarray(i * 4, i * 4 + 3))).toBeGreaterThan(250);
      }
    }
  });

  it("writes soft transparency in less than twice the size of libwebp's own", async () => {
    const picture = samplePicture(1_000, 1_000, true);
    const alphaBytes = (file: Uint8Array) =>
      new DataView(file.buffer, file.byteOffset).getUint32(
        Buffer.from(file).indexOf("ALPH") + 4,
        true,
      );
    const [ours, theirs] = [await webpOf(picture, 80), webpFile(picture)];
    expect(alphaBytes(ours)).toBeLessThan(2 * alphaBytes(theirs));
  });

  testInProof("writes noise as large as is taken, which the encoder needs most for", async () => {
    const [width, height] = [2_304, 2_304];
    const rgba = new Uint8ClampedArray(width * height * 4);
    let state = 1;
    for (let i = 0; i < rgba.length; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      rgba[i] = i % 4 === 3 ? 255 : state >>> 24;
    }
    const file = await webpOf({ rgba, width, height }, 100);
    expect(readImageHeader(file)).toMatchObject({ format: "webp", width, height });
  });

  testInProof("writes a drawing of 2048 px, the largest for nodes, with transparency", async () => {
    const drawing = samplePicture(2_048, 2_048, true);
    const file = await webpOf(drawing, 80);
    const decoded = decodeElsewhere(file);
    expect(Buffer.compare(alphaOf(decoded), alphaOf(drawing))).toBe(0);
    expect(psnr(flattenRaster(decoded), flattenRaster(drawing))).toBeGreaterThan(32);
  });
});
