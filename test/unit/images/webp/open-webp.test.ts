/** WebPs by rows, bit for bit like libvips. */
import sharp, { type WebpOptions } from "sharp";
import { describe, expect, it } from "vitest";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import { openImage } from "../../../../src/images/open-image.ts";
import type { Raster } from "../../../../src/images/raster/raster.ts";
import { noise } from "../../../support/images/largest-picture.ts";
import { rustWebpFile, samplePicture, webpFile } from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";
import { webpOf } from "../../../support/images/webp-of.ts";

const MB = 1024 * 1024;
const SIZES = [
  [1, 1],
  [2, 3],
  [15, 47],
  [16, 16],
  [33, 17],
  [203, 117],
] as const;

const bySharp = ({ rgba, width, height }: Raster, isClear: boolean, options: WebpOptions) => {
  const picture = sharp(Buffer.from(rgba), { raw: { width, height, channels: 4 } });
  return (isClear ? picture : picture.removeAlpha()).webp(options).toBuffer();
};

/** Files of one picture, of every kind. */
async function kindsOf(picture: Raster): Promise<Readonly<Record<string, Uint8Array>>> {
  return {
    lossy: await bySharp(picture, false, { quality: 75 }),
    "lossy, without a filter": await bySharp(picture, false, { quality: 100 }),
    "lossy, with transparency": await bySharp(picture, true, { quality: 60 }),
    "lossy, with lossy transparency": await bySharp(picture, true, { alphaQuality: 30 }),
    lossless: await bySharp(picture, false, { lossless: true }),
    "lossless, with transparency": await bySharp(picture, true, { lossless: true }),
    "nearly lossless": await bySharp(picture, true, { nearLossless: true, quality: 20 }),
    "of libwebp 1.0.2": webpFile(picture),
    "of libwebp 1.0.2, lossless": webpFile(picture, true),
    "of image-rs": rustWebpFile(picture),
    "of ours": await webpOf(picture, 80),
  };
}

/** All rows, and the number of rows of each piece. */
async function read(bytes: Uint8Array) {
  const picture = await openImage(bytes, readImageHeader(bytes), imageCodecs, 64 * MB);
  const pieces: Buffer[] = [];
  for await (const stripe of picture.stripes()) {
    pieces.push(Buffer.from(stripe));
  }
  return {
    isOpaque: picture.isOpaque,
    rgba: Buffer.concat(pieces),
    rows: pieces.map(({ length }) => length / 4 / picture.width),
  };
}

describe("a WebP", () => {
  it.each(SIZES)("of %d × %d px has each pixel like libvips", async (width, height) => {
    for (const picture of [samplePicture(width, height, true), noise(width, height, true)]) {
      for (const [kind, file] of Object.entries(await kindsOf(picture))) {
        const { rgba, isOpaque } = await read(file);
        const expected = await sharp(file).ensureAlpha().raw().toBuffer();
        expect(rgba.equals(expected), kind).toBe(true);
        const isClear = rgba.some((value, at) => at % 4 === 3 && value !== 255);
        expect(isClear && isOpaque, `${kind}: transparent pixels`).toBe(false);
      }
    }
  });

  it("comes some rows at a time, in order, whatever its kind", async () => {
    for (const [kind, file] of Object.entries(await kindsOf(noise(40, 300, true)))) {
      const { rows } = await read(file);
      expect(rows.length, kind).toBeGreaterThan(300 / 64);
      expect(Math.max(...rows), kind).toBeLessThanOrEqual(32);
    }
  });

  it("whose header states no transparency has none, whatever its pixels say", async () => {
    const file = Uint8Array.from(webpFile(noise(20, 10, true), true));
    // The flag of VP8L, after its chunk's header and the first 28 bits.
    const start = Buffer.from(file).indexOf("VP8L") + 8;
    expect(file[start + 4]! & 0x10).toBe(0x10);
    expect((await read(file)).isOpaque).toBe(false);
    file[start + 4]! &= ~0x10;
    const { rgba, isOpaque } = await read(file);
    expect(isOpaque).toBe(true);
    expect(rgba.every((value, at) => at % 4 !== 3 || value === 255)).toBe(true);
  });
});
