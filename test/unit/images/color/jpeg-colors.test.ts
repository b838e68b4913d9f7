/**
 * Colors of JPEGs that are not sRGB: pixels as libvips converts them, with LittleCMS and the profile in the file. The profiles
 * are those of libvips, which embeds them when it writes the files.
 */
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import { decodeImage } from "../../../../src/images/open-image.ts";
import { orientRaster } from "../../../support/images/orient-raster.ts";
import { colorful, distance, SIDE } from "../../../support/images/colorful.ts";
import { decodeBySharp } from "../../../support/images/outside-readers.ts";
import { orientedJpeg } from "../../../support/images/sample-files.ts";
import {
  gammaCurve,
  gridValues,
  smallProfile,
  stagedTable,
  table8,
  withProfile,
} from "../../../support/images/small-profile.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const decode = (bytes: Uint8Array) => decodeImage(bytes, imageCodecs);
const options = { quality: 95, chromaSubsampling: "4:4:4" };

const cmykJpeg = (progressive = false) =>
  colorful()
    .toColourspace("cmyk")
    .withIccProfile("cmyk")
    .jpeg({ ...options, progressive })
    .toBuffer();
const profiledJpeg = (profile: "p3" | "srgb") =>
  colorful().withIccProfile(profile).jpeg(options).toBuffer();

/** Without its segments of one kind: 0xe2 has the profile, 0xee is Adobe's marker. */
function without(file: Uint8Array, marker: number): Uint8Array {
  const kept: Uint8Array[] = [file.subarray(0, 2)];
  let at = 2;
  while (file[at + 1] !== 0xda) {
    const end = at + 2 + ((file[at + 2] ?? 0) << 8) + (file[at + 3] ?? 0);
    if (file[at + 1] !== marker) {
      kept.push(file.subarray(at, end));
    }
    at = end;
  }
  return Uint8Array.from(Buffer.concat([...kept, file.subarray(at)]));
}

/** The samples of a CMYK file as libvips reads them: 255 is full ink. */
async function inks(file: Uint8Array): Promise<Buffer> {
  const reader = sharp(file, { ignoreIcc: true }).pipelineColourspace("cmyk");
  return reader.toColourspace("cmyk").raw().toBuffer();
}

describe("a JPEG in CMYK", () => {
  it.each([false, true])(
    "with a profile has the colors of libvips, progressive: %s",
    async (progressive) => {
      const file = await cmykJpeg(progressive);
      const expected = await decodeBySharp(file);
      const { mean, max } = distance(await decode(file), expected);
      expect(mean).toBeLessThan(2);
      expect(max).toBeLessThan(32);
      // Without the profile the colors are others, so the comparison can fail.
      expect(distance(await decode(without(file, 0xe2)), expected).mean).toBeGreaterThan(4);
    },
  );

  it("without a profile has each color multiplied with black, inverted only with Adobe's marker", async () => {
    const file = without(await cmykJpeg(), 0xe2);
    expect(readImageHeader(file).colors).toMatchObject({ channels: 4, isInverted: true });
    const ink = await inks(file);
    const product = (i: number, channel: number, isFull: boolean) => {
      const [color = 0, black = 0] = [ink[i * 4 + channel], ink[i * 4 + 3]];
      return Math.round((isFull ? color * black : (255 - color) * (255 - black)) / 255);
    };
    const { rgba } = await decode(file);
    // libvips' MozJPEG and libjpeg-turbo decode YCCK to the same samples.
    const bare = await decode(without(file, 0xee));
    let apart = 0;
    for (let i = 0; i < SIDE * SIDE; i++) {
      for (let channel = 0; channel < 3; channel++) {
        apart = Math.max(
          apart,
          Math.abs((rgba[i * 4 + channel] ?? 0) - product(i, channel, false)),
        );
      }
    }
    expect(apart).toBeLessThanOrEqual(1);
    expect(distance({ ...bare }, { rgba, width: SIDE, height: SIDE }).mean).toBeGreaterThan(20);
  });

  it.each([2, 3, 6, 8] as const)("is turned by EXIF orientation %d", async (turn) => {
    const file = await cmykJpeg();
    const expected = orientRaster(await decode(file), turn);
    expect(distance(await decode(orientedJpeg(file, turn)), expected).max).toBe(0);
  });

  it.each([3, 6] as const)("as YCCK is turned by EXIF orientation %d", async (turn) => {
    const file = Buffer.from(await cmykJpeg());
    const unturned = await decode(file);
    // Adobe's marker ends in the transform of the colors: 0 for CMYK, 2 for YCCK.
    file[file.indexOf("Adobe") + 11] = 2;
    const upright = await decode(file);
    expect(distance(upright, unturned).mean).toBeGreaterThan(10);
    const turned = await decode(orientedJpeg(file, turn));
    // Turned samples are converted with other roundings.
    expect(distance(turned, orientRaster(upright, turn)).max).toBeLessThanOrEqual(4);
  });

  it("takes the memory of its profile and colors from the budget", async () => {
    const file = await cmykJpeg();
    const header = readImageHeader(file);
    const bare = readImageHeader(without(file, 0xe2));
    const { kept } = header.decodingBytes(SIDE, SIDE, file.length);
    expect(kept).toBeGreaterThan(bare.decodingBytes(SIDE, SIDE, file.length).kept + 900_000);
  });
});

describe("a JPEG in RGB", () => {
  it("with the profile of another space has the colors of libvips", async () => {
    const file = await profiledJpeg("p3");
    const expected = await decodeBySharp(file);
    const { mean, max } = distance(await decode(file), expected);
    expect(mean).toBeLessThan(1);
    expect(max).toBeLessThan(16);
    expect(distance(await decode(without(file, 0xe2)), expected).mean).toBeGreaterThan(3);
  });

  it("with the profile of sRGB keeps its pixels, to the bit", async () => {
    const file = await profiledJpeg("srgb");
    expect((await decode(file)).rgba).toEqual((await decode(without(file, 0xe2))).rgba);
  });

  it("with a damaged profile is read without it, wherever the damage is", async () => {
    const file = await profiledJpeg("p3");
    const profile = Buffer.from(file).indexOf("ICC_PROFILE") + 14;
    const plain = await decode(without(file, 0xe2));
    for (const [at, value] of [
      [0, 0xff],
      [8, 9],
      [36, 0],
      [128, 0xff],
      [137, 0xff],
    ] as const) {
      const damaged = Uint8Array.from(file);
      damaged[profile + at] = value;
      expect((await decode(damaged)).rgba).toEqual(plain.rgba);
    }
    // Any other damage ends with pixels too.
    for (let at = 0; at < 480; at += 7) {
      const damaged = Uint8Array.from(file);
      damaged[profile + at]! ^= 0xff;
      expect((await decode(damaged)).rgba.length).toBe(SIDE * SIDE * 4);
    }
  });
});

describe("a JPEG in gray", () => {
  it("with a profile of RGB has its colors", async () => {
    const rgb = await profiledJpeg("p3");
    const gray = await colorful().toColourspace("b-w").jpeg(options).toBuffer();
    const from = Buffer.from(rgb).indexOf("ICC_PROFILE") - 4;
    const end = from + 2 + rgb.readUInt16BE(from + 2);
    const file = Buffer.concat([gray.subarray(0, 2), rgb.subarray(from, end), gray.subarray(2)]);
    // Primaries of another space leave gray as it is; its curve is sRGB's.
    expect(distance(await decode(file), await decode(gray)).max).toBeLessThanOrEqual(2);
  });
});

describe("a profile that is made for a test", () => {
  /** L, a and b in their places from 0 to 1, of a device whose channels are light. */
  const lab = ([r = 0, g = 0, b = 0]: readonly number[]) => [
    0.1 + 0.8 * (0.3 * r + 0.6 * g + 0.1 * b),
    0.5 + 0.15 * (r - g),
    0.5 + 0.15 * (g - b),
  ];
  const inkLab = ([c = 0, m = 0, y = 0, k = 0]: readonly number[]) =>
    lab([(1 - c) * (1 - k), (1 - m) * (1 - k), (1 - y) * (1 - k)]);

  it("of gray, with a curve, has the colors of libvips", async () => {
    const tags = { kTRC: gammaCurve(1.5) };
    const gray = await colorful().toColourspace("b-w").jpeg(options).toBuffer();
    for (const connection of ["XYZ ", "Lab "] as const) {
      const profile = smallProfile({ version: 2, space: "GRAY", connection, tags });
      const file = withProfile(gray, profile);
      const { mean, max } = distance(await decode(file), await decodeBySharp(file));
      expect(mean).toBeLessThan(1);
      expect(max).toBeLessThan(4);
      expect(distance(await decode(file), await decode(gray)).mean).toBeGreaterThan(5);
    }
  });

  it.each([
    ["a table of 8 bits", 2, table8(3, 5, gridValues(3, 5, lab))],
    ["stages", 4, stagedTable(3, 5, 1.3, gridValues(3, 5, lab))],
  ] as const)("of RGB, with %s, has the colors of libvips", async (_, version, A2B0) => {
    const rgb = await colorful().jpeg(options).toBuffer();
    const tags = { A2B0 };
    const profile = smallProfile({ version, space: "RGB ", connection: "Lab ", tags });
    const file = withProfile(rgb, profile, 400);
    const { mean, max } = distance(await decode(file), await decodeBySharp(file));
    expect([mean < 1.5, max < 12], `${mean} ${max}`).toEqual([true, true]);
    expect(distance(await decode(file), await decode(rgb)).mean).toBeGreaterThan(5);
  });

  it.each([
    ["a table of 8 bits", 2, table8(4, 7, gridValues(4, 7, inkLab))],
    ["stages", 4, stagedTable(4, 7, 1.3, gridValues(4, 7, inkLab))],
  ] as const)("of CMYK, with %s, has the colors of libvips", async (_, version, A2B0) => {
    const bare = without(await cmykJpeg(), 0xe2);
    const tags = { A2B0 };
    const profile = smallProfile({ version, space: "CMYK", connection: "Lab ", tags });
    const file = withProfile(bare, profile);
    const { mean, max } = distance(await decode(file), await decodeBySharp(file));
    // Single colors near black differ: both interpolate, and sRGB is steep there.
    expect([mean < 1.5, max < 40], `${mean} ${max}`).toEqual([true, true]);
    expect(distance(await decode(file), await decode(bare)).mean).toBeGreaterThan(5);
  });
});
