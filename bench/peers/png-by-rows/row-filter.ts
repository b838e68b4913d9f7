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
    for (let at = 0; at < rgba.length; at += this.#width * 4) {
      if (this.#filled === this.#out.length) {
        yield this.#out;
        this.#filled = 0;
      }
      this.#addRow(rgba, at);
    }
  }

  /** The incomplete stripe. */
  rest(): Uint8Array {
    return this.#out.subarray(0, this.#filled);
  }

  #addRow(rgba: Uint8ClampedArray, start: number): void {
    const channels = this.#channels;
    const stride = this.#stride;
    const [row, above, sub, up, paeth] = [this.#row, this.#above, this.#sub, this.#up, this.#paeth];
    readRow(rgba, start, row, channels);
    let subSum = 0;
    let upSum = 0;
    let paethSum = 0;
    for (let i = 0; i < stride; i++) {
      const value = row[i] as number;
      const a = i < channels ? 0 : (row[i - channels] as number);
      const b = above[i] as number;
      const c = i < channels ? 0 : (above[i - channels] as number);
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
        ? ([2, up] as const)
        : subSum <= paethSum
          ? ([1, sub] as const)
          : ([4, paeth] as const);
    this.#out[this.#filled] = filter;
    this.#out.set(best, this.#filled + 1);
    this.#filled += stride + 1;
    [this.#above, this.#row] = [row, above];
  }
}

/** The absolute value of a difference as a signed byte. */
function size(difference: number): number {
  const byte = difference & 255;
  return byte < 128 ? byte : 256 - byte;
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
