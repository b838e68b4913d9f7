import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeImage } from "../../../../src/images/open-image.ts";
import { encodePng } from "../../../support/images/encode-png.ts";
import { readPngSize } from "../../../../src/images/header/read-png-header.ts";
import { decodePng } from "../../../support/node/decode-png.ts";
import { decodeByPngjs, decodeBySharp } from "../../../support/images/outside-readers.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

/** A picture of `colors` colors, each used, with alpha if `clear`. */
function picture(width: number, height: number, colors: number, clear: boolean): Uint8ClampedArray {
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < width * height; i++) {
    const color = i % colors;
    rgba.set(
      [color & 255, (color >> 8) & 255, (color * 7) & 255, clear ? 255 - (color % 200) : 255],
      i * 4,
    );
  }
  return rgba;
}

const depthAndType = (png: Uint8Array): number[] => [png[24]!, png[25]!];

describe("encodePng", () => {
  it.each([
    // colors, bits, PNG color type
    [1, 1, 3],
    [2, 1, 3],
    [3, 2, 3],
    [4, 2, 3],
    [5, 4, 3],
    [16, 4, 3],
    [17, 8, 3],
    [256, 8, 3],
    [257, 8, 2],
  ])(
    "writes %d colors with %d bits of type %d, and a PNG decoder returns every pixel",
    async (colors, bits, type) => {
      // An odd width leaves the last byte of a row half empty.
      const rgba = picture(37, 29, colors, false);
      const png = encodePng(rgba, 37, 29);
      expect(depthAndType(png)).toEqual([bits, type]);
      const back = await decodeImage(png, imageCodecs);
      expect([back.width, back.height]).toEqual([37, 29]);
      expect(back.rgba).toEqual(rgba);
    },
  );

  it("ends with the IEND chunk and the checksum that every PNG has", () => {
    const end = encodePng(picture(3, 3, 2, false), 3, 3).slice(-12);
    expect(Buffer.from(end).toString("hex")).toBe("0000000049454e44ae426082");
  });

  it("keeps transparency in palettes and without them", async () => {
    for (const colors of [2, 100, 900]) {
      const rgba = picture(40, 30, colors, true);
      expect((await decodeImage(encodePng(rgba, 40, 30), imageCodecs)).rgba).toEqual(rgba);
    }
  });

  it.each([
    [2, false],
    [16, true],
    [256, true],
    [900, false],
    [900, true],
  ])(
    "writes %d colors that sharp and pngjs read alike (transparent: %s)",
    async (colors, clear) => {
      const rgba = picture(41, 23, colors, clear);
      const png = encodePng(rgba, 41, 23);
      expect(decodeByPngjs(png)).toEqual({ rgba, width: 41, height: 23 });
      expect(await decodeBySharp(png)).toEqual({ rgba, width: 41, height: 23 });
    },
  );

  it("deflates a large picture stripe by stripe, as one stream that zlib verifies", async () => {
    // Rows of 4,501 bytes: more than two stripes, and none of them full.
    const [width, height] = [1_500, 2_100];
    const rgba = picture(width, height, 65_537, false);
    const png = encodePng(rgba, width, height);
    const pixels = decodePng(png);
    const sent = Buffer.from(rgba);
    expect(sent.equals(pixels.rgba)).toBe(true);
    expect(sent.equals(Buffer.from((await decodeImage(png, imageCodecs)).rgba))).toBe(true);
  });

  it("preserves any pixels of any size", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        fc.infiniteStream(fc.integer({ min: 0, max: 255 })),
        async (width, height, opaque, bytes) => {
          const rgba = new Uint8ClampedArray(width * height * 4);
          for (let i = 0; i < rgba.length; i++) {
            // Transparent pixels may lose their color, so there are none.
            rgba[i] =
              i % 4 === 3 ? (opaque ? 255 : Math.max(1, bytes.next().value)) : bytes.next().value;
          }
          expect((await decodeImage(encodePng(rgba, width, height), imageCodecs)).rgba).toEqual(
            rgba,
          );
        },
      ),
      { numRuns: 60, seed: 3 },
    );
  });

  it("rejects pixels whose number does not match the size", () => {
    expect(() => encodePng(new Uint8ClampedArray(8), 3, 1)).toThrow(/12 bytes/);
  });
});

describe("decodeImage of a PNG", () => {
  const png = encodePng(picture(8, 8, 3, false), 8, 8);

  it("reads the size from the header alone", () => {
    expect(readPngSize(png)).toEqual({ width: 8, height: 8 });
    expect(readPngSize(png.subarray(0, 20))).toBeUndefined();
    expect(readPngSize(new TextEncoder().encode("<svg/>".repeat(10)))).toBeUndefined();
  });

  it("rejects a picture of a million pixels on each side before decoding it", async () => {
    const bomb = png.slice();
    new DataView(bomb.buffer).setUint32(16, 1_000_000);
    new DataView(bomb.buffer).setUint32(20, 1_000_000);
    await expect(decodeImage(bomb, imageCodecs)).rejects.toMatchObject({ code: "IMAGE_TOO_LARGE" });
  });

  it("rejects damaged bytes, and continues to decode valid ones", async () => {
    const damaged = png.slice();
    // The header of the compressed stream; the codec ignores wrong checksums.
    damaged[Buffer.from(png).indexOf("IDAT") + 4] = 0xff;
    for (const bytes of [damaged, png.subarray(0, 50), new Uint8Array(0)]) {
      await expect(decodeImage(bytes, imageCodecs)).rejects.toMatchObject({
        code: "IMAGE_UNREADABLE",
      });
    }
    expect((await decodeImage(png, imageCodecs)).width).toBe(8);
  });
});
