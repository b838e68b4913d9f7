import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { colorful, distance } from "../../../support/images/colorful.ts";
import { encodePng } from "../../../support/images/encode-png.ts";
import { joinPieces } from "../../../../src/images/byte-writer.ts";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import { readJpegStructure } from "../../../../src/images/header/read-jpeg-header.ts";
import { readPngLayout } from "../../../../src/images/png/read/png-layout.ts";
import { preparePicture } from "../../../../src/render/pdf/pictures/prepare-picture.ts";
import type { PreparedPicture } from "../../../../src/render/pdf/pictures/prepared-picture.ts";
import type { Raster } from "../../../../src/images/raster/raster.ts";
import { gammaCurve, smallProfile, withProfile } from "../../../support/images/small-profile.ts";
import { gifFile, samplePicture, webpFile } from "../../../support/images/sample-files.ts";
import { decodeByPngjs, decodeBySharp } from "../../../support/images/outside-readers.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";
import { pngOf } from "../../../support/pdf/png-of.ts";

const codecs = imageCodecs;
const rules = { allowsCmyk: true };

async function prepared(bytes: Uint8Array): Promise<PreparedPicture> {
  const picture = await preparePicture(bytes, codecs, rules);
  if (typeof picture === "string") {
    throw new Error(picture);
  }
  return picture;
}

/** A run of pixels with each opacity. */
function ramp(width: number, height: number, opacity: (i: number) => number): Uint8ClampedArray {
  return Uint8ClampedArray.from({ length: width * height * 4 }, (_, i) =>
    i % 4 === 3 ? opacity(i >> 2) : (i * 7919) % 251,
  );
}

describe("preparePicture", () => {
  it("passes the rows of a PNG on as they are, with the one transparent color", async () => {
    const rows = deflateSync(Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 1, 1, 1, 1, 1, 1, 1]));
    const png = pngOf({ width: 2, height: 2, depth: 8, color: 2 }, rows, [
      ["tRNS", [0, 1, 0, 2, 0, 3]],
    ]);
    const { pixels, alpha, facts } = await prepared(png);
    expect(pixels).toMatchObject({
      encoding: "png",
      color: { kind: "rgb" },
      clearColor: [1, 2, 3],
    });
    expect(Buffer.concat(pixels.data)).toEqual(rows);
    expect(alpha).toBeNull();
    expect(facts).toEqual({ format: "png", width: 2, height: 2, orientation: 1 });
  });

  it("converts the pixels of a PNG whose profile is not sRGB, and passes on those of sRGB", async () => {
    const profiled = (profile: "p3" | "srgb") =>
      colorful().withIccProfile(profile).png().toBuffer();
    const [p3, srgb] = [await profiled("p3"), await profiled("srgb")];
    const rowsOf = async (file: Uint8Array) => Buffer.concat((await prepared(file)).pixels.data);
    const { width, height } = readImageHeader(p3);
    const printed = pngOf({ width, height, depth: 8, color: 2 }, await rowsOf(p3));
    expect(distance(decodeByPngjs(printed), await decodeBySharp(p3)).mean).toBeLessThan(1);
    const isPassedOn = async (file: Uint8Array) =>
      (await rowsOf(file)).equals(Buffer.concat(readPngLayout(file).data));
    expect([await isPassedOn(srgb), await isPassedOn(p3)]).toEqual([true, false]);
  });

  it("passes on the profile of a JPEG of RGB or gray, and says which is not used", async () => {
    const told: string[] = [];
    const given = async (file: Uint8Array) => {
      const onColors = (conversion: string) => void told.push(conversion);
      const picture = await preparePicture(file, codecs, { ...rules, onColors });
      expect(picture).toMatchObject({ pixels: { encoding: "jpeg", data: [file] } });
      const { color } = (picture as PreparedPicture).pixels;
      return [color.kind, "profile" in color, ...told.splice(0)];
    };
    const jpeg = (profile?: string) =>
      (profile === undefined ? colorful() : colorful().withIccProfile(profile)).jpeg().toBuffer();
    const p3 = await jpeg("p3");
    expect(await given(p3)).toEqual(["rgb", true]);
    expect(await given(await jpeg("srgb"))).toEqual(["rgb", false]);
    expect(await given(await jpeg())).toEqual(["rgb", false]);
    const damaged = Buffer.from(p3);
    damaged.write("acsq", damaged.indexOf("acsp"));
    expect(await given(damaged)).toEqual(["rgb", false, "profile_not_applied"]);
    const gray = smallProfile({
      version: 2,
      space: "GRAY",
      connection: "XYZ ",
      tags: { kTRC: gammaCurve(1) },
    });
    const grayJpeg = await colorful().toColourspace("b-w").jpeg().toBuffer();
    expect(await given(withProfile(grayJpeg, gray))).toEqual(["gray", true]);
    const ofThree = withProfile(grayJpeg, profileOf(p3));
    expect(await given(ofThree)).toEqual(["gray", false, "profile_not_applied"]);
    const inks = colorful().toColourspace("cmyk").withIccProfile("cmyk");
    expect(await given(await inks.jpeg().toBuffer())).toEqual(["cmyk", false]);
  });

  it("separates opacities without a loss", async () => {
    const rgba = ramp(37, 11, (i) => i % 256);
    const { alpha } = await prepared(encodePng(rgba.slice(), 37, 11));
    const opacities = rgba.filter((_, i) => i % 4 === 3);
    expect(inflateSync(Buffer.concat(alpha?.data ?? []))).toEqual(Buffer.from(opacities));
  });

  it.each([
    ["GIF", "gif", gifFile],
    ["lossless WebP", "webp", (picture: Raster) => webpFile(picture, true)],
  ] as const)("decodes a %s without a loss", async (_, format, encode) => {
    const picture = samplePicture(40, 30);
    const file = encode(picture);
    const { pixels, facts, alpha } = await prepared(file);
    expect(facts).toEqual({ format, width: 40, height: 30, orientation: 1 });
    expect(alpha).toBeNull();
    expect(pixels.encoding).toBe("png");
    expect(await preparePicture(file.subarray(0, file.length / 2), codecs, rules)).toBe(
      "unreadable",
    );
  });

  it("decodes a PNG whose data is longer than its picture, and refuses one whose data is shorter", async () => {
    const header = { width: 2, height: 2, depth: 8, color: 0 } as const;
    const long = deflateSync(Uint8Array.from([0, 9, 9, 0, 9, 9, 0, 0, 0]));
    const { pixels } = await prepared(pngOf(header, long));
    expect(Buffer.concat(pixels.data)).not.toEqual(long);
    const short = pngOf(header, deflateSync(Uint8Array.from([0, 9, 9, 0])));
    expect(await preparePicture(short, codecs, rules)).toBe("unreadable");
  });

  it("stops at the bound of what is read: a bomb is refused", async () => {
    const bomb = pngOf(
      { width: 60_000, height: 60_000, depth: 8, color: 0 },
      deflateSync(Buffer.alloc(1e6)),
    );
    expect(await preparePicture(bomb, codecs, rules)).toBe("too_large");
    const lying = pngOf(
      { width: 4, height: 4, depth: 8, color: 0 },
      deflateSync(Buffer.alloc(4e6)),
    );
    const { pixels } = await prepared(lying);
    expect(Buffer.concat(pixels.data).length).toBeLessThan(200);
  });

  it.each([
    ["nothing", new Uint8Array(0), "unreadable"],
    ["a text", new TextEncoder().encode("hello"), "unreadable"],
    ["a JPEG that is cut short", Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), "unreadable"],
  ])("names why %s prints nothing", async (_, bytes, reason) => {
    expect(await preparePicture(bytes, codecs, rules)).toBe(reason);
  });

  it.each([1, 3, 4])("passes a JPEG of %i components on with its turn", async (components) => {
    const jpeg = jpegOf(components, 6);
    const { facts, pixels } = await prepared(jpeg);
    expect(facts).toEqual({ format: "jpeg", width: 20, height: 30, orientation: 6 });
    expect(pixels).toMatchObject({ encoding: "jpeg", isInverted: components === 4, data: [jpeg] });
    const refused = await preparePicture(jpeg, codecs, { allowsCmyk: false });
    expect(refused === "unsupported").toBe(components === 4);
  });
});

function profileOf(jpeg: Uint8Array): Uint8Array {
  return joinPieces(readJpegStructure(jpeg).profile?.pieces ?? []);
}

/** Markers of a JPEG of 30 × 20 px, as Adobe's software writes it. */
function jpegOf(components: number, orientation: number): Uint8Array {
  const exif = [0x45, 0x78, 0x69, 0x66, 0, 0, 0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1].concat([
    1,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    orientation,
    0,
    0,
  ]);
  const frame = [8, 0, 20, 0, 30, components];
  for (let i = 0; i < components; i++) {
    frame.push(i, 0x11, 0);
  }
  const segment = (code: number, body: readonly number[]) => [
    0xff,
    code,
    0,
    body.length + 2,
    ...body,
  ];
  return Uint8Array.from([
    0xff,
    0xd8,
    ...segment(0xe1, exif),
    ...segment(0xee, [0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, 2]),
    ...segment(0xc0, frame),
    ...segment(0xda, [components, 0, 0, 63, 0]),
    1,
    2,
    3,
    0xff,
    0xd9,
  ]);
}
