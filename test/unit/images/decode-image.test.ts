import { describe, expect, it } from "vitest";
import { decodeImage } from "../../../src/images/open-image.ts";
import type { Raster } from "../../../src/images/raster/raster.ts";
import { alphaOf, decodeElsewhere, psnr } from "../../support/images/judge-picture.ts";
import {
  avifFile,
  gifFile,
  jpegFile,
  orientedJpeg,
  pngFile,
  progressiveJpegFile,
  rustWebpFile,
  samplePicture,
  webpFile,
} from "../../support/images/sample-files.ts";
import { imageCodecs } from "../../support/images/wasm-modules.ts";
import { testInProof } from "../../support/in-proof.ts";

const decode = (bytes: Uint8Array) => decodeImage(bytes, imageCodecs);
const opaque = samplePicture(203, 117);
const clear = samplePicture(203, 117, true);

describe("decodeImage", () => {
  it.each([
    ["a baseline JPEG", jpegFile(opaque), opaque],
    ["a progressive JPEG", progressiveJpegFile(opaque), opaque],
    ["a lossy WebP", webpFile(opaque), opaque],
    ["a lossy WebP with transparency", webpFile(clear), clear],
  ] as const)("reads %s like another decoder", async (_name, bytes, source) => {
    const decoded = await decode(bytes);
    // Decoders interpolate colors of 2 × 2 px differently.
    expect(psnr(decoded, decodeElsewhere(bytes))).toBeGreaterThan(34);
    expect(psnr(decoded, source)).toBeGreaterThan(29);
    expect(alphaOf(decoded)).toEqual(alphaOf(source));
  });

  it.each([
    ["PNG", pngFile(clear)],
    ["lossless WebP", webpFile(clear, true)],
    ["lossless WebP of another encoder", rustWebpFile(clear)],
    ["GIF", gifFile(clear)],
    ["GIF of one color", gifFile(samplePicture(1, 1))],
    ["GIF of several frames, its first", gifFile(opaque, 3)],
  ] as const)("reads a %s exactly like another decoder", async (_name, bytes) => {
    const [ours, theirs] = [await decode(bytes), decodeElsewhere(bytes)];
    expect([ours.width, ours.height]).toEqual([theirs.width, theirs.height]);
    expect(alphaOf(ours)).toEqual(alphaOf(theirs));
    expect(psnr(ours, theirs)).toBe(Infinity);
  });

  it("reads an AVIF, with its transparency, close to the original", async () => {
    const decoded = await decode(avifFile(clear));
    expect(psnr(onWhite(decoded), onWhite(clear))).toBeGreaterThan(34);
    expect(psnr(await decode(avifFile(opaque)), opaque)).toBeGreaterThan(34);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("rotates a JPEG by EXIF orientation %d", async (turn) => {
    // Red top left, green top right, blue bottom left, white bottom right, as stored.
    const stored = quarters(64, 32);
    const upright = await decode(orientedJpeg(jpegFile(stored), turn, turn % 2 === 0));
    const corners = [
      corner(upright, 0.2, 0.2),
      corner(upright, 0.8, 0.2),
      corner(upright, 0.2, 0.8),
      corner(upright, 0.8, 0.8),
    ].join("");
    // From the table of EXIF 2.3: the stored sides that are the visual top and left.
    const expected = ["RGBW", "GRWB", "WBGR", "BWRG", "RBGW", "BRWG", "WGBR", "GWRB"];
    expect(corners).toBe(expected[turn - 1]);
    expect([upright.width, upright.height]).toEqual(turn < 5 ? [64, 32] : [32, 64]);
  });

  it.each([
    ["JPEG", jpegFile(opaque)],
    ["progressive JPEG", progressiveJpegFile(opaque)],
    ["WebP", webpFile(opaque)],
    ["lossless WebP", webpFile(opaque, true)],
    ["PNG", pngFile(opaque)],
    ["GIF", gifFile(opaque)],
    ["AVIF", avifFile(opaque)],
  ] as const)(
    "rejects a %s that is cut at any position, and reads the complete one after it",
    async (_name, bytes) => {
      const ends = [0.02, 0.1, 0.3, 0.6, 0.9, 0.99].map((part) => Math.floor(bytes.length * part));
      for (const end of ends) {
        await expect(
          decode(bytes.subarray(0, end)),
          `${end} of ${bytes.length}`,
        ).rejects.toMatchObject({ code: "IMAGE_UNREADABLE" });
      }
      expect((await decode(bytes)).width).toBe(203);
    },
  );

  it("rejects a JPEG with a damaged scan, where the codec would continue in gray", async () => {
    const bytes = jpegFile(samplePicture(400, 300));
    const cut = bytes.length >> 1;
    const holed = Uint8Array.from([...bytes.subarray(0, cut), 0xff, 0xd9]);
    await expect(decode(holed)).rejects.toMatchObject({ code: "IMAGE_UNREADABLE" });
  });

  testInProof(
    "decodes a photograph of 12 megapixels, and rejects one with fewer rows than stated",
    async () => {
      const bytes = jpegFile(samplePicture(4_096, 3_072), 50);
      const decoded = await decode(bytes);
      expect([decoded.width, decoded.height]).toEqual([4_096, 3_072]);
      const frame = Buffer.from(bytes).indexOf(Buffer.from([0xff, 0xc0]));
      const taller = bytes.slice();
      new DataView(taller.buffer).setUint16(frame + 5, 3_080);
      await expect(decode(taller)).rejects.toMatchObject({ code: "IMAGE_UNREADABLE" });
    },
  );
});

function onWhite({ rgba, width, height }: Raster): Raster {
  const flat = rgba.map((value, i) => {
    const alpha = rgba[i | 3]! / 255;
    return (i & 3) === 3 ? 255 : value * alpha + 255 * (1 - alpha);
  });
  return { rgba: flat, width, height };
}

const COLORS = { R: [255, 0, 0], G: [0, 255, 0], B: [0, 0, 255], W: [255, 255, 255] } as const;

function quarters(width: number, height: number): Raster {
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const name = (["R", "G", "B", "W"] as const)[
        (x * 2 < width ? 0 : 1) + (y * 2 < height ? 0 : 2)
      ]!;
      rgba.set([...COLORS[name], 255], (y * width + x) * 4);
    }
  }
  return { rgba, width, height };
}

/** The nearest of the four colors at a position given in fractions of the sides. */
function corner({ rgba, width, height }: Raster, x: number, y: number): string {
  const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 4;
  const away = (name: keyof typeof COLORS) =>
    [...COLORS[name]].reduce<number>((sum, value, i) => sum + Math.abs(value - rgba[at + i]!), 0);
  return (["R", "G", "B", "W"] as const).toSorted((a, b) => away(a) - away(b))[0]!;
}
