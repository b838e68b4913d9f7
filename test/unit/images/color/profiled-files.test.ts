/**
 * Colors of PNG, WebP and AVIF files with a profile: pixels as libvips converts them, with LittleCMS and the profile in the
 * file. The profiles are those of libvips, which embeds them when it writes the files, or made for the test.
 */
import { deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../../src/lib/limits/limits-table.ts";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import { decodeImage } from "../../../../src/images/open-image.ts";
import { colorful, distance, SIDE } from "../../../support/images/colorful.ts";
import { decodeBySharp } from "../../../support/images/outside-readers.ts";
import { pngChunk } from "../../../support/images/raw-png.ts";
import { gammaCurve, smallProfile } from "../../../support/images/small-profile.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const decode = (bytes: Uint8Array) => decodeImage(bytes, imageCodecs);

/** All hues, with a transparency that grows to the right. */
async function clear(): Promise<Sharp> {
  const alpha = Buffer.from(Array.from({ length: SIDE * SIDE }, (_, i) => 60 + (i % SIDE) * 2));
  const raw = { width: SIDE, height: SIDE, channels: 1 as const };
  const joined = colorful().joinChannel(alpha, { raw });
  return sharp(await joined.png().toBuffer());
}

const avif = { quality: 100, chromaSubsampling: "4:4:4", effort: 0 };
type Profile = "p3" | "srgb" | undefined;

async function write(name: string, profile: Profile): Promise<Buffer> {
  const isClear = name.includes("transparency");
  const plain = isClear ? await clear() : colorful();
  const picture = profile === undefined ? plain : plain.withIccProfile(profile);
  if (name.includes("WebP")) {
    return picture.webp({ lossless: name.includes("lossless"), quality: 100 }).toBuffer();
  }
  if (name.includes("AVIF")) {
    return picture.avif(avif).toBuffer();
  }
  const palette = name.includes("palette");
  return picture.png({ progressive: name.includes("interlaced"), palette }).toBuffer();
}

const KINDS = [
  "a PNG",
  "an interlaced PNG",
  "a PNG with transparency",
  "a PNG with a palette",
  "a lossless WebP",
  "a lossless WebP with transparency",
  "a WebP",
  "a WebP with transparency",
  "an AVIF",
  "an AVIF with transparency",
] as const;

describe.each(KINDS)("%s", (name) => {
  // Two decoders of lossy chroma differ by some levels.
  const isLossy = /a WebP|AVIF/.test(name);

  it("with the profile of another space has the colors of libvips", async () => {
    const file = await write(name, "p3");
    const expected = await decodeBySharp(file);
    const read = await decode(file);
    const { mean, max } = distance(read, expected);
    expect([mean < (isLossy ? 1.5 : 1), max < (isLossy ? 40 : 16)], `${mean} ${max}`).toEqual([
      true,
      true,
    ]);
    const unread = await sharp(file, { ignoreIcc: true }).ensureAlpha().raw().toBuffer();
    const asStored = { rgba: new Uint8ClampedArray(unread), width: SIDE, height: SIDE };
    expect(distance(asStored, expected).mean).toBeGreaterThan(2);
    if (!isLossy) {
      const opacities = (rgba: Uint8ClampedArray) => rgba.filter((_, i) => i % 4 === 3);
      expect(opacities(read.rgba)).toEqual(opacities(asStored.rgba));
    }
  });

  it("with the profile of sRGB has the pixels of the file, to the bit", async () => {
    const [profiled, plain] = [await write(name, "srgb"), await write(name, undefined)];
    expect(readImageHeader(profiled).colors).toBeDefined();
    expect(readImageHeader(plain).colors).toBeUndefined();
    expect((await decode(profiled)).rgba).toEqual((await decode(plain)).rgba);
  });

  it("takes the memory of its colors from the budget", async () => {
    const [profiled, plain] = [await write(name, "p3"), await write(name, undefined)];
    const held = (file: Buffer) => readImageHeader(file).decodingBytes(SIDE, SIDE, 1_000).kept;
    expect(held(profiled)).toBeGreaterThan(held(plain) + 500_000);
  });
});

describe("a PNG", () => {
  /** With a chunk behind its header. */
  const withChunk = (file: Uint8Array, body: Uint8Array) =>
    Buffer.concat([file.subarray(0, 33), pngChunk("iCCP", body), file.subarray(33)]);
  const withProfile = (file: Uint8Array, profile: Uint8Array) =>
    withChunk(file, Buffer.concat([Buffer.from("made\0\0"), deflateSync(profile)]));
  const grayProfile = (gamma: number) =>
    smallProfile({
      version: 2,
      space: "GRAY",
      connection: "XYZ ",
      tags: { kTRC: gammaCurve(gamma) },
    });
  const gray = () => colorful().toColourspace("b-w").png().toBuffer();

  it("of gray, with a profile of gray, has the colors of libvips", async () => {
    const plain = await gray();
    const file = withProfile(plain, grayProfile(1.5));
    const { mean, max } = distance(await decode(file), await decodeBySharp(file));
    expect([mean < 1, max < 4], `${mean} ${max}`).toEqual([true, true]);
    expect(distance(await decode(file), await decode(plain)).mean).toBeGreaterThan(5);
  });

  it("of color, with a profile of gray, is read without it", async () => {
    const plain = await colorful().png().toBuffer();
    const file = withProfile(plain, grayProfile(1.5));
    expect((await decode(file)).rgba).toEqual((await decode(plain)).rgba);
  });

  it("with a profile that is damaged, or larger than is read, is read without it", async () => {
    const plain = await gray();
    const expected = (await decode(plain)).rgba;
    const large = Buffer.alloc(LIMITS.picture_profile.value + 1);
    large.set(grayProfile(1.5));
    const whole = deflateSync(grayProfile(1.5));
    const bodies = {
      "cut short": Buffer.concat([Buffer.from("made\0\0"), whole.subarray(0, -8)]),
      "with another method": Buffer.concat([Buffer.from("made\0\u0001"), whole]),
      "without a name": Buffer.from("made"),
      "not compressed": Buffer.concat([Buffer.from("made\0\0"), grayProfile(1.5)]),
      "too large": Buffer.concat([Buffer.from("made\0\0"), deflateSync(large)]),
      empty: Buffer.alloc(0),
    };
    for (const [name, body] of Object.entries(bodies)) {
      expect((await decode(withChunk(plain, body))).rgba, name).toEqual(expected);
    }
    // The largest that is read is.
    const allowed = withChunk(
      plain,
      Buffer.concat([Buffer.from("made\0\0"), deflateSync(large.subarray(0, -1))]),
    );
    expect((await decode(allowed)).rgba).not.toEqual(expected);
  });
});
