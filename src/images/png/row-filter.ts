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
  #above: Uint8Array;
  #row: Uint8Array;
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
    this.#above = new Uint8Array(this.#stride);
    this.#row = new Uint8Array(this.#stride);
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
        this.#addRow(rgba, at);
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

  #addRow(rgba: Uint8ClampedArray, start: number): void {
    const channels = this.#channels;
    const stride = this.#stride;
    const [row, above, sub, up, paeth] = [this.#row, this.#above, this.#sub, this.#up, this.#paeth];
    readRow(rgba, start, row, channels);
    let subSum = 0;
    let upSum = 0;
    let paethSum = 0;
    // Left of the first pixel everything is 0, so that Paeth predicts what is above.
    for (let i = 0; i < channels; i++) {
      const value = row[i] as number;
      const difference = value - (above[i] as number);
      subSum += size((sub[i] = value));
      upSum += size((up[i] = difference));
      paethSum += size((paeth[i] = difference));
    }
    for (let i = channels; i < stride; i++) {
      const value = row[i] as number;
      const a = row[i - channels] as number;
      const b = above[i] as number;
      const c = above[i - channels] as number;
      if (value === b && a === c) {
        // Paeth predicts `a` if that is `b` too, else `b`.
        up[i] = 0;
        paeth[i] = 0;
        subSum += size((sub[i] = value - a));
        continue;
      }
      const pa = Math.abs(b - c);
      const pb = Math.abs(a - c);
      const pc = Math.abs(a + b - 2 * c);
      const predicted = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      subSum += size((sub[i] = value - a));
      upSum += size((up[i] = value - b));
      paethSum += size((paeth[i] = value - predicted));
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
    [this.#above, this.#row] = [row, above];
  }
}

/** The absolute value of a difference as a signed byte. */
function size(difference: number): number {
  return Math.abs((difference << 24) >> 24);
}

function readRow(rgba: Uint8ClampedArray, start: number, row: Uint8Array, channels: 3 | 4): void {
  if (channels === 4) {
    row.set(rgba.subarray(start, start + row.length));
    return;
  }
  for (let from = start, to = 0; to < row.length; from += 4, to += 3) {
    row[to] = rgba[from] as number;
    row[to + 1] = rgba[from + 1] as number;
    row[to + 2] = rgba[from + 2] as number;
  }
}
