/** Pictures of every kind and quality in a PDF: each prints as other decoders show it, or has its reason. */
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openPng } from "../../../support/images/encode-png.ts";
import { type Raster, readRaster } from "../../../../src/images/raster/raster.ts";
import { PageDrawer } from "../../../../src/render/pages/page-drawer.ts";
import { storedToShown } from "../../../../src/render/pdf/pictures/orientation-matrix.ts";
import { preparePicture } from "../../../../src/render/pdf/pictures/prepare-picture.ts";
import { writePdf } from "../../../../src/render/pdf/write-pdf.ts";
import { compiledPackageFile } from "../../../support/compiled-package-file.ts";
import { HOSTILE_FILES } from "../../../support/images/hostile-files.ts";
import { decodeElsewhere, psnr } from "../../../support/images/judge-picture.ts";
import { rawPng } from "../../../support/images/raw-png.ts";
import {
  gifFile,
  jpegFile,
  orientedJpeg,
  pngFile,
  progressiveJpegFile,
  samplePicture,
  webpFile,
} from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";
import { joined, NO_RESOURCES, PLAIN_OPTIONS, pageOf } from "../../../support/pdf/plain-options.ts";
import { pngOf } from "../../../support/pdf/png-of.ts";

const drawer = new PageDrawer(
  compiledPackageFile("@hyzyla/pdfium/dist/pdfium.wasm"),
  imageCodecs.pixels,
);
const RULES = { allowsCmyk: true };
/** Pictures of this size are drawn on pages of this size, pixel by pixel. */
const [WIDTH, HEIGHT] = [64, 48];
const TIME_MAX_MS = 5_000;

const prepare = (bytes: Uint8Array) => preparePicture(bytes, imageCodecs, RULES);

/** A page of the picture's size that shows it, as PDFium draws it. */
async function drawn(bytes: Uint8Array): Promise<Raster> {
  const prepared = await prepare(bytes);
  if (typeof prepared === "string") {
    throw new Error(prepared);
  }
  const { width, height } = prepared.facts;
  const page = pageOf([{ kind: "picture", picture: "p", matrix: [width, 0, 0, height, 0, 0] }], {
    width,
    height,
    pageNumber: 1,
  });
  const resources = { ...NO_RESOURCES, picture: () => prepared };
  const pdf = await joined(writePdf([page], resources, PLAIN_OPTIONS));
  const png = await drawer.use([pdf], (document) =>
    Buffer.concat(
      [...document.draw(0, Math.max(width, height)).pieces()].map((one) => one.slice()),
    ),
  );
  return readRaster(openPng(png));
}

/** On white, as a page is. */
function onWhite({ rgba, width, height }: Raster): Raster {
  const flat = new Uint8ClampedArray(rgba.length);
  for (let i = 0; i < rgba.length; i++) {
    const alpha = (rgba[i | 3] ?? 0) / 255;
    flat[i] = (i & 3) === 3 ? 255 : (rgba[i] ?? 0) * alpha + 255 * (1 - alpha);
  }
  return { rgba: flat, width, height };
}

/** Red, green, blue and black quarters, from the top left in reading order. */
function quarters(): Raster {
  const rgba = new Uint8ClampedArray(WIDTH * HEIGHT * 4);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const quarter = (y < HEIGHT / 2 ? 0 : 2) + (x < WIDTH / 2 ? 0 : 1);
      const color = [
        [255, 0, 0],
        [0, 255, 0],
        [0, 0, 255],
        [0, 0, 0],
      ][quarter]!;
      rgba.set([...color, 255], (y * WIDTH + x) * 4);
    }
  }
  return { rgba, width: WIDTH, height: HEIGHT };
}

function at({ rgba, width, height }: Raster, u: number, v: number): string {
  const i = (Math.floor(v * height) * width + Math.floor(u * width)) * 4;
  return [...rgba.subarray(i, i + 3)].map((value) => (value > 128 ? "1" : "0")).join("");
}

let seed = 1;
const random = () => (seed = (seed * 48_271) % 0x7f_ff_ff_ff) % 256;
const png = (
  colorType: 0 | 2 | 3 | 4 | 6,
  bitDepth: number,
  isInterlaced: boolean,
  clear?: number[],
) =>
  rawPng(
    { width: WIDTH, height: HEIGHT, colorType, bitDepth, isInterlaced, ...(clear && { clear }) },
    random,
  );
const sample = samplePicture(WIDTH, HEIGHT);
const clear = samplePicture(WIDTH, HEIGHT, true);

describe("a picture of every kind", () => {
  it.each<[string, () => Uint8Array, number]>([
    ["a JPEG", () => jpegFile(sample), 32],
    ["a progressive JPEG", () => progressiveJpegFile(sample), 32],
    ["a GIF of many frames: the first", () => gifFile(sample, 4), 50],
    ["a transparent GIF", () => gifFile(clear), 50],
    ["a WebP", () => webpFile(sample), 36],
    ["a transparent WebP", () => webpFile(clear, true), 45],
    ["a PNG", () => pngFile(sample), 50],
    ["a transparent PNG", () => pngFile(clear), 45],
    ["a PNG of 16 bits", () => png(2, 16, false), 50],
    ["a PNG of 16 bits with opacity", () => png(6, 16, true), 40],
    ["a gray PNG of 2 bits", () => png(0, 2, false), 50],
    ["a gray PNG with opacity", () => png(4, 8, false), 40],
    ["an interlaced PNG", () => png(2, 8, true), 50],
    ["a palette", () => png(3, 8, false), 50],
    ["an interlaced palette of 4 bits", () => png(3, 4, true), 50],
    ["a palette with opacities", () => png(3, 8, false, [0, 128, 255, 7, 200]), 40],
    ["one transparent color", () => png(2, 8, false, [0, 1, 0, 2, 0, 3]), 50],
  ])("is drawn as other decoders show it: %s", async (_, make, decibels) => {
    const bytes = make();
    const isPng = bytes[0] === 0x89;
    const expected = onWhite(isPng ? await readRaster(openPng(bytes)) : decodeElsewhere(bytes));
    const shown = await drawn(bytes);
    expect([shown.width, shown.height]).toEqual([WIDTH, HEIGHT]);
    expect(psnr(shown, expected)).toBeGreaterThan(decibels);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)(
    "is turned as EXIF's orientation %i says",
    async (orientation) => {
      const shown = await drawn(orientedJpeg(jpegFile(quarters(), 100), orientation));
      const isTurned = orientation >= 5;
      expect([shown.width, shown.height]).toEqual(isTurned ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT]);
      const stored = quarters();
      // EXIF 2.32, tag 274: where the stored picture's first row and first column are shown.
      const [a, b, c, d, e, f] = storedToShown(orientation);
      for (const [u, v] of [
        [0.2, 0.2],
        [0.8, 0.2],
        [0.2, 0.8],
        [0.8, 0.8],
      ] as const) {
        expect(at(shown, a * u + c * v + e, b * u + d * v + f)).toBe(at(stored, u, v));
      }
    },
  );

  it("has its corners where EXIF says, by name", async () => {
    /** Colors at the shown top left and top right. */
    const RED = "100";
    const [GREEN, BLUE, BLACK] = ["010", "001", "000"];
    const corners = new Map<number, readonly string[]>([
      [1, [RED, GREEN]],
      [2, [GREEN, RED]],
      [3, [BLACK, BLUE]],
      [4, [BLUE, BLACK]],
      [5, [RED, BLUE]],
      [6, [BLUE, RED]],
      [7, [BLACK, GREEN]],
      [8, [GREEN, BLACK]],
    ]);
    for (const [orientation, expected] of corners) {
      const shown = await drawn(orientedJpeg(jpegFile(quarters(), 100), orientation));
      expect([at(shown, 0.2, 0.2), at(shown, 0.8, 0.2)], String(orientation)).toEqual(expected);
    }
  });
});

describe("a hostile picture", () => {
  it.each(HOSTILE_FILES)(
    "prints or has a reason, in little time: $name",
    async ({ bytes, code }) => {
      const began = performance.now();
      const prepared = await prepare(bytes);
      if (typeof prepared === "string") {
        const reason = code === "IMAGE_TOO_LARGE" ? "too_large" : "unreadable";
        expect([reason, "unsupported"]).toContain(prepared);
      } else {
        // Of CMYK, which the runner's tools refuse and a PDF shows; and of JPEG data that only its decoder judges.
        expect(prepared.facts.format).toBe("jpeg");
      }
      expect(performance.now() - began).toBeLessThan(TIME_MAX_MS);
    },
  );

  it.each([
    ["PNG", () => pngFile(sample)],
    ["interlaced PNG", () => png(6, 8, true)],
    ["JPEG", () => jpegFile(sample)],
    ["progressive JPEG", () => progressiveJpegFile(sample)],
    ["GIF", () => gifFile(sample)],
    ["WebP", () => webpFile(sample)],
  ])("that is cut short prints nothing: a %s", async (_, make) => {
    const whole = make();
    for (const part of [0.05, 0.3, 0.6, 0.9]) {
      expect(await prepare(whole.subarray(0, Math.floor(whole.length * part)))).toBe("unreadable");
    }
  });

  it("that states another size than it has prints nothing, or only that size", async () => {
    const rows = deflateSync(new Uint8Array(3 * 4));
    for (const [width, height] of [
      [2, 400],
      [60_000, 60_000],
      [0, 3],
      [2 ** 31 - 1, 1],
    ] as const) {
      const lying = pngOf({ width, height, depth: 8, color: 0 }, rows);
      expect(["unreadable", "too_large"]).toContain(await prepare(lying));
    }
  });
});
