const COLORS_MAX = 256;
/**
 * Maximum number of pixels for a palette: one index byte is held for each until all are read;
 * larger pictures are photographs.
 */
const PIXELS_MAX = 4_096 * 3_072;

/** Rows as color indexes, while there are few colors. */
export class PaletteFinder {
  readonly #known = new Map<number, number>();
  readonly #stripes: Uint8Array[] = [];
  readonly #isTried: boolean;

  constructor(width: number, height: number) {
    this.#isTried = width * height <= PIXELS_MAX;
  }

  /** Little-endian RGBA words. */
  get colors(): readonly number[] {
    return [...this.#known.keys()];
  }

  /**
   * Adds the next pixels. Returns false, and adds none, if a palette does not have room for their
   * colors.
   */
  add(rgba: Uint8ClampedArray): boolean {
    if (!this.#isTried) {
      return false;
    }
    const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4);
    const indexes = new Uint8Array(pixels.length);
    let last = -1;
    let lastIndex = 0;
    for (let i = 0; i < pixels.length; i++) {
      const raw = pixels[i] ?? 0;
      // All fully transparent pixels have the same color.
      const color = raw >>> 24 === 0 ? 0 : raw;
      // Runs are frequent in drawn pictures: the map is read only when the color changes.
      if (color !== last) {
        let index = this.#known.get(color);
        if (index === undefined) {
          index = this.#known.size;
          if (index === COLORS_MAX) {
            return false;
          }
          this.#known.set(color, index);
        }
        last = color;
        lastIndex = index;
      }
      indexes[i] = lastIndex;
    }
    this.#stripes.push(indexes);
    return true;
  }

  /** The pixels added so far, stripe by stripe, each released as it is returned. */
  *indexes(): Generator<Uint8Array> {
    for (let stripe = this.#stripes.shift(); stripe; stripe = this.#stripes.shift()) {
      yield stripe;
    }
  }

  /** The same as RGBA pixels. */
  *pixels(): Generator<Uint8ClampedArray> {
    const colors = Uint32Array.from(this.#known.keys());
    for (const indexes of this.indexes()) {
      const pixels = Uint32Array.from(indexes, (index) => colors[index] ?? 0);
      yield new Uint8ClampedArray(pixels.buffer);
    }
  }
}
