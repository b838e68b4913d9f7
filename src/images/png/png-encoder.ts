import { constants, crc32 } from "node:zlib";
import { joinPieces } from "../join-pieces.ts";
import { packIndexes } from "./pack-indexes.ts";
import { PaletteFinder } from "./palette-finder.ts";
import { PNG_SIGNATURE } from "./png-signature.ts";
import { RowFilter } from "./row-filter.ts";
import { ZlibPieces } from "./zlib-pieces.ts";

/** Filtered rows that are held at once. */
const STRIPE_BYTES = 512 * 1024;

/**
 * Encodes RGBA as the smallest of PNG's pixel formats that keeps every pixel: a palette of 1, 2, 4
 * or 8 bits for up to 256 colours (codes, logos), else 24 or 32 bits. Rows go in and pieces of the
 * file come out.
 */
export class PngEncoder {
  readonly #width: number;
  readonly #height: number;
  readonly #isOpaque: boolean;
  readonly #palette: PaletteFinder;
  /** Once there are too many colours for a palette. */
  #filter: RowFilter | undefined;
  readonly #deflater = new ZlibPieces(4, constants.Z_FILTERED);

  constructor(width: number, height: number, isOpaque: boolean) {
    this.#width = width;
    this.#height = height;
    this.#isOpaque = isOpaque;
    this.#palette = new PaletteFinder(width, height);
  }

  /** The next whole rows. */
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
      // tRNS may be shorter than the palette; holes before its end are opaque.
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
  // ISO 3309, as PNG asks for.
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}
