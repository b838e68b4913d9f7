import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { resamplePicture } from "../../../../src/images/raster/resample-picture.ts";
import { type Raster, rasterPicture, readRaster } from "../../../../src/images/raster/raster.ts";
import { RowResampler } from "../../../../src/images/raster/row-resampler.ts";
import { visiblePsnr } from "../../../support/images/judge-picture.ts";
import { scaledPlainly } from "../../../support/images/plain-resampler.ts";
import { samplePicture } from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const scaled = (source: Raster, width: number, height: number) =>
  readRaster(resamplePicture(imageCodecs.pixels, rasterPicture(source), { width, height }));

async function scaledBySharp(source: Raster, width: number, height: number): Promise<Raster> {
  const raw = { width: source.width, height: source.height, channels: 4 } as const;
  const data = await sharp(source.rgba, { raw })
    .resize(width, height, { fit: "fill", kernel: "lanczos3" })
    .raw()
    .toBuffer();
  return { rgba: new Uint8ClampedArray(data), width, height };
}

/** Every value of a channel, 0 and 255 more often. */
function noise(width: number, height: number, clear: boolean): Raster {
  let state = width * 31 + height;
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff) >>> 8;
  const rgba = Uint8ClampedArray.from({ length: width * height * 4 }, (_, at) =>
    at % 4 === 3 && !clear ? 255 : (next() % 400) - 72,
  );
  return { rgba, width, height };
}

describe("resamplePicture", () => {
  it.each([
    [480, 360],
    [700, 90],
    [241, 179],
    [130, 100],
    [119, 91],
    [80, 60],
    [37, 29],
    [16, 150],
  ])("scales opaque and transparent pictures to %d × %d px like libvips", async (width, height) => {
    for (const clear of [false, true]) {
      const source = samplePicture(240, 180, clear);
      const [ours, theirs] = [
        await scaled(source, width, height),
        await scaledBySharp(source, width, height),
      ];
      expect(visiblePsnr(ours, theirs), clear ? "transparent" : "opaque").toBeGreaterThan(38);
    }
  });

  it.each([
    [1, 1],
    [2, 3],
    [5, 8],
    [13, 9],
    [14, 12],
    [15, 17],
    [40, 5],
  ])("gives each pixel as whole numbers one at a time do, to %d × %d px", async (width, height) => {
    for (const [from, clear] of [
      [{ width: 1, height: 7 }, false],
      [{ width: 6, height: 1 }, true],
      [{ width: 27, height: 19 }, false],
      [{ width: 30, height: 23 }, true],
      [{ width: 131, height: 66 }, false],
      [{ width: 101, height: 45 }, true],
    ] as const) {
      const source = noise(from.width, from.height, clear);
      const ours = await scaled(source, width, height);
      expect(ours.rgba, JSON.stringify(from)).toEqual(
        scaledPlainly(source, { width, height }).rgba,
      );
    }
  });

  it("keeps one color exactly, at every size and opacity", async () => {
    for (const alpha of [255, 254, 128, 3]) {
      const rgba = new Uint8ClampedArray(23 * 17 * 4);
      for (let at = 0; at < rgba.length; at += 4) {
        rgba.set([200, 13, 255, alpha], at);
      }
      for (const [width, height] of [
        [1, 1],
        [7, 40],
        [23, 3],
        [61, 59],
      ] as const) {
        const { rgba: out } = await scaled({ rgba, width: 23, height: 17 }, width, height);
        const colors = new Set(new Uint32Array(out.buffer));
        expect([...new Uint8Array(Uint32Array.from(colors).buffer)]).toEqual([200, 13, 255, alpha]);
      }
    }
  });

  it("lets no hidden color of a transparent pixel into its neighbors", async () => {
    const rgba = new Uint8ClampedArray(40 * 40 * 4);
    for (let at = 0; at < rgba.length; at += 4) {
      rgba.set((at / 4) % 40 < 20 ? [0, 255, 0, 0] : [255, 0, 0, 255], at);
    }
    for (const side of [9, 27, 95]) {
      const { rgba: out } = await scaled({ rgba, width: 40, height: 40 }, side, side);
      for (let at = 0; at < out.length; at += 4) {
        expect(out[at + 1]).toBe(0);
      }
    }
  });

  it("returns a window of the scaled picture, equal to that part of the whole", async () => {
    const source = samplePicture(90, 70, true);
    for (const to of [
      { width: 200, height: 70 },
      { width: 50, height: 31 },
      { width: 30, height: 20 },
    ]) {
      const window = { left: 7, top: 5, width: 21, height: 13 };
      const whole = await readRaster(
        resamplePicture(imageCodecs.pixels, rasterPicture(source), to),
      );
      const part = await readRaster(
        resamplePicture(imageCodecs.pixels, rasterPicture(source), to, window),
      );
      for (let y = 0; y < window.height; y++) {
        const from = ((y + window.top) * to.width + window.left) * 4;
        const expected = whole.rgba.subarray(from, from + window.width * 4);
        expect(part.rgba.subarray(y * 84, (y + 1) * 84)).toEqual(expected);
      }
    }
  });

  it("returns the same pixels when nothing is to be scaled", async () => {
    const source = samplePicture(33, 21, true);
    expect((await scaled(source, 33, 21)).rgba).toEqual(source.rgba);
  });

  it("holds the rows of the kernel, not the picture: 1 MB for 12 megapixels", () => {
    const to = { width: 1_024, height: 768 };
    expect(RowResampler.bytes({ width: 4_000, height: 3_000 }, to, to)).toBeLessThan(1024 * 1024);
  });
});
