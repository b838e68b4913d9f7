import { createHash } from "node:crypto";
import { PNG } from "pngjs";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { type Raster, rasterPicture } from "../../../../src/images/raster/raster.ts";
import {
  bandHeight,
  drawSamplePicture,
} from "../../../../src/providers/sample/picture/draw-sample-picture.ts";
import type { SamplePictureRequest } from "../../../../src/providers/sample/picture/picture-request.ts";
import { testInProof } from "../../../support/in-proof.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

type Changes = Partial<Omit<SamplePictureRequest, "images">> & {
  readonly images?: readonly Raster[];
};

type Pixels = ReturnType<typeof PNG.sync.read>;

async function draw({ images = [], ...changes }: Changes = {}): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of drawSamplePicture(imageCodecs.pixels, {
    prompt: "A quiet harbor at dawn",
    seed: 0,
    width: 256,
    height: 256,
    accent: "auto",
    preset: null,
    effect: null,
    ...changes,
    images: images.map(rasterPicture),
  })) {
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function pixelsOf(changes: Changes = {}): Promise<Pixels> {
  return PNG.sync.read(await draw(changes));
}

function solid(width: number, height: number, color: readonly [number, number, number]): Raster {
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < rgba.length; at += 4) {
    rgba.set([...color, 255], at);
  }
  return { rgba, width, height };
}

/** Number of pixels of exactly this color. */
function count({ data }: Pixels, [r, g, b]: readonly [number, number, number]): number {
  let found = 0;
  for (let at = 0; at < data.length; at += 4) {
    found += data[at] === r && data[at + 1] === g && data[at + 2] === b ? 1 : 0;
  }
  return found;
}

/** Mean red minus mean blue above the band. */
function warmth({ data, width, height }: Pixels): number {
  const end = (height - bandHeight(height)) * width * 4;
  let sum = 0;
  for (let at = 0; at < end; at += 4) {
    sum += data[at]! - data[at + 2]!;
  }
  return (sum * 4) / end;
}

/** What is wrong with the band: its color is #111827, with white letters and their edges between. */
function bandProblems({ data, width, height }: Pixels): string[] {
  const top = height - bandHeight(height);
  const problems: string[] = [];
  let white = 0;
  let dark = 0;
  for (let at = top * width * 4; at < data.length; at += 4) {
    const [r, g, b] = [data[at]!, data[at + 1]!, data[at + 2]!];
    const share = (r - 0x11) / (255 - 0x11);
    if (
      Math.abs(g - (0x18 + share * (255 - 0x18))) > 1.5 ||
      Math.abs(b - (0x27 + share * (255 - 0x27))) > 1.5
    ) {
      problems.push(`${r} ${g} ${b} is not between the two colors`);
    }
    white += share > 0.95 ? 1 : 0;
    dark += share === 0 ? 1 : 0;
  }
  const pixels = width * (height - top);
  if (dark < pixels * 0.6) {
    problems.push("the band is not dark");
  }
  if (white < pixels * 0.001) {
    problems.push("the band has no letters");
  }
  const above = top * width * 4 - 4;
  if (data[above] === 0x11 && data[above + 1] === 0x18 && data[above + 2] === 0x27) {
    problems.push("the band is higher");
  }
  return problems;
}

const CYAN = [0, 255, 255] as const;
const LIME = [128, 255, 0] as const;

describe("a sample picture", () => {
  test.each([
    [64, 64],
    [64, 700],
    [700, 64],
    [321, 203],
  ])("of %i × %i px has the band, and pngjs and sharp read it", async (width, height) => {
    const png = await draw({ width, height });
    const read = PNG.sync.read(png);
    expect([read.width, read.height]).toEqual([width, height]);
    expect(bandProblems(read)).toEqual([]);
    const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([width, height, 3]);
    expect([...data.subarray(0, 3)]).toEqual([...read.data.subarray(0, 3)]);
  });

  test("whose band lacks letters, or is one row higher, is recognized", async () => {
    const picture = await pixelsOf();
    const { width, height, data } = picture;
    const top = height - bandHeight(height);
    const without = Buffer.from(data);
    for (let at = top * width * 4; at < without.length; at += 4) {
      without.set([0x11, 0x18, 0x27], at);
    }
    expect(bandProblems({ width, height, data: without })).toEqual(["the band has no letters"]);
    const higher = Buffer.from(data);
    higher.set([0x11, 0x18, 0x27], top * width * 4 - 4);
    expect(bandProblems({ width, height, data: higher })).toEqual(["the band is higher"]);
  });

  test("has a band of 8 %, rounded up, and at least 16 px", () => {
    expect([64, 200, 201, 1024, 4096].map(bandHeight)).toEqual([16, 16, 17, 82, 328]);
  });

  test("says in its text chunks what it is", async () => {
    const { comments } = await sharp(await draw()).metadata();
    expect(comments).toEqual([
      { keyword: "Software", text: "Edgeloom sample provider" },
      { keyword: "Description", text: "Sample output, not made by an AI model" },
    ]);
  });

  test("has the same bytes for the same request, and others for another", async () => {
    const first = await draw();
    expect((await draw()).equals(first)).toBe(true);
    for (const changes of [
      { seed: 1 },
      { prompt: "A quiet harbor at dusk" },
      { accent: "red" },
      { preset: { category: "image_style", code: "photo" } },
    ] as const) {
      expect((await draw(changes)).equals(first), JSON.stringify(changes)).toBe(false);
    }
  });

  test("shows one picture whole, on at least 10 %, with its colors", async () => {
    const picture = await pixelsOf({ images: [solid(40, 30, CYAN)] });
    expect(count(picture, CYAN) / (256 * 256)).toBeGreaterThanOrEqual(0.1);
    expect(count(await pixelsOf(), CYAN)).toBe(0);
  });

  test.each([
    [256, 256],
    [512, 96],
    [96, 512],
  ])("of %i × %i px shows eight pictures on at least a twentieth each", async (width, height) => {
    const colors = [40, 70, 100, 130, 160, 190, 220, 250].map((red) => [red, 255, 1] as const);
    const images = colors.map((color, i) => solid(60, [60, 40, 90][i % 3]!, color));
    const picture = await pixelsOf({ width, height, images });
    const cards = colors.map((color) => count(picture, color) / (width * height));
    // Frames of another ratio than their picture count with their white.
    const least = width === height ? 0.05 : 0.02;
    expect(Math.min(...cards)).toBeGreaterThanOrEqual(least);
  });

  test("keeps a picture of 100:1 whole in a frame", async () => {
    const strip = solid(400, 4, CYAN);
    strip.rgba.set([255, 0, 255, 255], 0);
    strip.rgba.set([...LIME, 255], strip.rgba.length - 4);
    const picture = await pixelsOf({ width: 800, height: 300, images: [strip] });
    expect(count(picture, CYAN)).toBeGreaterThan(400);
    expect(count(picture, [255, 0, 255])).toBeGreaterThan(0);
    expect(count(picture, LIME)).toBeGreaterThan(0);
    expect(count(picture, [255, 255, 255]) / (800 * 300)).toBeGreaterThan(0.09);
  });

  test("has only grays above the band with black_and_white", async () => {
    const effect = { code: "black_and_white", intensity: 50 };
    const picture = await pixelsOf({ effect, images: [solid(30, 30, CYAN)] });
    const end = (256 - bandHeight(256)) * 256 * 4;
    const isGray = (at: number) =>
      picture.data[at] === picture.data[at + 1] && picture.data[at] === picture.data[at + 2];
    expect(Array.from({ length: end / 4 }, (_, i) => i * 4).every(isGray)).toBe(true);
    expect(bandProblems(picture)).toEqual([]);
  });

  test.each([
    ["warm_tone", 1],
    ["cool_tone", -1],
  ])("is changed by %s more with each step of intensity", async (code, sign) => {
    let last = sign * warmth(await pixelsOf());
    for (const intensity of [1, 33, 66, 100]) {
      const next = sign * warmth(await pixelsOf({ effect: { code, intensity } }));
      expect(next).toBeGreaterThan(last);
      last = next;
    }
  });

  test("has every effect of the catalog in its pixels, the band untouched", async () => {
    const plain = await draw({ width: 72, height: 72 });
    const from = (72 - bandHeight(72)) * 72 * 4;
    const band = PNG.sync.read(plain).data.subarray(from);
    const codes =
      "golden_hour neon_glow soft_studio hard_shadow warm_tone cool_tone pastel black_and_white shallow_focus motion_blur wide_angle macro film_grain halftone paper_texture glitch";
    for (const code of codes.split(" ")) {
      const png = await draw({ width: 72, height: 72, effect: { code, intensity: 70 } });
      const read = PNG.sync.read(png);
      expect(png.equals(plain), code).toBe(false);
      expect(bandProblems(read), code).toEqual([]);
      expect(Buffer.compare(read.data.subarray(from), band), code).toBe(0);
    }
  });

  test.each(["", " \n ", "\u{1F600}\u{1F600}", "漢字の港", "مرحبا", "\uD800", "x".repeat(3000)])(
    "is drawn for the prompt %j",
    async (prompt) => {
      expect(bandProblems(await pixelsOf({ prompt, width: 128, height: 96 }))).toEqual([]);
    },
  );

  test("has not changed", async () => {
    const hash = async (changes: Changes) =>
      createHash("sha256")
        .update((await pixelsOf(changes)).data)
        .digest("hex")
        .slice(0, 16);
    expect({
      plain: await hash({}),
      scene: await hash({ preset: { category: "product_scene", code: "marble" } }),
      cards: await hash({ images: [solid(30, 20, CYAN), solid(20, 30, LIME)] }),
      grain: await hash({ effect: { code: "film_grain", intensity: 50 } }),
    }).toMatchInlineSnapshot(`
      {
        "cards": "979e8a6b54388b5c",
        "grain": "c3da59f5ea784f80",
        "plain": "f39ca7520d265473",
        "scene": "5e531904db1a74a1",
      }
    `);
  });

  testInProof("of 4,096 px is drawn in pieces that are never large", async () => {
    let [largest, bytes] = [0, 0];
    for await (const piece of drawSamplePicture(imageCodecs.pixels, {
      prompt: "A quiet harbor at dawn, wooden boats and mist over still water",
      seed: 3,
      width: 4096,
      height: 4096,
      accent: "auto",
      preset: null,
      effect: null,
      images: [rasterPicture(solid(500, 400, CYAN))],
    })) {
      largest = Math.max(largest, piece.length);
      bytes += piece.length;
    }
    expect(bytes).toBeGreaterThan(100_000);
    expect(largest).toBeLessThan(2 * 1024 * 1024);
  });
});
