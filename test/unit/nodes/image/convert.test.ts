/** `image/convert` on every kind of picture, judged by sharp (libvips). */
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { flattenRaster } from "../../../../src/images/raster/flatten-raster.ts";
import { imageConvert } from "../../../../src/nodes/image/convert.ts";
import { visiblePsnr } from "../../../support/images/judge-picture.ts";
import { HOSTILE_FILES } from "../../../support/images/hostile-files.ts";
import { decodeBySharp } from "../../../support/images/outside-readers.ts";
import { pictureCorpus } from "../../../support/images/picture-corpus.ts";
import { type PictureFile, runPictureNode } from "../../../support/images/run-picture-node.ts";
import {
  jpegFile,
  orientedJpeg,
  pngFile,
  samplePicture,
} from "../../../support/images/sample-files.ts";
import { sizeOf } from "../../../support/sizes.ts";

const CORPUS = await pictureCorpus();
/** Kinds are spread over the corpus, so that some of each are among them. */
const TRIED = CORPUS.filter((_, at) => at % sizeOf("pictureStride") === 0);
const FORMATS = { png: "png", jpg: "jpeg", webp: "webp" } as const;

const convert = (parameters: Record<string, unknown>, image: PictureFile) =>
  runPictureNode(imageConvert, parameters, { image });

describe("image/convert", () => {
  it.each(TRIED.map((file) => [file.name, file] as const))(
    "writes %s in each format, upright, as sharp reads it",
    async (_name, file) => {
      const source = await decodeBySharp(file.bytes);
      for (const [format, read] of Object.entries(FORMATS)) {
        const { bytes, image } = await convert({ format, quality: 95 }, file);
        expect([image.contentType, (await sharp(bytes).metadata()).format]).toEqual([
          `image/${read}`,
          read,
        ]);
        const made = await decodeBySharp(bytes);
        const expected = format === "jpg" ? flattenRaster(source) : source;
        expect(visiblePsnr(made, expected), format).toBeGreaterThan(format === "png" ? 48 : 30);
      }
    },
  );

  it("passes on a file that has the format, metadata and all", async () => {
    const picture = samplePicture(30, 20);
    for (const [format, bytes, contentType] of [
      ["jpg", orientedJpeg(jpegFile(picture), 1), "image/jpeg"],
      ["png", pngFile(picture), "image/png"],
    ] as const) {
      const { image, inputs } = await convert({ format }, { name: "a.x", contentType, bytes });
      expect(image).toBe(inputs.get("image"));
    }
  });

  it.each([
    ["it is turned", orientedJpeg(jpegFile(samplePicture(30, 20)), 6), {}],
    ["a quality is given", orientedJpeg(jpegFile(samplePicture(30, 20)), 1), { quality: 85 }],
    [
      "a background is given",
      orientedJpeg(jpegFile(samplePicture(30, 20)), 1),
      { background: "#ffffff" },
    ],
  ])("writes a JPEG again if %s, without metadata", async (_why, bytes, more) => {
    const file = { name: "a.jpg", contentType: "image/jpeg", bytes };
    const { image, inputs, bytes: made } = await convert({ format: "jpg", ...more }, file);
    expect(image).not.toBe(inputs.get("image"));
    const { exif, orientation } = await sharp(made).metadata();
    expect([exif, orientation]).toEqual([undefined, undefined]);
  });

  it("puts transparent parts on the background, in every format", async () => {
    const clear = { rgba: new Uint8ClampedArray(16 * 16 * 4), width: 16, height: 16 };
    const file = { name: "a.png", contentType: "image/png", bytes: pngFile(clear) };
    for (const [format, background, expected] of [
      ["jpg", undefined, [255, 255, 255, 255]],
      ["jpg", "transparent", [255, 255, 255, 255]],
      ["jpg", "#4080c0", [64, 128, 192, 255]],
      ["png", "#4080C0", [64, 128, 192, 255]],
      ["png", "transparent", [0, 0, 0, 0]],
      ["png", undefined, [0, 0, 0, 0]],
      ["webp", "#4080c0", [64, 128, 192, 255]],
    ] as const) {
      const { rgba } = await decodeBySharp((await convert({ format, background }, file)).bytes);
      for (const [i, value] of expected.entries()) {
        expect(Math.abs(rgba[i]! - value), `${format} ${background}`).toBeLessThanOrEqual(2);
      }
    }
  });

  it("is PNG by default, and smaller at a lower quality", async () => {
    const file = {
      name: "a.b.jpg",
      contentType: "image/jpeg",
      bytes: jpegFile(samplePicture(200, 150)),
    };
    expect((await convert({}, file)).image).toMatchObject({
      name: "a.b.png",
      contentType: "image/png",
    });
    for (const format of ["jpg", "webp"]) {
      const [low, high] = [
        await convert({ format, quality: 20 }, file),
        await convert({ format, quality: 90 }, file),
      ];
      expect(low.bytes.length).toBeLessThan(high.bytes.length / 1.5);
    }
  });

  it.each(HOSTILE_FILES.map((file) => [file.name, file] as const))(
    "rejects %s",
    async (_name, { bytes, code }) => {
      const image = { name: "x.png", contentType: "image/png", bytes };
      await expect(convert({ format: "jpg" }, image)).rejects.toMatchObject({ code });
    },
  );

  it("rejects other formats, qualities and colors", () => {
    for (const wrong of [
      { format: "gif" },
      { format: "jpg", quality: 0 },
      { format: "jpg", quality: 101 },
      { format: "jpg", quality: 80.5 },
      { background: "white" },
      { background: "#ffff" },
    ]) {
      expect(imageConvert.params.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
    }
  });
});
