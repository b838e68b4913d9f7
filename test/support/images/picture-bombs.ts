/** Small files of many pixels, up to those that are refused by their header: what reading them takes is not in their size. */
import { constants, deflateRawSync } from "node:zlib";
import { pngOf } from "../pdf/png-of.ts";
import { noise } from "./largest-picture.ts";
import { rawPng } from "./raw-png.ts";
import { gifFile, pngFile, webpFile } from "./sample-files.ts";

const PNG_CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Of the checksum of a zlib stream (RFC 1950). */
const ADLER_MODULUS = 65_521;

/** Deflated zeros, as many rows as there are, without ever holding them. */
function zeroRows(rowBytes: number, height: number): Uint8Array {
  const row = new Uint8Array(rowBytes);
  const deflate = (finishFlush: number) => deflateRawSync(row, { finishFlush });
  const [inner, last] = [deflate(constants.Z_FULL_FLUSH), deflate(constants.Z_FINISH)];
  const checksum = Buffer.alloc(4);
  checksum.writeUInt16BE((rowBytes * height) % ADLER_MODULUS, 0);
  checksum.writeUInt16BE(1, 2);
  const rows = Array.from({ length: height - 1 }, () => inner);
  return Buffer.concat([Uint8Array.from([0x78, 0x9c]), ...rows, last, checksum]);
}

function zeroPng(side: number, color: number, depth: number): Uint8Array {
  const rowBytes = 1 + Math.ceil((side * (PNG_CHANNELS[color] ?? 1) * depth) / 8);
  const palette =
    color === 3
      ? ([
          ["PLTE", [9, 9, 9, 200, 0, 0]],
          ["tRNS", [7]],
        ] as const)
      : [];
  return pngOf({ width: side, height: side, depth, color }, zeroRows(rowBytes, side), palette);
}

/** One color, encoded like any picture. */
function plain(side: number, alpha = 255) {
  const rgba = new Uint8ClampedArray(side * side * 4);
  new Uint32Array(rgba.buffer).fill(0x5a_5a_5a | (alpha << 24));
  return { rgba, width: side, height: side };
}

let state = 1;
const random = () => (state = (state * 48_271) % 0x7f_ff_ff_ff) % 256;

/** Each names what it is, and makes its file. */
export const PICTURE_BOMBS: readonly (readonly [name: string, make: () => Uint8Array])[] = [
  ["a PNG of 8192 × 8192 with opacity", () => zeroPng(8_192, 6, 8)],
  ["a PNG of 8192 × 8192 of 16 bits with opacity", () => zeroPng(8_192, 6, 16)],
  ["a PNG of 8192 × 8192, gray with opacity", () => zeroPng(8_192, 4, 8)],
  ["a PNG of 8192 × 8192, whose palette has opacities", () => zeroPng(8_192, 3, 8)],
  ["a PNG of 4000 × 4000 of 1 bit, whose palette has opacities", () => zeroPng(4_000, 3, 1)],
  ["a PNG of 8192 × 8192 that is passed on", () => zeroPng(8_192, 2, 8)],
  [
    "an interlaced PNG of noise",
    () =>
      rawPng({ width: 700, height: 700, colorType: 6, bitDepth: 16, isInterlaced: true }, random),
  ],
  ["a GIF of 2500 × 2500", () => gifFile(plain(2_500))],
  [
    "a PNG of noise with opacity, as large as a picture may be",
    () => pngFile(noise(2_200, 2_200, true)),
  ],
  // As many pixels as are decoded, of each kind.
  ["a WebP of 3000 × 3000", () => webpFile(plain(3_000))],
  ["a WebP of 2000 × 2000 with opacity", () => webpFile(plain(2_000, 90))],
  ["a lossless WebP of 2300 × 2300", () => webpFile(plain(2_300), true)],
  ["a WebP of noise, which hardly compresses again", () => webpFile(noise(3_000, 3_000))],
  ["a WebP of 4500 × 4500", () => webpFile(plain(4_500))],
];
