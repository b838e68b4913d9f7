import { Buffer } from "node:buffer";
import { constants, crc32, deflateRawSync } from "node:zlib";
import { joinPieces } from "../byte-writer.ts";
import { chooseDeflate, type DeflateWay } from "./choose-deflate.ts";
import { PaletteFinder } from "./palette-finder.ts";
import { PNG_SIGNATURE } from "./read/png-layout.ts";
import { RowFilter } from "./row-filter.ts";
import { rasterPicture } from "../raster/raster.ts";

/** For rows that are not filtered, such as those of drawings in few colors. */
export const MOST_MATCHES: DeflateWay = { level: 6, strategy: constants.Z_DEFAULT_STRATEGY };

/** Size of the filtered rows that are held at once. */
const STRIPE_BYTES = 512 * 1024;

/**
 * Encodes RGBA in the smallest lossless pixel format of PNG: a palette of 1, 2, 4 or 8 bits for up
 * to 256 colors (codes, logos), else 24 or 32 bits. Rows go in and pieces of the file come out.
 */
export class PngEncoder {
  readonly #pixels: WebAssembly.Module;
  readonly #width: number;
  readonly #height: number;
  readonly #isOpaque: boolean;
  readonly #texts: readonly (readonly [keyword: string, value: string])[];
  readonly #palette: PaletteFinder;
  /** When there are too many colors for a palette. */
  #filter: RowFilter | undefined;
  readonly #deflater = new ZlibPieces(chooseDeflate, (stripe, before) =>
    // Stripes of the filter only are deflated.
    (this.#filter as RowFilter).checksum(stripe, before),
  );

  /** `pixels` is pixels.wasm; `texts` become tEXt chunks: keywords and values in Latin-1. */
  constructor(
    pixels: WebAssembly.Module,
    width: number,
    height: number,
    isOpaque: boolean,
    texts: readonly (readonly [keyword: string, value: string])[] = [],
  ) {
    this.#pixels = pixels;
    this.#width = width;
    this.#height = height;
    this.#isOpaque = isOpaque;
    this.#texts = texts;
    this.#palette = new PaletteFinder(width, height);
  }

  /** The next complete rows. */
  *add(rgba: Uint8ClampedArray): Generator<Uint8Array> {
    if (this.#filter === undefined) {
      if (this.#palette.add(rgba)) {
        return;
      }
      const channels = this.#isOpaque ? 3 : 4;
      this.#filter = new RowFilter(this.#pixels, this.#width, this.#height, channels, STRIPE_BYTES);
      yield* this.#head(8, this.#isOpaque ? 2 : 6);
      for (const before of this.#palette.pixels()) {
        yield* this.#deflated(this.#filter, before);
      }
    }
    yield* this.#deflated(this.#filter, rgba);
  }

  *end(): Generator<Uint8Array> {
    if (this.#filter === undefined) {
      yield* this.#inPalette();
    } else {
      yield chunk("IDAT", this.#deflater.add(this.#filter.rest(), true));
    }
    yield chunk("IEND", new Uint8Array(0));
  }

  *#deflated(filter: RowFilter, rgba: Uint8ClampedArray): Generator<Uint8Array> {
    for (const stripe of filter.add(rgba)) {
      yield chunk("IDAT", this.#deflater.add(stripe, false));
    }
  }

  *#inPalette(): Generator<Uint8Array> {
    const { colors } = this.#palette;
    const count = colors.length;
    const depth = count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8;
    const plte = new Uint8Array(count * 3);
    const trns: number[] = [];
    for (const [i, color] of colors.entries()) {
      plte.set([color & 255, (color >>> 8) & 255, (color >>> 16) & 255], i * 3);
      const alpha = color >>> 24;
      if (alpha !== 255) {
        trns[i] = alpha;
      }
    }
    yield* this.#head(depth, 3);
    yield chunk("PLTE", plte);
    if (trns.length > 0) {
      // tRNS may be shorter than the palette; entries after its end are opaque.
      yield chunk(
        "tRNS",
        Uint8Array.from({ length: trns.length }, (_, i) => trns[i] ?? 255),
      );
    }
    const deflater = new ZlibPieces(() => MOST_MATCHES);
    let held = 0;
    let rows: Uint8Array[] = [];
    for (const indexes of this.#palette.indexes()) {
      if (held >= STRIPE_BYTES) {
        yield chunk("IDAT", deflater.add(joined(rows), false));
        [rows, held] = [[], 0];
      }
      const packed = packIndexes(indexes, this.#width, indexes.length / this.#width, depth);
      rows.push(packed);
      held += packed.length;
    }
    yield chunk("IDAT", deflater.add(joined(rows), true));
  }

  *#head(depth: number, colorType: number): Generator<Uint8Array> {
    yield Uint8Array.from(PNG_SIGNATURE);
    const bytes = new Uint8Array(13);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, this.#width);
    view.setUint32(4, this.#height);
    bytes[8] = depth;
    bytes[9] = colorType;
    yield chunk("IHDR", bytes);
    for (const [keyword, value] of this.#texts) {
      yield chunk("tEXt", Buffer.from(`${keyword}\0${value}`, "latin1"));
    }
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : joinPieces(parts);
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) {
    bytes[4 + i] = name.charCodeAt(i);
  }
  bytes.set(data, 8);
  // ISO 3309, as PNG requires.
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

/** Encodes a whole RGBA picture as a PNG. Every visible pixel is preserved. */
export function encodePng(
  pixels: WebAssembly.Module,
  rgba: Uint8ClampedArray,
  width: number,
  height: number,
): Uint8Array {
  if (rgba.length !== width * height * 4) {
    throw new Error(
      `${width} × ${height} px need ${width * height * 4} bytes, got ${rgba.length}.`,
    );
  }
  const { isOpaque } = rasterPicture({ rgba, width, height });
  const encoder = new PngEncoder(pixels, width, height, isOpaque);
  return joinPieces([...encoder.add(rgba), ...encoder.end()]);
}

/**
 * Palette indexes as PNG rows: a filter byte (none), then 8 / `depth` pixels in each byte, the
 * first in the high bits.
 */
function packIndexes(
  indexes: Uint8Array,
  width: number,
  height: number,
  depth: 1 | 2 | 4 | 8,
): Uint8Array {
  const stride = 1 + Math.ceil((width * depth) / 8);
  const rows = new Uint8Array(stride * height);
  const perByte = 8 / depth;
  for (let y = 0; y < height; y++) {
    const line = y * stride + 1;
    const from = y * width;
    if (depth === 8) {
      rows.set(indexes.subarray(from, from + width), line);
      continue;
    }
    for (let x = 0; x < width; x++) {
      const at = line + ((x / perByte) | 0);
      const shift = 8 - depth - (x % perByte) * depth;
      rows[at] = (rows[at] ?? 0) | ((indexes[from + x] ?? 0) << shift);
    }
  }
  return rows;
}

/**
 * One zlib stream (RFC 1950) from successive stripes. Each is deflated separately, so that only the
 * current one is held: the rows of a large photograph are as large as the photograph.
 */
export class ZlibPieces {
  readonly #wayOf: (stripe: Uint8Array) => DeflateWay;
  readonly #adler32: (bytes: Uint8Array, before: number) => number;
  #checksum = 1;
  #isBegun = false;

  /** `wayOf` chooses for each stripe; `checksum` is Adler-32, continued from that of the bytes before. */
  constructor(
    wayOf: (stripe: Uint8Array) => DeflateWay,
    checksum: (bytes: Uint8Array, before: number) => number = adler32,
  ) {
    this.#adler32 = checksum;
    this.#wayOf = wayOf;
  }

  add(stripe: Uint8Array, isLast: boolean): Uint8Array {
    const head = this.#isBegun ? [] : [0x78, 0x5e];
    this.#isBegun = true;
    this.#checksum = this.#adler32(stripe, this.#checksum);
    const deflated = deflateRawSync(stripe, {
      ...this.#wayOf(stripe),
      finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    });
    const bytes = new Uint8Array(head.length + deflated.length + (isLast ? 4 : 0));
    // Deflate with a window of 32 KiB, without a dictionary.
    bytes.set(head);
    bytes.set(deflated, head.length);
    if (isLast) {
      new DataView(bytes.buffer).setUint32(bytes.length - 4, this.#checksum);
    }
    return bytes;
  }
}

/** The largest prime below 2^16. */
const MODULUS = 65_521;
/** Maximum number of bytes before the sums could exceed 2^31. */
const STEP = 3_800;

/**
 * The checksum at the end of a zlib stream (RFC 1950 §8.2), continued from that of the previous
 * bytes; 1 at the beginning.
 */
function adler32(bytes: Uint8Array, before: number): number {
  let low = before & 0xffff;
  let high = before >>> 16;
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(at + STEP, bytes.length);
    // Four at a time, whose sums do not wait for one another. All fit into 31 bits.
    for (; at + 4 <= end; at += 4) {
      const [a, b] = [bytes[at] as number, bytes[at + 1] as number];
      const [c, d] = [bytes[at + 2] as number, bytes[at + 3] as number];
      high = (high + 4 * (low + a) + 3 * b + 2 * c + d) | 0;
      low = (low + a + b + c + d) | 0;
    }
    for (; at < end; at++) {
      low = (low + (bytes[at] as number)) | 0;
      high = (high + low) | 0;
    }
    low %= MODULUS;
    high %= MODULUS;
  }
  return ((high << 16) | low) >>> 0;
}
