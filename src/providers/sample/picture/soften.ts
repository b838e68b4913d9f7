import { type Band, type Item, paintItems } from "../../../images/vector/paint-bands.ts";

/** Side of the small picture that a blurred background is enlarged from. */
const SMALL_SIDE = 40;

/**
 * The background as a lens out of focus shows it: painted small, averaged, and enlarged with smooth
 * steps. The small picture is the only state.
 */
export class OutOfFocus {
  readonly #small: Float32Array;
  readonly #columns: number;
  readonly #rows: number;
  readonly #width: number;
  readonly #height: number;

  constructor(items: readonly Item[], width: number, height: number) {
    this.#width = width;
    this.#height = height;
    const unit = Math.max(width, height) / SMALL_SIDE;
    this.#columns = Math.max(2, Math.ceil(width / unit));
    this.#rows = Math.max(2, Math.ceil(height / unit));
    this.#small = this.#averaged(items);
  }

  #averaged(items: readonly Item[]): Float32Array {
    const sums = new Float32Array(this.#columns * this.#rows * 4);
    const rowsAtOnce = 32;
    for (let top = 0; top < this.#height; top += rowsAtOnce) {
      const rows = Math.min(rowsAtOnce, this.#height - top);
      const rgba = new Uint8ClampedArray(this.#width * rows * 4).fill(255);
      paintItems(items, { rgba, width: this.#width, top, rows });
      this.#add(sums, rgba, top, rows);
    }
    for (let at = 0; at < sums.length; at += 4) {
      const count = sums[at + 3] as number;
      for (let i = 0; i < 3; i++) {
        sums[at + i] = (sums[at + i] as number) / Math.max(1, count);
      }
    }
    return sums;
  }

  #add(sums: Float32Array, rgba: Uint8ClampedArray, top: number, rows: number): void {
    // Every second pixel is enough for an average.
    for (let y = 0; y < rows; y += 2) {
      const row = Math.floor(((top + y) * this.#rows) / this.#height);
      for (let x = 0; x < this.#width; x += 2) {
        const to = (row * this.#columns + Math.floor((x * this.#columns) / this.#width)) * 4;
        const from = (y * this.#width + x) * 4;
        for (let i = 0; i < 3; i++) {
          sums[to + i] = (sums[to + i] as number) + (rgba[from + i] as number);
        }
        sums[to + 3] = (sums[to + 3] as number) + 1;
      }
    }
  }

  /** Mixes the blurred background into the band. */
  apply({ rgba, width, top, rows }: Band, strength: number): void {
    const steps = Array.from({ length: width }, (_, x) => spline(x, this.#width, this.#columns));
    let at = 0;
    for (let y = 0; y < rows; y++) {
      const down = spline(top + y, this.#height, this.#rows);
      for (const across of steps) {
        for (let i = 0; i < 3; i++) {
          let value = 0;
          for (let j = 0; j < 3; j++) {
            const line = (down.index[j] as number) * this.#columns;
            for (let k = 0; k < 3; k++) {
              const small = this.#small[(line + (across.index[k] as number)) * 4 + i] as number;
              value += small * (down.share[j] as number) * (across.share[k] as number);
            }
          }
          const sharp = rgba[at + i] as number;
          rgba[at + i] = sharp + (value - sharp) * strength;
        }
        at += 4;
      }
    }
  }
}

/** Weights of a quadratic B-spline over three neighbors. */
function spline(pixel: number, size: number, count: number) {
  const place = ((pixel + 0.5) * count) / size;
  const middle = Math.min(count - 1, Math.floor(place));
  const t = place - middle;
  const clamp = (index: number) => Math.min(count - 1, Math.max(0, index));
  return {
    index: [clamp(middle - 1), middle, clamp(middle + 1)],
    share: [0.5 * (1 - t) ** 2, 0.5 + t * (1 - t), 0.5 * t * t],
  };
}

/** A camera that follows its subject: the background is averaged along each row. */
export function blurRows({ rgba, width, rows }: Band, strength: number): void {
  const reach = Math.round(width * 0.11 * strength);
  if (reach === 0) {
    return;
  }
  const row = new Uint8ClampedArray(width * 4);
  const at = (x: number) => Math.min(width - 1, Math.max(0, x)) * 4;
  const count = reach * 2 + 1;
  for (let y = 0; y < rows; y++) {
    const from = y * width * 4;
    row.set(rgba.subarray(from, from + width * 4));
    for (let i = 0; i < 3; i++) {
      let sum = 0;
      for (let x = -reach; x <= reach; x++) {
        sum += row[at(x) + i] as number;
      }
      for (let x = 0; x < width; x++) {
        rgba[from + x * 4 + i] = sum / count;
        sum += (row[at(x + reach + 1) + i] as number) - (row[at(x - reach) + i] as number);
      }
    }
  }
}
