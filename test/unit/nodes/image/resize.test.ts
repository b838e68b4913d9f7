/** `image/resize` on every kind of picture, judged by sharp (libvips). */
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { Raster } from "../../../../src/images/raster/raster.ts";
import { imageResize } from "../../../../src/nodes/image/resize.ts";
import { HOSTILE_FILES } from "../../../support/images/hostile-files.ts";
import { visiblePsnr } from "../../../support/images/judge-picture.ts";
import { decodeByPngjs, decodeBySharp } from "../../../support/images/outside-readers.ts";
import { pictureCorpus } from "../../../support/images/picture-corpus.ts";
import { type PictureFile, runPictureNode } from "../../../support/images/run-picture-node.ts";
import {
  gifFile,
  jpegFile,
  orientedJpeg,
  pngFile,
  samplePicture,
  webpFile,
} from "../../../support/images/sample-files.ts";
import { sizeOf } from "../../../support/sizes.ts";

const CORPUS = await pictureCorpus();
/** Kinds are spread over the corpus, so that some of each are among them. */
const TRIED = CORPUS.filter((_, at) => at % sizeOf("pictureStride") === 0);
const png = (picture: Raster): PictureFile => ({
  name: "a.png",
  contentType: "image/png",
  bytes: pngFile(picture),
});
const jpeg = (picture: Raster, orientation = 1): PictureFile => ({
  name: "a.jpg",
  contentType: "image/jpeg",
  bytes: orientedJpeg(jpegFile(picture), orientation),
});

async function resize(parameters: Record<string, unknown>, image: PictureFile) {
  const ran = await runPictureNode(imageResize, parameters, { image });
  return { ...ran, picture: await decodeBySharp(ran.bytes) };
}

/** The same file scaled by sharp. */
async function bySharp(
  bytes: Uint8Array,
  width: number,
  height: number,
  options: object = { fit: "fill" },
): Promise<Raster> {
  const file = await sharp(bytes)
    .rotate()
    .ensureAlpha()
    .resize(width, height, { kernel: "lanczos3", fastShrinkOnLoad: false, ...options })
    .png()
    .toBuffer();
  return decodeBySharp(file);
}

const LOSSY: ReadonlySet<string> = new Set(["image/jpeg", "image/webp"]);

describe("image/resize", () => {
  it("is tried with more than 60 pictures of all kinds", () => {
    expect(new Set(CORPUS.map(({ name }) => name)).size).toBeGreaterThan(60);
  });

  it.each(TRIED.map((file) => [file.name, file] as const))(
    "scales %s as sharp does, by size and pixels",
    async (_name, file) => {
      const { width: w, height: h } = await decodeBySharp(file.bytes);
      // Less than half, more than half, and enlarged in one direction.
      for (const parameters of [
        { width: Math.floor(w / 3) },
        { height: Math.ceil(h * 0.7) },
        { width: w + 13, height: h - 7, fit: "stretch" },
      ]) {
        const { outputs, image, picture } = await resize(parameters, file);
        const { width = Math.round((w * (parameters.height ?? 0)) / h) } = parameters;
        const { height = Math.round((h * width) / w) } = parameters;
        expect([outputs.get("width"), outputs.get("height")]).toEqual([width, height]);
        expect([picture.width, picture.height]).toEqual([width, height]);
        const nearness = visiblePsnr(picture, await bySharp(file.bytes, width, height));
        // JPEG and WebP have lost something when they are written, too. libvips enlarges with another kernel, and
        // between its two passes it clips what overshoots at the edges between few colors.
        const isSoft = !LOSSY.has(image.contentType) && !/^(?:2|4|16)-colors/.test(file.name);
        const least = parameters.fit === "stretch" ? 24 : isSoft ? 38 : 30;
        expect(nearness).toBeGreaterThan(least);
      }
    },
  );

  it("keeps PNG, JPEG and WebP, and makes a PNG of all others", async () => {
    const picture = samplePicture(40, 30);
    for (const [type, bytes, name, expected] of [
      ["image/png", pngFile(picture), "a.b.png", "image/png"],
      ["image/jpeg", jpegFile(picture), "a.b.JPEG", "image/jpeg"],
      ["image/webp", webpFile(picture), "a.b.webp", "image/webp"],
      ["image/gif", gifFile(picture), "a.b.gif", "image/png"],
    ] as const) {
      const { image, bytes: made } = await resize(
        { width: 20 },
        { name, contentType: type, bytes },
      );
      const extension = { "image/png": "png", "image/jpeg": "jpg", "image/webp": "webp" }[expected];
      expect([image.contentType, image.name]).toEqual([expected, `a.b.${extension}`]);
      const { format } = await sharp(made).metadata();
      expect(`image/${format}`).toBe(expected);
    }
  });

  it("contains on a background at the exact place, as sharp does", async () => {
    const source = samplePicture(80, 33);
    const { picture } = await resize({ width: 50, height: 60, background: "#102030" }, png(source));
    const background = { r: 16, g: 32, b: 48, alpha: 1 };
    const theirs = await bySharp(pngFile(source), 50, 60, { fit: "contain", background });
    expect(visiblePsnr(picture, theirs)).toBeGreaterThan(38);
    // 50 × 21 px: the first row of the picture is row 19, and 20 rows are below it.
    const row = (y: number) => [...picture.rgba.subarray(y * 200, y * 200 + 4)];
    expect([row(18), row(40)]).toEqual([
      [16, 32, 48, 255],
      [16, 32, 48, 255],
    ]);
    expect(row(19)).not.toEqual([16, 32, 48, 255]);
    expect(row(39)).not.toEqual([16, 32, 48, 255]);
  });

  it("covers the size and crops the middle, as sharp does", async () => {
    for (const [w, h] of [
      // With an even rest: sharp rounds the offset up.
      [160, 64],
      [60, 180],
    ] as const) {
      const source = samplePicture(w, h, true);
      const { picture } = await resize({ width: 50, height: 60, fit: "cover" }, png(source));
      const theirs = await bySharp(pngFile(source), 50, 60, { fit: "cover" });
      expect(visiblePsnr(picture, theirs)).toBeGreaterThan(38);
    }
  });

  it("makes a PNG of a JPEG whose padding is transparent, and of no other JPEG", async () => {
    const photo = jpeg(samplePicture(80, 40));
    const made = async (parameters: object) =>
      (await resize({ width: 40, height: 40, ...parameters }, photo)).image.contentType;
    expect(await made({})).toBe("image/png");
    expect(await made({ background: "transparent" })).toBe("image/png");
    expect(await made({ background: "#ffffff" })).toBe("image/jpeg");
    expect(await made({ fit: "inside" })).toBe("image/jpeg");
    expect(await made({ fit: "cover" })).toBe("image/jpeg");
    expect(await made({ height: 20 })).toBe("image/jpeg");
  });

  it.each([false, true])("reads a JPEG in CMYK, progressive: %s", async (progressive) => {
    const { rgba, width, height } = samplePicture(64, 48);
    const bytes = await sharp(rgba, { raw: { width, height, channels: 4 } })
      .removeAlpha()
      .toColourspace("cmyk")
      .withIccProfile("cmyk")
      .jpeg({ progressive, quality: 95 })
      .toBuffer();
    expect((await sharp(bytes).metadata()).space).toBe("cmyk");
    const image = { name: "print.jpg", contentType: "image/jpeg", bytes: new Uint8Array(bytes) };
    const { picture } = await resize({ width: 32 }, image);
    const expected = await bySharp(bytes, 32, 24);
    expect(visiblePsnr(picture, expected)).toBeGreaterThan(30);
  });

  it("puts transparent parts on the background", async () => {
    const { picture } = await resize(
      { width: 20, height: 20, background: "#ff0000" },
      png({ rgba: new Uint8ClampedArray(40 * 40 * 4), width: 40, height: 40 }),
    );
    expect(new Set(new Uint32Array(picture.rgba.buffer))).toEqual(new Set([0xff0000ff]));
  });

  it("turns first, and writes no metadata", async () => {
    const { picture, bytes } = await resize({ width: 20 }, jpeg(samplePicture(80, 40), 6));
    expect([picture.width, picture.height]).toEqual([20, 40]);
    const { exif, icc, xmp, orientation } = await sharp(bytes).metadata();
    expect([exif, icc, xmp, orientation]).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("writes PNG that pngjs reads too", async () => {
    const { bytes, picture } = await resize({ width: 33 }, png(samplePicture(80, 40, true)));
    expect(decodeByPngjs(bytes)).toEqual(picture);
  });

  it("rejects a picture that would have a side over 8,192 px, and one that needs too much memory", async () => {
    const thin = png(samplePicture(2, 90));
    await expect(resize({ width: 8_192 }, thin)).rejects.toMatchObject({
      code: "IMAGE_TOO_LARGE",
      message: expect.stringContaining("at most 8192 px on each side") as string,
    });
    const webp = { ...thin, contentType: "image/webp", bytes: webpFile(samplePicture(64, 64)) };
    await expect(resize({ width: 8_192 }, webp)).rejects.toMatchObject({
      code: "IMAGE_TOO_LARGE",
      message: expect.stringContaining("Ask for a smaller picture") as string,
    });
  });

  it.each(HOSTILE_FILES.map((file) => [file.name, file] as const))(
    "rejects %s",
    async (_name, { bytes, code }) => {
      const image = { name: "x.png", contentType: "image/png", bytes };
      await expect(resize({ width: 8 }, image)).rejects.toMatchObject({ code });
    },
  );

  it("needs a width or a height, in 1 to 8,192, and a color", () => {
    const { params, check } = imageResize;
    expect(check(params.parse({}))).toMatchObject([{ code: "INVALID_PARAMETER", path: "width" }]);
    expect(check(params.parse({ height: 1 }))).toEqual([]);
    for (const wrong of [
      { width: 0 },
      { width: 8_193 },
      { width: 10.5 },
      { width: "10" },
      { height: null },
      { width: 9, fit: "fill" },
      { width: 9, background: "red" },
      { width: 9, background: "#fff" },
      { width: 9, background: "#12345678" },
    ]) {
      expect(params.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
    }
  });
});
