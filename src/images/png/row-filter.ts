import { Buffer } from "node:buffer";

/** Filter types of PNG. */
const [SUB, UP, PAETH] = [1, 2, 4] as const;

/**
 * Converts RGBA to filtered PNG rows with 3 or 4 bytes for each pixel. Each row uses the filter out
 * of Sub, Up and Paeth with the smallest sum of differences, the measure suggested by the PNG
 * specification.
 */
export class RowFilter {
  readonly #width: number;
  readonly #channels: 3 | 4;
  readonly #stride: number;
  readonly #out: Uint8Array<ArrayBuffer>;
  #filled = 0;
  /** The row above as words of a pixel; 0 above the first. */
  readonly #above: Uint32Array;
  readonly #sub: Uint8Array;
  readonly #up: Uint8Array;
  readonly #paeth: Uint8Array;

  /** Holds about `stripeBytes`, but at least one row. */
  constructor(width: number, height: number, channels: 3 | 4, stripeBytes: number) {
    this.#width = width;
    this.#channels = channels;
    this.#stride = width * channels;
    const rows = Math.min(height, Math.max(1, Math.floor(stripeBytes / (this.#stride + 1))));
    this.#out = new Uint8Array((this.#stride + 1) * rows);
    this.#above = new Uint32Array(width);
    this.#sub = new Uint8Array(this.#stride);
    this.#up = new Uint8Array(this.#stride);
    this.#paeth = new Uint8Array(this.#stride);
  }

  /** Filters complete rows; yields full stripes, valid until the next. */
  *add(rgba: Uint8ClampedArray): Generator<Uint8Array> {
    const bytes = Buffer.from(rgba.buffer, rgba.byteOffset, rgba.byteLength);
    const length = this.#width * 4;
    for (let at = 0; at < rgba.length; at += length) {
      if (this.#filled === this.#out.length) {
        yield this.#out;
        this.#filled = 0;
      }
      // Most rows of a page are like the one above, in its margins and between its lines.
      if (at > 0 && bytes.compare(bytes, at - length, at, at, at + length) === 0) {
        this.#addCopy();
      } else {
        this.#addRow(new Uint32Array(rgba.buffer, rgba.byteOffset + at, this.#width));
      }
    }
  }

  /** The incomplete stripe. */
  rest(): Uint8Array {
    return this.#out.subarray(0, this.#filled);
  }

  /** A row like the one above: all differences of Up, which wins ties, are 0. */
  #addCopy(): void {
    this.#out[this.#filled] = UP;
    this.#out.fill(0, this.#filled + 1, this.#filled + 1 + this.#stride);
    this.#filled += this.#stride + 1;
  }

  #addRow(pixels: Uint32Array): void {
    const channels = this.#channels;
    const stride = this.#stride;
    const [above, sub, up, paeth] = [this.#above, this.#sub, this.#up, this.#paeth];
    sub.fill(0);
    up.fill(0);
    paeth.fill(0);
    let subSum = 0;
    let upSum = 0;
    let paethSum = 0;
    // Left of the first pixel everything is 0.
    let left = 0;
    let corner = 0;
    for (let x = 0, at = 0; at < stride; x++, at += channels) {
      const pixel = pixels[x] as number;
      const top = above[x] as number;
      if (pixel === top && left === corner) {
        // Paeth predicts `a` if that is `b` too, else `b`: only Sub has differences, and none inside of a color.
        if (pixel !== left) {
          for (let i = at, shift = 0; i < at + channels; i++, shift += 8) {
            subSum += size((sub[i] = (pixel >>> shift) - (left >>> shift)));
          }
        }
      } else {
        for (let i = at, shift = 0; i < at + channels; i++, shift += 8) {
          const value = (pixel >>> shift) & 255;
          const a = (left >>> shift) & 255;
          const b = (top >>> shift) & 255;
          const c = (corner >>> shift) & 255;
          const pa = Math.abs(b - c);
          const pb = Math.abs(a - c);
          const pc = Math.abs(a + b - 2 * c);
          const predicted = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
          subSum += size((sub[i] = value - a));
          upSum += size((up[i] = value - b));
          paethSum += size((paeth[i] = value - predicted));
        }
      }
      left = pixel;
      corner = top;
    }
    const [filter, best] =
      upSum <= subSum && upSum <= paethSum
        ? ([UP, up] as const)
        : subSum <= paethSum
          ? ([SUB, sub] as const)
          : ([PAETH, paeth] as const);
    this.#out[this.#filled] = filter;
    this.#out.set(best, this.#filled + 1);
    this.#filled += stride + 1;
    above.set(pixels);
  }
}

/** The absolute value of a difference as a signed byte. */
function size(difference: number): number {
  return Math.abs((difference << 24) >> 24);
}
