/** AVIFs of every kind: pixels as libavif with libaom decodes them. They share no code with dav1d and with the reader here. */
import { describe, expect, it } from "vitest";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import { decodeImage, openImage } from "../../../../src/images/open-image.ts";
import { type Raster, readRaster } from "../../../../src/images/raster/raster.ts";
import { decodeByLibavif } from "../../../support/images/libavif.ts";
import { type AvifParts, framesOf, makeAvif } from "../../../support/images/make-avif.ts";
import { orientRaster } from "../../../support/images/orient-raster.ts";
import { avifFile, samplePicture } from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

// Odd sides, so that the last samples of halved colors belong to one pixel.
const opaque = samplePicture(61, 47);
const clear = samplePicture(61, 47, true);
const GRID = { rows: 2, columns: 3, width: 180, height: 100 };
const cells = [0, 1, 2, 3, 4, 5].map((number) => {
  const cell = samplePicture(64, 64, true);
  cell.rgba.forEach((value, at) => {
    cell.rgba[at] = (at & 3) === number % 3 ? 255 - value : value;
  });
  return framesOf(avifFile(cell, 70, 1));
});
const layer = (number: 0 | 1) => ({ frames: cells.map((frames) => frames[number]!), grid: GRID });

const KINDS: Readonly<Record<string, Uint8Array>> = {
  gray: avifFile(opaque, 70, 0),
  "halved colors": avifFile(opaque, 70, 1),
  "colors of half the width": avifFile(opaque, 70, 2),
  "whole colors": avifFile(opaque, 70, 3),
  transparency: avifFile(clear, 70, 1),
  "RGB, lossless": avifFile(opaque, 100, 3, { lossless: true }),
  "10 bits": avifFile(opaque, 70, 1, { bitDepth: 10 }),
  "10 bits with colors of half the width and transparency": avifFile(clear, 70, 2, {
    bitDepth: 10,
  }),
  "12 bits with transparency": avifFile(clear, 70, 3, { bitDepth: 12 }),
  "film grain": avifFile(opaque, 50, 1, { denoiseLevel: 40 }),
  tiles: avifFile(samplePicture(300, 300), 70, 1, { tileColsLog2: 1, tileRowsLog2: 1 }),
  "a grid": makeAvif({ color: layer(0) }),
  "a grid with transparency": makeAvif({ color: layer(0), alpha: layer(1) }),
  "data in the box of the items": makeAvif({
    color: { frames: framesOf(avifFile(opaque, 70, 1)) },
    isInMeta: true,
  }),
};

/** The greatest difference of a sample. */
function apart(one: Raster, other: Raster): number {
  expect([one.width, one.height]).toEqual([other.width, other.height]);
  return one.rgba.reduce((max, value, i) => Math.max(max, Math.abs(value - other.rgba[i]!)), 0);
}

const decode = (bytes: Uint8Array) => decodeImage(bytes, imageCodecs);

async function judged(bytes: Uint8Array): Promise<Raster> {
  const raster = await decodeByLibavif(bytes);
  if (raster === undefined) {
    throw new Error("libavif refuses the file.");
  }
  return readImageHeader(bytes).turns.reduce(orientRaster, raster);
}

describe("an AVIF", () => {
  it.each(Object.entries(KINDS))("with %s has the pixels of libavif", async (_, bytes) => {
    expect(apart(await decode(bytes), await judged(bytes))).toBe(0);
  });

  it.each([0, 1, 2, 3].flatMap((irot) => [undefined, 0, 1].map((imir) => ({ irot, imir }))))(
    "is turned $irot times and mirrored $imir",
    async ({ irot, imir }) => {
      const color = { frames: framesOf(KINDS["halved colors"]!) };
      const parts: AvifParts = { color, irot, ...(imir === undefined ? {} : { imir }) };
      const upright = await decode(makeAvif({ color }));
      const file = makeAvif(parts);
      expect(apart(await decode(file), await judged(file))).toBe(0);
      if (irot > 0 || imir !== undefined) {
        expect((await decode(file)).rgba).not.toEqual(upright.rgba);
      }
    },
  );

  const whole = { frames: framesOf(KINDS["whole colors"]!) };
  it.each([1, 4, 5, 6, 7, 9, 12].flatMap((matrix) => [0, 1].map((range) => ({ matrix, range }))))(
    "whose file states matrix $matrix and range $range has these colors",
    async ({ matrix, range }) => {
      for (const primaries of matrix === 12 ? [1, 4, 5, 6, 7, 9, 12] : [1]) {
        const nclx = { primaries, transfer: 13, matrix, isFullRange: range };
        const file = makeAvif({ color: whole, nclx });
        // Another order of the same sum of floats.
        expect(apart(await decode(file), await judged(file))).toBeLessThanOrEqual(1);
      }
    },
  );

  it("whose colors are multiplied with its transparency has the colors before", async () => {
    const [color, alpha] = framesOf(KINDS["transparency"]!);
    const layers = { color: { frames: [color!] }, alpha: { frames: [alpha!] } };
    const file = makeAvif({ ...layers, isPremultiplied: true });
    expect(apart(await decode(file), await judged(file))).toBeLessThanOrEqual(3);
    expect(apart(await decode(file), await decode(makeAvif(layers)))).toBeGreaterThan(50);
  });

  it("is decoded within the memory that its header states, and not within half of it", async () => {
    for (const [subsample, changes] of [
      [1, {}],
      [3, { bitDepth: 10 }],
    ] as const) {
      const file = avifFile(samplePicture(1_400, 1_100, true), 60, subsample, changes);
      const header = readImageHeader(file);
      const { kept } = header.decodingBytes(1_400, 1_100, file.length);
      const read = async (bytesMax: number) =>
        readRaster(await openImage(file, header, imageCodecs, bytesMax));
      expect((await read(kept)).width).toBe(1_400);
      await expect(read(kept / 2)).rejects.toMatchObject({ code: "IMAGE_TOO_LARGE" });
    }
  });
});
