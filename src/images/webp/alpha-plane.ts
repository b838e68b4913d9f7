/** The transparency of a picture, collected while its rows are written: one byte for each pixel, if any is transparent. */
export class AlphaPlane {
  readonly #width: number;
  readonly #length: number;
  #bytes: Uint8Array | undefined;
  /** Pixels whose rows have been taken. */
  #taken = 0;
  /** Colors of the row before. */
  #above: Uint32Array;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#length = width * height;
    this.#above = new Uint32Array(width);
  }

  /** Undefined while every pixel is opaque. */
  get bytes(): Uint8Array | undefined {
    return this.#bytes;
  }

  /**
   * The next complete rows. Their fully transparent pixels get the color beside or above them, so that no hidden color
   * bleeds over the edge.
   */
  take(rows: Uint8ClampedArray): void {
    const pixels = new Uint32Array(rows.buffer, rows.byteOffset, rows.length / 4);
    if (this.#bytes === undefined && hasTransparency(rows)) {
      this.#bytes = new Uint8Array(this.#length).fill(255, 0, this.#taken);
    }
    const bytes = this.#bytes;
    if (bytes !== undefined) {
      for (let at = 0; at < pixels.length; at++) {
        bytes[this.#taken + at] = rows[at * 4 + 3] ?? 0;
      }
      for (let row = 0; row < pixels.length; row += this.#width) {
        const end = row + this.#width;
        this.#spread(pixels.subarray(row, end), bytes.subarray(this.#taken + row));
        this.#above = pixels.slice(row, end);
      }
    } else {
      this.#above = pixels.slice(pixels.length - this.#width);
    }
    this.#taken += pixels.length;
  }

  /** Lets the bytes go. */
  drop(): void {
    this.#bytes = undefined;
  }

  /**
   * Left of the first visible pixel, its color; right of it, the color of the last one; in a row without any, that of the
   * row above.
   */
  #spread(row: Uint32Array, alpha: Uint8Array): void {
    const shown = row.findIndex((_color, at) => alpha[at] !== 0);
    for (let at = 0; at < row.length; at++) {
      if (alpha[at] === 0) {
        const from = shown === -1 ? this.#above[at] : at < shown ? row[shown] : row[at - 1];
        row[at] = from ?? 0;
      }
    }
  }
}

function hasTransparency(rgba: Uint8ClampedArray): boolean {
  for (let at = 3; at < rgba.length; at += 4) {
    if (rgba[at] !== 255) {
      return true;
    }
  }
  return false;
}
