import { type LanczosTable, lanczosTable, lanczosTaps, WEIGHT_BITS } from "./lanczos-table.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The part of a scaled picture that is wanted, in its pixels. */
export interface ScaledWindow extends Size {
  readonly left: number;
  readonly top: number;
}

/** Bits that are dropped after the horizontal pass, so that a color keeps 6 fractional bits and fits into 16 bits. */
const ACROSS_SHIFT = 16;
/** The same after the vertical pass. */
const DOWN_SHIFT = 8 + 2 * WEIGHT_BITS - ACROSS_SHIFT;
/** An opacity of 1 after the vertical pass; colors are multiplied by it. */
const FULL_ALPHA = 255 * 255 * 2 ** (2 * WEIGHT_BITS - ACROSS_SHIFT);

/**
 * Number of whole old pixels that are averaged before the kernel is applied, at this distance of new pixels: at least
 * two means remain for each new pixel, so that the kernel decides what is seen. libvips does the same.
 */
function boxOf(step: number): number {
  return Math.max(1, Math.floor(step / 2));
}

/**
 * Scales rows from top to bottom by a Lanczos kernel with 3 lobes, in sRGB with premultiplied alpha. Only the rows that
 * the kernel covers are held. A picture that shrinks to a quarter or less is averaged over whole pixels first.
 */
export class RowResampler {
  readonly #channels: 3 | 4;
  readonly #window: ScaledWindow;
  readonly #means: PixelMeans;
  readonly #columns: LanczosTable;
  readonly #rows: LanczosTable;
  /** The rows that the kernel covers, horizontally scaled: row `y` is at `y % #held.length`. */
  readonly #held: readonly Int16Array[];
  readonly #sums: Int32Array;
  /** Numbers of the next row of means, and of the next new row. */
  #meanRow = 0;
  #next = 0;

  constructor(from: Size, to: Size, window: ScaledWindow, isOpaque: boolean) {
    this.#window = window;
    this.#channels = isOpaque ? 3 : 4;
    const [stepX, stepY] = [from.width / to.width, from.height / to.height];
    const [boxWidth, boxHeight] = [boxOf(stepX), boxOf(stepY)];
    this.#means = new PixelMeans(from, boxWidth, boxHeight, isOpaque);
    const { width, height } = this.#means;
    this.#columns = lanczosTable(width, stepX / boxWidth, window.left, window.width);
    this.#rows = lanczosTable(height, stepY / boxHeight, window.top, window.height);
    const length = window.width * this.#channels;
    this.#held = Array.from({ length: this.#rows.taps }, () => new Int16Array(length));
    this.#sums = new Int32Array(length);
  }

  /** Bytes that a resampler for these sizes holds. */
  static bytes(from: Size, to: Size, window: Size): number {
    const taps = (old: number, step: number) => {
      const box = boxOf(step);
      return lanczosTaps(Math.ceil(old / box), step / box);
    };
    const across = taps(from.width, from.width / to.width);
    const down = taps(from.height, from.height / to.height);
    // Rows of sums, of samples, and what the kernel covers; then the weights.
    const rows = window.width * 4 * (4 + 2 * down) + from.width * 4 * (2 + 8);
    return rows + window.width * (4 + 2 * across) + window.height * (4 + 2 * down);
  }

  /** Takes the next row of RGBA, not premultiplied. The rows that `hasRow` announces are written before the next one. */
  add(rgba: Uint8ClampedArray, at: number): void {
    if (!this.#means.add(rgba, at)) {
      return;
    }
    const row = this.#meanRow++;
    if (this.#next >= this.#window.height || row < (this.#rows.first[this.#next] as number)) {
      return;
    }
    const held = this.#held[row % this.#held.length] as Int16Array;
    if (this.#channels === 3) {
      scaleOpaqueRow(this.#means.row, this.#columns, held);
    } else {
      scaleRow(this.#means.row, this.#columns, held);
    }
  }

  /** Whether a new row is complete. */
  get hasRow(): boolean {
    const { first, taps } = this.#rows;
    return this.#next < first.length && (first[this.#next] as number) + taps <= this.#meanRow;
  }

  /** Writes the next new row, which is complete, as RGBA, not premultiplied. */
  write(out: Uint8ClampedArray, at: number): void {
    const { first, taps, weights } = this.#rows;
    const y = this.#next++;
    const start = first[y] as number;
    const held = this.#held;
    const sums = this.#sums;
    sums.fill(0);
    const rowOf = (tap: number) => held[(start + Math.min(tap, taps - 1)) % held.length];
    const weightOf = (tap: number) => (tap < taps ? (weights[y * taps + tap] as number) : 0);
    for (let tap = 0; tap < taps; tap += 4) {
      addRows(
        sums,
        rowOf(tap) as Int16Array,
        weightOf(tap),
        rowOf(tap + 1) as Int16Array,
        weightOf(tap + 1),
        rowOf(tap + 2) as Int16Array,
        weightOf(tap + 2),
        rowOf(tap + 3) as Int16Array,
        weightOf(tap + 3),
      );
    }
    if (this.#channels === 3) {
      writeOpaqueRow(sums, out, at);
    } else {
      writeRow(sums, out, at);
    }
  }
}

/** Averages of boxes of whole pixels, one row of boxes at a time, as 16-bit samples with premultiplied alpha. */
class PixelMeans {
  readonly width: number;
  readonly height: number;
  /** The last complete row: of opaque pictures 3 colors times 256, of others 4 values times alpha. */
  readonly row: Uint16Array;
  readonly #from: Size;
  readonly #boxWidth: number;
  readonly #boxHeight: number;
  readonly #isOpaque: boolean;
  readonly #sums: Float64Array;
  #rowsLeft: number;
  #added = 0;

  constructor(from: Size, boxWidth: number, boxHeight: number, isOpaque: boolean) {
    this.#from = from;
    this.#boxWidth = boxWidth;
    this.#boxHeight = boxHeight;
    this.#isOpaque = isOpaque;
    this.width = Math.ceil(from.width / boxWidth);
    this.height = Math.ceil(from.height / boxHeight);
    this.row = new Uint16Array(this.width * (isOpaque ? 3 : 4));
    const hasBoxes = boxWidth * boxHeight > 1;
    this.#sums = new Float64Array(hasBoxes ? this.row.length : 0);
    this.#rowsLeft = from.height;
  }

  /** Takes a row of RGBA. Returns whether `row` is complete. */
  add(rgba: Uint8ClampedArray, at: number): boolean {
    const { width } = this.#from;
    this.#rowsLeft--;
    if (this.#sums.length === 0) {
      if (this.#isOpaque) {
        readOpaqueRow(rgba, at, width, this.row);
      } else {
        readRow(rgba, at, width, this.row);
      }
      return true;
    }
    if (this.#isOpaque) {
      sumOpaqueRow(rgba, at, width, this.#boxWidth, this.#sums);
    } else {
      sumRow(rgba, at, width, this.#boxWidth, this.#sums);
    }
    if (++this.#added < this.#boxHeight && this.#rowsLeft > 0) {
      return false;
    }
    this.#takeMeans();
    return true;
  }

  #takeMeans(): void {
    const channels = this.#isOpaque ? 3 : 4;
    const sums = this.#sums;
    const scale = this.#isOpaque ? 256 : 1;
    const last = (this.width - 1) * channels;
    const lastWidth = this.#from.width - (this.width - 1) * this.#boxWidth;
    const inside = scale / (this.#boxWidth * this.#added);
    for (let i = 0; i < last; i++) {
      this.row[i] = (sums[i] as number) * inside + 0.5;
    }
    for (let i = last; i < sums.length; i++) {
      this.row[i] = ((sums[i] as number) * scale) / (lastWidth * this.#added) + 0.5;
    }
    sums.fill(0);
    this.#added = 0;
  }
}

function readOpaqueRow(rgba: Uint8ClampedArray, at: number, width: number, out: Uint16Array): void {
  for (let i = 0, end = width * 3; i < end; i += 3, at += 4) {
    out[i] = (rgba[at] as number) << 8;
    out[i + 1] = (rgba[at + 1] as number) << 8;
    out[i + 2] = (rgba[at + 2] as number) << 8;
  }
}

function readRow(rgba: Uint8ClampedArray, at: number, width: number, out: Uint16Array): void {
  for (let i = 0, end = width * 4; i < end; i += 4, at += 4) {
    const alpha = rgba[at + 3] as number;
    out[i] = (rgba[at] as number) * alpha;
    out[i + 1] = (rgba[at + 1] as number) * alpha;
    out[i + 2] = (rgba[at + 2] as number) * alpha;
    out[i + 3] = 255 * alpha;
  }
}

function sumOpaqueRow(
  rgba: Uint8ClampedArray,
  at: number,
  width: number,
  boxWidth: number,
  sums: Float64Array,
): void {
  for (let x = 0, i = 0; x < width; i += 3) {
    const end = Math.min(width, x + boxWidth);
    let [r, g, b] = [0, 0, 0];
    for (; x < end; x++, at += 4) {
      r += rgba[at] as number;
      g += rgba[at + 1] as number;
      b += rgba[at + 2] as number;
    }
    sums[i] = (sums[i] as number) + r;
    sums[i + 1] = (sums[i + 1] as number) + g;
    sums[i + 2] = (sums[i + 2] as number) + b;
  }
}

function sumRow(
  rgba: Uint8ClampedArray,
  at: number,
  width: number,
  boxWidth: number,
  sums: Float64Array,
): void {
  for (let x = 0, i = 0; x < width; i += 4) {
    const end = Math.min(width, x + boxWidth);
    let [r, g, b, a] = [0, 0, 0, 0];
    for (; x < end; x++, at += 4) {
      const alpha = rgba[at + 3] as number;
      r += (rgba[at] as number) * alpha;
      g += (rgba[at + 1] as number) * alpha;
      b += (rgba[at + 2] as number) * alpha;
      a += alpha;
    }
    sums[i] = (sums[i] as number) + r;
    sums[i + 1] = (sums[i + 1] as number) + g;
    sums[i + 2] = (sums[i + 2] as number) + b;
    sums[i + 3] = (sums[i + 3] as number) + 255 * a;
  }
}

const ACROSS_ROUNDING = 1 << (ACROSS_SHIFT - 1);

function scaleOpaqueRow(row: Uint16Array, table: LanczosTable, out: Int16Array): void {
  const { first, taps, weights } = table;
  let [to, tap] = [0, 0];
  for (let i = 0; i < first.length; i++) {
    let from = (first[i] as number) * 3;
    let [r, g, b] = [ACROSS_ROUNDING, ACROSS_ROUNDING, ACROSS_ROUNDING];
    for (const end = tap + taps; tap < end; tap++, from += 3) {
      const weight = weights[tap] as number;
      r = (r + (row[from] as number) * weight) | 0;
      g = (g + (row[from + 1] as number) * weight) | 0;
      b = (b + (row[from + 2] as number) * weight) | 0;
    }
    out[to] = r >> ACROSS_SHIFT;
    out[to + 1] = g >> ACROSS_SHIFT;
    out[to + 2] = b >> ACROSS_SHIFT;
    to += 3;
  }
}

function scaleRow(row: Uint16Array, table: LanczosTable, out: Int16Array): void {
  const { first, taps, weights } = table;
  let [to, tap] = [0, 0];
  for (let i = 0; i < first.length; i++) {
    let from = (first[i] as number) * 4;
    let [r, g, b, a] = [ACROSS_ROUNDING, ACROSS_ROUNDING, ACROSS_ROUNDING, ACROSS_ROUNDING];
    for (const end = tap + taps; tap < end; tap++, from += 4) {
      const weight = weights[tap] as number;
      r = (r + (row[from] as number) * weight) | 0;
      g = (g + (row[from + 1] as number) * weight) | 0;
      b = (b + (row[from + 2] as number) * weight) | 0;
      a = (a + (row[from + 3] as number) * weight) | 0;
    }
    out[to] = r >> ACROSS_SHIFT;
    out[to + 1] = g >> ACROSS_SHIFT;
    out[to + 2] = b >> ACROSS_SHIFT;
    out[to + 3] = a >> ACROSS_SHIFT;
    to += 4;
  }
}

/** Four weighted rows at once: the sums are read and written a quarter as often. */
function addRows(
  sums: Int32Array,
  a: Int16Array,
  weightA: number,
  b: Int16Array,
  weightB: number,
  c: Int16Array,
  weightC: number,
  d: Int16Array,
  weightD: number,
): void {
  for (let i = 0; i < sums.length; i++) {
    const near = ((a[i] as number) * weightA + (b[i] as number) * weightB) | 0;
    const far = ((c[i] as number) * weightC + (d[i] as number) * weightD) | 0;
    sums[i] = (((sums[i] as number) + near) | 0) + far;
  }
}

const DOWN_ROUNDING = 1 << (DOWN_SHIFT - 1);

function writeOpaqueRow(sums: Int32Array, out: Uint8ClampedArray, at: number): void {
  for (let i = 0; i < sums.length; i += 3, at += 4) {
    out[at] = ((sums[i] as number) + DOWN_ROUNDING) >> DOWN_SHIFT;
    out[at + 1] = ((sums[i + 1] as number) + DOWN_ROUNDING) >> DOWN_SHIFT;
    out[at + 2] = ((sums[i + 2] as number) + DOWN_ROUNDING) >> DOWN_SHIFT;
    out[at + 3] = 255;
  }
}

function writeRow(sums: Int32Array, out: Uint8ClampedArray, at: number): void {
  for (let i = 0; i < sums.length; i += 4, at += 4) {
    const full = sums[i + 3] as number;
    out[at + 3] = (full * 255) / FULL_ALPHA;
    if (out[at + 3] === 0) {
      out[at] = out[at + 1] = out[at + 2] = 0;
      continue;
    }
    const scale = 255 / full;
    out[at] = (sums[i] as number) * scale;
    out[at + 1] = (sums[i + 1] as number) * scale;
    out[at + 2] = (sums[i + 2] as number) * scale;
  }
}
