import { constants, crc32, deflateRawSync } from "node:zlib";
import { joinPieces } from "../../../src/images/byte-writer.ts";
import { PaletteFinder } from "../../../src/images/png/palette-finder.ts";
import { PNG_SIGNATURE } from "./png-layout.ts";
import { RowFilter } from "./row-filter.ts";

/** Size of the filtered rows that are held at once. */
const STRIPE_BYTES = 512 * 1024;

/**
 * Encodes RGBA in the smallest lossless pixel format of PNG: a palette of 1, 2, 4 or 8 bits for up
 * to 256 colors (codes, logos), else 24 or 32 bits. Rows go in and pieces of the file come out.
 */
export class PngEncoder {
  readonly #width: number;
  readonly #height: number;
  readonly #isOpaque: boolean;
  readonly #palette: PaletteFinder;
  /** When there are too many colors for a palette. */
  #filter: RowFilter | undefined;
  readonly #deflater = new ZlibPieces(4, constants.Z_FILTERED);

  constructor(width: number, height: number, isOpaque: boolean) {
    this.#width = width;
    this.#height = height;
    this.#isOpaque = isOpaque;
    this.#palette = new PaletteFinder(width, height);
  }

  /** The next complete rows. */
  *add(rgba: Uint8ClampedArray): Generator<Uint8Array> {
    if (this.#filter === undefined) {
      if (this.#palette.add(rgba)) {
        return;
      }
      const channels = this.#isOpaque ? 3 : 4;
      this.#filter = new RowFilter(this.#width, this.#height, channels, STRIPE_BYTES);
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
    const deflater = new ZlibPieces(6, constants.Z_DEFAULT_STRATEGY);
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
  readonly #level: number;
  readonly #strategy: number;
  #checksum = 1;
  #isBegun = false;

  constructor(level: number, strategy: number) {
    this.#level = level;
    this.#strategy = strategy;
  }

  add(stripe: Uint8Array, isLast: boolean): Uint8Array {
    const head = this.#isBegun ? [] : [0x78, 0x5e];
    this.#isBegun = true;
    this.#checksum = adler32(stripe, this.#checksum);
    const deflated = deflateRawSync(stripe, {
      level: this.#level,
      strategy: this.#strategy,
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
/** Maximum number of bytes before the sums could exceed 2^32. */
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
    for (; at < end; at++) {
      low += bytes[at] as number;
      high += low;
    }
    low %= MODULUS;
    high %= MODULUS;
  }
  return ((high << 16) | low) >>> 0;
}
