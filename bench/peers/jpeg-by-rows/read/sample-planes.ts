import { inverseTransform } from "./inverse-transform.ts";
import type { UnitRow } from "./decode-scan.ts";
import type { JpegComponent, JpegFrame } from "./jpeg-frame.ts";
import type { JpegColors } from "./jpeg-reader.ts";

/** Color conversion as in libjpeg, with 16 fractional bits. */
const HALF = 32_768;
const table = (of: (chroma: number) => number) =>
  Int32Array.from({ length: 256 }, (_, i) => of(i - 128));
const RED = table((cr) => (91_881 * cr + HALF) >> 16);
const BLUE = table((cb) => (116_130 * cb + HALF) >> 16);
const GREEN_OF_RED = table((cr) => -46_802 * cr);
const GREEN_OF_BLUE = table((cb) => -22_554 * cb + HALF);

interface Plane {
  readonly component: JpegComponent;
  readonly quanta: Int32Array;
  readonly stride: number;
  /** By row of units; undefined before it is decoded and after it is released. */
  readonly rows: (Uint8ClampedArray | undefined)[];
  /**
   * Buffers for the nearest and next row blended, and for the samples of the current row at full
   * width.
   */
  readonly mixed: Int32Array;
  readonly spread: Uint8Array;
}

/** The stored samples of a JPEG's colors, converted to rows of RGBA. */
export class SamplePlanes {
  readonly #frame: JpegFrame;
  readonly #colors: JpegColors;
  readonly #planes: readonly Plane[];

  constructor(frame: JpegFrame, colors: JpegColors, quantaOf: (index: number) => Int32Array) {
    this.#frame = frame;
    this.#colors = colors;
    this.#planes = frame.components.map((component, index) => ({
      component,
      quanta: quantaOf(index),
      stride: component.blocksWide * 8,
      rows: [],
      mixed: new Int32Array(component.width),
      spread: new Uint8Array(frame.width),
    }));
  }

  /** Converts the coefficients of a row of units to samples. */
  add(row: number, coefficients: UnitRow): void {
    for (const [index, { component, quanta, stride, rows }] of this.#planes.entries()) {
      const { v, blocksWide } = component;
      const samples = new Uint8ClampedArray(stride * v * 8);
      const from = coefficients[index] as Int16Array;
      for (let y = 0; y < v; y++) {
        for (let x = 0; x < blocksWide; x++) {
          const block = (y * blocksWide + x) * 64;
          inverseTransform(from, block, quanta, samples, y * 8 * stride + x * 8, stride);
        }
      }
      rows[row] = samples;
    }
  }

  drop(row: number): void {
    for (const { rows } of this.#planes) {
      rows[row] = undefined;
    }
  }

  /**
   * Pixels of row `y` from column `start` to `end`, as RGBA. The adjacent rows of units must be
   * decoded.
   */
  read(y: number, start: number, end: number, out: Uint8ClampedArray, to: number): void {
    const [first, second, third] = this.#planes.map((plane) => this.#spread(plane, y, start, end));
    if (first === undefined) {
      return;
    }
    if (second === undefined || third === undefined) {
      for (let x = start; x < end; x++, to += 4) {
        out[to] = out[to + 1] = out[to + 2] = first[x] as number;
        out[to + 3] = 255;
      }
    } else if (this.#colors === "rgb") {
      for (let x = start; x < end; x++, to += 4) {
        out[to] = first[x] as number;
        out[to + 1] = second[x] as number;
        out[to + 2] = third[x] as number;
        out[to + 3] = 255;
      }
    } else {
      for (let x = start; x < end; x++, to += 4) {
        const luma = first[x] as number;
        const cb = second[x] as number;
        const cr = third[x] as number;
        out[to] = luma + (RED[cr] as number);
        out[to + 1] = luma + (((GREEN_OF_BLUE[cb] as number) + (GREEN_OF_RED[cr] as number)) >> 16);
        out[to + 2] = luma + (BLUE[cb] as number);
        out[to + 3] = 255;
      }
    }
  }

  /** A row of a plane by columns of the picture; halved colors are interpolated, as in libjpeg. */
  #spread(plane: Plane, y: number, start: number, end: number): Uint8Array | Uint8ClampedArray {
    const { component, spread } = plane;
    const { hMax, vMax, width: pictureWidth } = this.#frame;
    const { h, v, width } = component;
    if (h === hMax && v === vMax) {
      const [samples, at] = this.#row(plane, y);
      return samples.subarray(at, at + pictureWidth);
    }
    const isHalfHeight = v * 2 === vMax;
    if (h * 2 === hMax && (isHalfHeight || v === vMax) && width > 2) {
      this.#mix(plane, y, isHalfHeight, start >> 1, ((end - 1) >> 1) + 1);
      upsampleSmoothly(plane, isHalfHeight, start, end);
    } else if (h === hMax && isHalfHeight) {
      this.#mix(plane, y, true, start, end);
      const bias = (y & 1) === 0 ? 1 : 2;
      for (let x = start; x < end; x++) {
        spread[x] = ((plane.mixed[x] as number) + bias) >> 2;
      }
    } else {
      const [samples, at] = this.#row(plane, Math.floor((y * v) / vMax));
      for (let x = start; x < end; x++) {
        spread[x] = samples[at + Math.floor((x * h) / hMax)] as number;
      }
    }
    return spread;
  }

  /** Offset of row `y` of a plane. */
  #row(plane: Plane, y: number): [Uint8ClampedArray, number] {
    const { component, rows, stride } = plane;
    const high = component.v * 8;
    const unit = Math.floor(y / high);
    return [rows[unit] as Uint8ClampedArray, (y - unit * high) * stride];
  }

  /**
   * Three parts of the nearest row and one of the next; or the row itself, with one sample on each
   * side of the span.
   */
  #mix(plane: Plane, y: number, isHalfHeight: boolean, start: number, end: number): void {
    const { component, mixed } = plane;
    const first = Math.max(0, start - 1);
    const last = Math.min(component.width, end + 1);
    if (!isHalfHeight) {
      const [samples, at] = this.#row(plane, y);
      for (let x = first; x < last; x++) {
        mixed[x] = samples[at + x] as number;
      }
      return;
    }
    const row = y >> 1;
    const beside = (y & 1) === 0 ? Math.max(0, row - 1) : Math.min(component.height - 1, row + 1);
    const [near, nearAt] = this.#row(plane, row);
    const [next, nextAt] = this.#row(plane, beside);
    for (let x = first; x < last; x++) {
      mixed[x] = 3 * (near[nearAt + x] as number) + (next[nextAt + x] as number);
    }
  }
}

/** Three parts of the nearest column and one of the next, rounded up and down alternately. */
function upsampleSmoothly(
  { component: { width }, mixed, spread }: Plane,
  isHalfHeight: boolean,
  start: number,
  end: number,
): void {
  const [even, odd, shift] = isHalfHeight ? [8, 7, 4] : [1, 2, 2];
  for (let x = start; x < end; x++) {
    const at = x >> 1;
    const near = 3 * (mixed[at] as number);
    spread[x] =
      (x & 1) === 0
        ? (near + (mixed[at === 0 ? 0 : at - 1] as number) + even) >> shift
        : (near + (mixed[at === width - 1 ? at : at + 1] as number) + odd) >> shift;
  }
}
