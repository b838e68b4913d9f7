/** `image/compose`, judged by sharp (libvips). */
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { CONVERSION_BYTES_MAX } from "../../../../src/images/conversion-bytes.ts";
import { Band } from "../../../../src/images/raster/lay-layer.ts";
import type { Raster } from "../../../../src/images/raster/raster.ts";
import { imageCompose } from "../../../../src/nodes/image/compose.ts";
import { HOSTILE_FILES } from "../../../support/images/hostile-files.ts";
import { decodeBySharp } from "../../../support/images/outside-readers.ts";
import { type PictureFile, runPictureNode } from "../../../support/images/run-picture-node.ts";
import {
  gifFile,
  jpegFile,
  orientedJpeg,
  pngFile,
  samplePicture,
  webpFile,
} from "../../../support/images/sample-files.ts";

const MB = 1024 * 1024;

const png = (picture: Raster): PictureFile => ({
  name: "a.png",
  contentType: "image/png",
  bytes: pngFile(picture),
});

async function compose(placements: readonly object[], base: PictureFile, layers: PictureFile[]) {
  const ran = await runPictureNode(imageCompose, { placements }, { base, layers });
  return { ...ran, picture: await decodeBySharp(ran.bytes) };
}

/** The picture with its opacity multiplied, as sharp takes it. */
function faded({ rgba, width, height }: Raster, opacity: number): Uint8Array {
  const out = rgba.slice();
  for (let at = 3; at < out.length; at += 4) {
    out[at] = out[at]! * opacity;
  }
  return pngFile({ rgba: out, width, height });
}

async function composedBySharp(
  base: Raster,
  layers: readonly { input: Uint8Array; left: number; top: number }[],
): Promise<Raster> {
  const raw = { width: base.width, height: base.height, channels: 4 } as const;
  const file = await sharp(base.rgba, { raw })
    .composite(layers.map((layer) => ({ ...layer, input: Buffer.from(layer.input) })))
    .png()
    .toBuffer();
  return decodeBySharp(file);
}

/** The largest difference of a channel, of colors multiplied by their opacity. */
function farthest(one: Raster, other: Raster): number {
  expect([one.width, one.height]).toEqual([other.width, other.height]);
  const seen = ({ rgba }: Raster, at: number) =>
    (at & 3) === 3 ? rgba[at]! : (rgba[at]! * rgba[at | 3]!) / 255;
  let most = 0;
  for (let at = 0; at < one.rgba.length; at++) {
    most = Math.max(most, Math.abs(seen(one, at) - seen(other, at)));
  }
  return most;
}

/** A layer so many times over the base, in floating point until the end. */
function composedInFloats(base: Raster, layer: Raster, opacity: number, times: number): Raster {
  const rgba = new Uint8ClampedArray(base.rgba.length);
  for (let at = 0; at < rgba.length; at += 4) {
    let alpha = base.rgba[at + 3]! / 255;
    const color = [0, 1, 2].map((channel) => base.rgba[at + channel]! * alpha);
    const above = (layer.rgba[at + 3]! / 255) * opacity;
    for (let i = 0; i < times; i++) {
      color.forEach((value, channel) => {
        color[channel] = layer.rgba[at + channel]! * above + value * (1 - above);
      });
      alpha = above + alpha * (1 - above);
    }
    rgba.set([...color.map((value) => value / (alpha || 1)), alpha * 255], at);
  }
  return { ...base, rgba };
}

describe("image/compose", () => {
  it.each([
    ["an opaque base", false, 1.01],
    // libvips cuts off the fractions of both the color and the opacity.
    ["a transparent base", true, 2],
  ])("lays layers over %s as sharp does", async (_name, clear, atMost) => {
    const base = samplePicture(90, 70, clear);
    const disc = samplePicture(40, 40, true);
    const photo = samplePicture(30, 50);
    const { picture, image } = await compose(
      [
        { x: 5, y: 9 },
        { x: 50, y: 10, opacity: 0.6 },
        { x: 20, y: 30 },
      ],
      png(base),
      [png(disc), png(photo), png(disc)],
    );
    expect(image).toMatchObject({ name: "a.png", contentType: "image/png" });
    const theirs = await composedBySharp(base, [
      { input: pngFile(disc), left: 5, top: 9 },
      { input: faded(photo, 0.6), left: 50, top: 10 },
      { input: pngFile(disc), left: 20, top: 30 },
    ]);
    expect(farthest(picture, theirs)).toBeLessThanOrEqual(atMost);
  });

  it("keeps the placement of a layer where an earlier one is absent", async () => {
    const [base, disc] = [png(samplePicture(90, 70)), png(samplePicture(40, 40, true))];
    const placements = [
      { x: 5, y: 9 },
      { x: 50, y: 10, opacity: 0.6 },
      { x: 20, y: 30 },
    ];
    const layers = { base, layers: [disc, disc] };
    const without = await runPictureNode(
      imageCompose,
      { placements },
      layers,
      new Map([["layers", [1, 2]]]),
    );
    const same = await runPictureNode(imageCompose, { placements: placements.slice(1) }, layers);
    expect(without.bytes).toEqual(same.bytes);
  });

  it("cuts what is outside, on each side", async () => {
    const base = samplePicture(60, 40);
    const layer = samplePicture(30, 30, true);
    const corners = [
      [-10, -12],
      [45, -5],
      [-3, 28],
      [50, 31],
      [100, 0],
      [0, -30],
    ] as const;
    for (const [x, y] of corners) {
      const { picture } = await compose([{ x, y }], png(base), [png(layer)]);
      // sharp needs a layer that is not outside as a whole.
      const wide: Raster = { rgba: new Uint8ClampedArray(260 * 240 * 4), width: 260, height: 240 };
      for (let row = 0; row < 30; row++) {
        const at = ((y + 100 + row) * 260 + x + 100) * 4;
        wide.rgba.set(layer.rgba.subarray(row * 120, (row + 1) * 120), at);
      }
      const cut = await sharp(pngFile(wide))
        .extract({ left: 100, top: 100, width: 60, height: 40 })
        .png()
        .toBuffer();
      const theirs = await composedBySharp(base, [{ input: cut, left: 0, top: 0 }]);
      expect(farthest(picture, theirs), `${x}, ${y}`).toBeLessThanOrEqual(1.01);
    }
  });

  it("scales a layer by one side in proportion, by both sides exactly", async () => {
    const red = { rgba: new Uint8ClampedArray(20 * 10 * 4), width: 20, height: 10 };
    for (let at = 0; at < red.rgba.length; at += 4) {
      red.rgba.set([255, 0, 0, 255], at);
    }
    const base = { rgba: new Uint8ClampedArray(50 * 50 * 4), width: 50, height: 50 };
    for (const [placement, width, height] of [
      [{}, 20, 10],
      [{ width: 40 }, 40, 20],
      [{ height: 25 }, 50, 25],
      [{ width: 7, height: 31 }, 7, 31],
      [{ width: 9 }, 9, 5],
    ] as const) {
      const { picture } = await compose([placement], png(base), [png(red)]);
      const shown = picture.rgba.filter((value, at) => (at & 3) === 3 && value === 255).length;
      expect(shown, JSON.stringify(placement)).toBe(width * height);
      expect([...picture.rgba.subarray(0, 4)]).toEqual([255, 0, 0, 255]);
    }
  });

  it("takes every kind of picture as base and as layer, turned upright", async () => {
    const picture = samplePicture(40, 20);
    const files: PictureFile[] = [
      png(picture),
      { name: "b.jpg", contentType: "image/jpeg", bytes: orientedJpeg(jpegFile(picture), 6) },
      { name: "c.webp", contentType: "image/webp", bytes: webpFile(picture) },
      { name: "d.gif", contentType: "image/gif", bytes: gifFile(picture) },
      {
        name: "e.svg",
        contentType: "image/svg+xml",
        bytes: new TextEncoder().encode(
          '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="10" height="10" fill="#0f0"/></svg>',
        ),
      },
    ];
    for (const layer of files) {
      const { picture: made } = await compose([{ width: 12, height: 12 }], files[1]!, [layer]);
      expect([made.width, made.height]).toEqual([20, 40]);
    }
    const { picture: drawn } = await compose([{ x: 3, width: 4 }], files[0]!, [files[4]!]);
    expect([...drawn.rgba.subarray(12, 16)]).toEqual([0, 255, 0, 255]);
  });

  it("lays 16 faint layers without adding up their rounding", async () => {
    for (const isClear of [false, true]) {
      const base = samplePicture(64, 64, isClear);
      const layer = samplePicture(64, 64, true);
      const many = Array.from({ length: 16 }, () => ({ opacity: 0.2 }));
      // oxlint-disable-next-line no-await-in-loop -- two runs
      const { picture } = await compose(
        many,
        png(base),
        many.map(() => png(layer)),
      );
      expect(farthest(picture, composedInFloats(base, layer, 0.2, 16))).toBeLessThanOrEqual(0.55);
    }
  });

  it("composes in bands what a band cannot hold, with the same result", async () => {
    const [width, height] = [3_000, 2_900];
    expect(Band.rowsIn(CONVERSION_BYTES_MAX, width)).toBeLessThan(height);
    const base = samplePicture(width, height);
    const layer = samplePicture(300, 2_800, true);
    const { picture } = await compose([{ x: 7, y: 90 }], png(base), [png(layer)]);
    const theirs = await composedBySharp(base, [{ input: pngFile(layer), left: 7, top: 90 }]);
    expect(farthest(picture, theirs)).toBeLessThanOrEqual(1.01);
  });

  it("has as many rows in a band as its memory holds, at every width", () => {
    for (const width of [1, 7, 100, 1_023, 3_000, 4_000, 8_192]) {
      for (const bytes of [1 * MB, 10 * MB, 33 * MB + 1, CONVERSION_BYTES_MAX]) {
        const rows = Band.rowsIn(bytes, width);
        expect(Band.bytes(width, rows)).toBeLessThanOrEqual(bytes);
        // A page or two are given away.
        expect(Band.bytes(width, rows + 1)).toBeGreaterThan(bytes - 0.2 * MB);
      }
    }
    expect(Band.rowsIn(1_000, 4_000)).toBe(0);
  });

  it.each(HOSTILE_FILES.map((file) => [file.name, file] as const))(
    "rejects %s as a layer and as a base",
    async (_name, { bytes, code }) => {
      const bad = { name: "x.png", contentType: "image/png", bytes };
      const good = png(samplePicture(9, 9));
      await expect(compose([], good, [bad])).rejects.toMatchObject({ code });
      await expect(compose([], bad, [good])).rejects.toMatchObject({ code });
    },
  );

  it("rejects more placements than layers, and placements that are none", () => {
    const { params } = imageCompose;
    const layers = [
      { port: "base", type: "image" },
      { port: "layers", type: "image" },
    ] as const;
    expect(imageCompose.check(params.parse({ placements: [{}] }), layers)).toEqual([]);
    expect(imageCompose.check(params.parse({ placements: [{}, {}] }), layers)).toMatchObject([
      { code: "INVALID_PARAMETER", path: "placements[1]" },
    ]);
    for (const wrong of [
      { x: 0.5 },
      { y: "1" },
      { width: 0 },
      { height: 8_193 },
      { opacity: 1.1 },
      { opacity: -0.1 },
      { z: 1 },
    ]) {
      expect(params.safeParse({ placements: [wrong] }).success, JSON.stringify(wrong)).toBe(false);
    }
    const many = Array.from({ length: 17 }, () => ({}));
    expect(params.safeParse({ placements: many }).success).toBe(false);
  });
});
