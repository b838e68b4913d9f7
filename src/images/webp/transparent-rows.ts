/**
 * Takes the transparency out of rows, in place, and keeps it as a plane. Where nothing shows, the
 * colour beside or above goes on, so that no hidden one bleeds over the edge.
 */
export class TransparentRows {
  readonly #width: number;
  readonly #alpha: () => Uint8Array;
  #plane: Uint8Array | undefined;
  #row = 0;
  #above: Uint32Array;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#alpha = () => new Uint8Array(width * height).fill(255);
    this.#above = new Uint32Array(width);
  }

  /** A byte a pixel; undefined as long as nothing was transparent. */
  get alpha(): Uint8Array | undefined {
    return this.#plane;
  }

  /** The plane is not held any longer. */
  letGo(): void {
    this.#plane = undefined;
  }

  /** The next whole rows. They are opaque when this returns. */
  take(rgba: Uint8ClampedArray, isOpaque: boolean): void {
    const width = this.#width;
    if (isOpaque) {
      this.#row += rgba.length / (width * 4);
      return;
    }
    const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4);
    for (let at = 0; at < pixels.length; at += width, this.#row++) {
      this.#takeRow(rgba.subarray(at * 4, (at + width) * 4), pixels.subarray(at, at + width));
    }
  }

  #takeRow(rgba: Uint8ClampedArray, pixels: Uint32Array): void {
    const width = this.#width;
    let shown: number | undefined;
    let isClear = false;
    for (let x = width - 1; x >= 0; x--) {
      const alpha = rgba[x * 4 + 3] as number;
      isClear ||= alpha !== 255;
      shown = alpha === 0 ? shown : x;
    }
    if (isClear) {
      const plane = (this.#plane ??= this.#alpha());
      const start = this.#row * width;
      for (let x = 0; x < width; x++) {
        const alpha = rgba[x * 4 + 3] as number;
        plane[start + x] = alpha;
        if (alpha === 0) {
          // Left of the first that shows, its colour; right of it, the last one's; else the row above.
          pixels[x] =
            (shown === undefined ? this.#above[x] : x < shown ? pixels[shown] : pixels[x - 1]) ?? 0;
        }
        rgba[x * 4 + 3] = 255;
      }
    }
    this.#above.set(pixels);
  }
}
