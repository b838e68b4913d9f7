/** PNGs of every kind by this decoder, compared with image-rs. */
import { crc32 } from "node:zlib";
import { PhotonImage } from "@silvia-odwyer/photon-node";
import { describe, expect, it } from "vitest";
import { decodeImage } from "../../../../src/images/open-image.ts";
import { randomBytes, type RawPng, rawPng } from "../../../support/images/raw-png.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

function byImageRs(bytes: Uint8Array): Uint8Array {
  const image = PhotonImage.new_from_byteslice(bytes);
  const pixels = image.get_raw_pixels();
  image.free();
  return pixels;
}

const CLEAR = {
  0: [0, 1],
  2: [0, 1, 0, 2, 0, 3],
  3: [0, 100],
} as const;

const KINDS = (
  [
    [0, [1, 2, 4, 8, 16]],
    [2, [8, 16]],
    [3, [1, 2, 4, 8]],
    [4, [8, 16]],
    [6, [8, 16]],
  ] as const
).flatMap(([colorType, depths]) => depths.map((bitDepth) => ({ colorType, bitDepth })));

describe("a PNG", () => {
  it.each(KINDS)("of type $colorType with $bitDepth bits is read", async (kind) => {
    for (const [width, height] of [
      [1, 1],
      [3, 5],
      [37, 29],
    ] as const) {
      for (const isInterlaced of [false, true]) {
        const clear = kind.colorType < 4 ? CLEAR[kind.colorType as 0] : undefined;
        for (const more of clear === undefined ? [{}] : [{}, { clear }]) {
          const png: RawPng = { width, height, isInterlaced, ...kind, ...more };
          const bytes = rawPng(png, randomBytes(width + kind.bitDepth));
          const { rgba } = await decodeImage(bytes, imageCodecs);
          const expected = byImageRs(bytes);
          expect(rgba.length).toBe(expected.length);
          // With 16 bits, the other decoder rounds and this one uses the upper 8.
          const allowed = kind.bitDepth === 16 ? 1 : 0;
          const off = rgba.filter((value, i) => Math.abs(value - expected[i]!) > allowed);
          expect(off.length, JSON.stringify(png)).toBe(0);
        }
      }
    }
  });

  it.each([
    ["of a color type that there is not", { colorType: 5, bitDepth: 8 }, /color type 5/],
    ["of a depth that its type has not", { colorType: 2, bitDepth: 4 }, /with 4 bits/],
  ])("%s is rejected", async (_name, kind, says) => {
    const whole: RawPng = { width: 9, height: 9, colorType: 2, bitDepth: 8, isInterlaced: false };
    const bytes = rawPng(whole, randomBytes(1));
    [bytes[24], bytes[25]] = [kind.bitDepth, kind.colorType];
    await expect(decodeImage(bytes, imageCodecs)).rejects.toThrow(says);
  });

  it("whose pixels end early is rejected", async () => {
    const short: RawPng = { width: 9, height: 9, colorType: 2, bitDepth: 8, isInterlaced: false };
    const bytes = rawPng(short, randomBytes(1));
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    view.setUint32(20, 90);
    view.setUint32(29, crc32(bytes.subarray(12, 29)));
    await expect(decodeImage(bytes, imageCodecs)).rejects.toThrow(
      /cannot be decompressed completely/,
    );
  });
});
