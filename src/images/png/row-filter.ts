import { PixelKernels, PixelLayout } from "../pixels/pixel-kernels.ts";

/** Size of the pixels that are handed to a kernel at once. */
const TAKEN_BYTES = 64 * 1024;
const RGBA_BYTES = 4;
/** Kernels want 16 bytes before and behind a line, and whole vectors. */
const VECTOR_BYTES = 16;
/** The row above, the row itself, and the differences of three filters. */
const LINES = 5;

/**
 * Converts RGBA to filtered PNG rows with 3 or 4 bytes for each pixel. Each row uses the filter out
 * of Sub, Up and Paeth with the smallest sum of differences, the measure suggested by the PNG
 * specification; Up, then Sub, where sums are equal. The work on pixels is that of wasm/pixels/rows.c.
 */
export class RowFilter {
  readonly #width: number;
  readonly #channels: 3 | 4;
  readonly #line: number;
  readonly #kernels: PixelKernels;
  readonly #layout: PixelLayout<"rgba" | "lines" | "out">;
  readonly #rgba: Uint8Array;
  readonly #out: Uint8Array<ArrayBuffer>;
  #filled = 0;

  /** Holds about `stripeBytes`, but at least one row. `module` is pixels.wasm. */
  constructor(
    module: WebAssembly.Module,
    width: number,
    height: number,
    channels: 3 | 4,
    stripeBytes: number,
  ) {
    this.#width = width;
    this.#channels = channels;
    const filtered = 1 + width * channels;
    const rows = Math.min(height, Math.max(1, Math.floor(stripeBytes / filtered)));
    const taken = Math.min(height, Math.max(1, Math.floor(TAKEN_BYTES / (width * RGBA_BYTES))));
    this.#line = Math.ceil((width * channels) / VECTOR_BYTES + 2) * VECTOR_BYTES;
    const sizes = {
      rgba: taken * width * RGBA_BYTES,
      lines: LINES * this.#line,
      out: rows * filtered,
    };
    this.#layout = new PixelLayout(sizes);
    this.#kernels = new PixelKernels(module, this.#layout);
    this.#rgba = this.#kernels.bytes(this.#layout.at("rgba"), sizes.rgba);
    this.#out = this.#kernels.bytes(this.#layout.at("out"), sizes.out);
  }

  /** Filters complete rows; yields full stripes, valid until the next. */
  *add(rgba: Uint8ClampedArray): Generator<Uint8Array> {
    const [row, filtered] = [this.#width * RGBA_BYTES, 1 + this.#width * this.#channels];
    for (let at = 0; at < rgba.length;) {
      if (this.#filled === this.#out.length) {
        yield this.#out;
        this.#filled = 0;
      }
      const missing = (this.#out.length - this.#filled) / filtered;
      const part = rgba.subarray(at, at + Math.min(this.#rgba.length, missing * row));
      this.#rgba.set(part);
      const rows = part.length / row;
      this.#kernels.call.filter(
        this.#rgba.byteOffset,
        this.#width,
        rows,
        this.#channels,
        this.#layout.at("lines"),
        this.#line,
        this.#out.byteOffset + this.#filled,
      );
      this.#filled += rows * filtered;
      at += part.length;
    }
  }

  /** The incomplete stripe. */
  rest(): Uint8Array {
    return this.#out.subarray(0, this.#filled);
  }

  /** The checksum of zlib (RFC 1950) of a stripe, continued from that of the bytes before. */
  checksum(stripe: Uint8Array, before: number): number {
    return this.#kernels.call.adler32(stripe.byteOffset, stripe.length, before) >>> 0;
  }
}
