import { PictureCodec } from "../codec/picture-codec.ts";
import { layOnWhite } from "../raster/flatten-raster.ts";
import { JPEG_INITIAL_BYTES } from "./jpeg-memory.ts";

/** Functions of jpeg.wasm (wasm/pictures/src/jpeg/write.c). */
interface WriterExports {
  readonly begin: (
    width: number,
    height: number,
    quality: number,
    isHalved: number,
    heldBytes: number,
  ) => void;
  readonly add: (pixels: number, count: number) => void;
  readonly end: () => void;
  readonly pass_on: () => number;
}

/**
 * From this quality on, colors are stored for every pixel; below, one color is stored for 2 × 2
 * pixels, which is invisible on photographs.
 */
const FULL_COLOR_QUALITY_MIN = 90;

/** Rows that the module receives at once. */
const ROWS_AT_ONCE = 16;

/** Maximum memory of the module, with what it holds by default: rows of 16,384 px need 2.6 MB. */
const BYTES_MAX = 4 * 1024 * 1024;

/** Of the file, in bytes: a photograph of five megapixels at quality 85. */
const HELD_BYTES_DEFAULT = 1024 * 1024;

/**
 * Encodes a picture as a baseline JPEG with libjpeg-turbo, flattened on white (docs/contract/assets.md#pictures),
 * `quality` 1 to 100. Rows go in and pieces of the file come out; a few rows are held. With `isOpaque` no pixel is transparent.
 * Up to `heldBytes` of the file are held for Huffman tables of its own: a file that is not longer is the smallest with its
 * pixels; in a longer one, tables made of this first part are used to its end.
 */
export class JpegEncoder {
  readonly #codec: PictureCodec<WriterExports>;
  readonly #rowBytes: number;
  readonly #rows: number;
  readonly #isOpaque: boolean;

  constructor(
    width: number,
    height: number,
    quality: number,
    module: WebAssembly.Module,
    isOpaque = false,
    heldBytes = HELD_BYTES_DEFAULT,
  ) {
    this.#isOpaque = isOpaque;
    this.#codec = new PictureCodec(module, {
      initialBytes: JPEG_INITIAL_BYTES,
      bytesMax: BYTES_MAX + Math.max(0, heldBytes - HELD_BYTES_DEFAULT),
    });
    this.#rowBytes = width * 4;
    const isHalved = quality < FULL_COLOR_QUALITY_MIN ? 1 : 0;
    this.#codec.call(({ begin }) => {
      begin(width, height, quality, isHalved, heldBytes);
    });
    this.#rows = this.#codec.room(this.#rowBytes * ROWS_AT_ONCE);
  }

  /** The next complete rows, which are not modified. */
  *add(rgba: Uint8ClampedArray): Generator<Uint8Array> {
    const bytesAtOnce = this.#rowBytes * ROWS_AT_ONCE;
    for (let at = 0; at < rgba.length; at += bytesAtOnce) {
      const part = rgba.subarray(at, at + bytesAtOnce);
      const rows = this.#codec.bytes(this.#rows, part.length);
      rows.set(part);
      if (!this.#isOpaque) {
        layOnWhite(rows);
      }
      this.#codec.call(({ add }) => {
        add(this.#rows, part.length / this.#rowBytes);
      });
    }
    yield* this.#codec.takeWritten();
  }

  *end(): Generator<Uint8Array> {
    this.#codec.call(({ end }) => {
      end();
    });
    let isMore = true;
    while (isMore) {
      isMore = this.#codec.call(({ pass_on: passOn }) => passOn()) !== 0;
      yield* this.#codec.takeWritten();
    }
  }
}
