const COLORS_MAX = 256;
/** Indexes are a byte a pixel, held until all is seen; what is larger is a photograph. */
const PIXELS_MAX = 4_096 * 3_072;

/** Rows as indexes of colours, as long as there are few of them. */
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

  /** Takes the next pixels. Answers false when they have more colours than a palette, and takes none then. */
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
      // What cannot be seen is one colour.
      const color = raw >>> 24 === 0 ? 0 : raw;
      // Runs are the rule in drawn pictures: the map is asked only where the colour changes.
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

  /** What was taken, stripe by stripe, each let go as it is given. */
  *indexes(): Generator<Uint8Array> {
    for (let stripe = this.#stripes.shift(); stripe; stripe = this.#stripes.shift()) {
      yield stripe;
    }
  }

  /** The same as pixels. */
  *pixels(): Generator<Uint8ClampedArray> {
    const colors = Uint32Array.from(this.#known.keys());
    for (const indexes of this.indexes()) {
      const pixels = Uint32Array.from(indexes, (index) => colors[index] ?? 0);
      yield new Uint8ClampedArray(pixels.buffer);
    }
  }
}
