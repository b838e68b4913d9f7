import { constants, deflateRawSync, deflateSync } from "node:zlib";
import { adler32 } from "./adler32.ts";
import { filterRows } from "./filter-rows.ts";
import { type Palette, findPalette } from "./find-palette.ts";
import { packIndexes } from "./pack-indexes.ts";
import { PNG_SIGNATURE } from "./png-signature.ts";

/** Filtered rows that are held at once. */
const STRIPE_BYTES = 4 * 1024 * 1024;

/**
 * Encodes RGBA as the smallest of PNG's pixel formats that keeps every pixel: a palette of 1, 2, 4
 * or 8 bits for up to 256 colours (codes, logos), else 24 or 32 bits.
 */
export function encodePng(rgba: Uint8ClampedArray, width: number, height: number): Uint8Array {
  if (rgba.length !== width * height * 4) {
    throw new Error(
      `${width} × ${height} px need ${width * height * 4} bytes, got ${rgba.length}.`,
    );
  }
  const palette = findPalette(rgba);
  return palette === undefined
    ? encodeTrueColor(rgba, width, height)
    : encodePalette(palette, width, height);
}

function encodePalette(palette: Palette, width: number, height: number): Uint8Array {
  const count = palette.colors.length;
  const depth = count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8;
  const plte = new Uint8Array(count * 3);
  const trns: number[] = [];
  for (const [i, color] of palette.colors.entries()) {
    plte.set([color & 255, (color >>> 8) & 255, (color >>> 16) & 255], i * 3);
    const alpha = color >>> 24;
    if (alpha !== 255) {
      trns[i] = alpha;
    }
  }
  // tRNS may be shorter than the palette; holes before its end are opaque.
  const alphas = Uint8Array.from({ length: trns.length }, (_, i) => trns[i] ?? 255);
  const packed = packIndexes(palette.indexes, width, height, depth);
  return assemble([
    chunk("IHDR", header(width, height, depth, 3)),
    chunk("PLTE", plte),
    ...(alphas.length > 0 ? [chunk("tRNS", alphas)] : []),
    chunk("IDAT", deflateSync(packed, { level: 6, strategy: constants.Z_DEFAULT_STRATEGY })),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

function encodeTrueColor(rgba: Uint8ClampedArray, width: number, height: number): Uint8Array {
  let opaque = true;
  for (let i = 3; i < rgba.length && opaque; i += 4) {
    opaque = rgba[i] === 255;
  }
  const channels = opaque ? 3 : 4;
  const data = filterRows(rgba, width, height, channels, STRIPE_BYTES);
  return assemble([
    chunk("IHDR", header(width, height, 8, opaque ? 2 : 6)),
    ...zlibPieces(data).map((piece) => chunk("IDAT", piece)),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

/**
 * One zlib stream (RFC 1950) out of stripes that come one after the other. Each is deflated by itself,
 * so none but the one at hand is held: the rows of a large photograph are as large as itself.
 */
function zlibPieces(stripes: Iterable<{ bytes: Uint8Array; isLast: boolean }>): Uint8Array[] {
  // Deflate with a window of 32 KiB, no dictionary.
  const pieces: Uint8Array[] = [Uint8Array.of(0x78, 0x5e)];
  let checksum = 1;
  for (const { bytes, isLast } of stripes) {
    checksum = adler32(bytes, checksum);
    pieces.push(
      deflateRawSync(bytes, {
        level: 4,
        strategy: constants.Z_FILTERED,
        finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
      }),
    );
  }
  const end = new Uint8Array(4);
  new DataView(end.buffer).setUint32(0, checksum);
  pieces.push(end);
  return pieces;
}

function header(width: number, height: number, depth: number, colorType: number): Uint8Array {
  const bytes = new Uint8Array(13);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  bytes[8] = depth;
  bytes[9] = colorType;
  return bytes;
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) {
    bytes[4 + i] = name.charCodeAt(i);
  }
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

function assemble(chunks: readonly Uint8Array[]): Uint8Array {
  const length = chunks.reduce((sum, part) => sum + part.length, PNG_SIGNATURE.length);
  const bytes = new Uint8Array(length);
  bytes.set(PNG_SIGNATURE);
  let at = PNG_SIGNATURE.length;
  for (const part of chunks) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit++) {
    value = (value & 1) === 1 ? 0xedb8_8320 ^ (value >>> 1) : value >>> 1;
  }
  return value >>> 0;
});

/** ISO 3309, as PNG asks for (node:zlib has it only from Node 22 on). */
function crc32(bytes: Uint8Array): number {
  let value = 0xffff_ffff;
  for (const byte of bytes) {
    value = (CRC_TABLE[(value ^ byte) & 255] ?? 0) ^ (value >>> 8);
  }
  return (value ^ 0xffff_ffff) >>> 0;
}
