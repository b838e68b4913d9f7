import type { Picture as DecodedPicture } from "../codec/ffmpeg/picture-decoder.ts";
import { type ColorConversion, colorConversion } from "./film-color.ts";

export type Rotation = 0 | 90 | 180 | 270;

/** A picture as rows of RGBA, from top to bottom; the same shape as pictures of files have (src/images). */
export interface FilmPicture {
  readonly width: number;
  readonly height: number;
  readonly isOpaque: true;
  /** Complete rows; each stripe is valid until the next is requested. */
  stripes(): AsyncGenerator<Uint8ClampedArray>;
}

/** Rows of the result that are made at once. */
const STRIPE_ROWS = 16;

type Planes = Pick<
  DecodedPicture,
  "width" | "height" | "bitDepth" | "chromaShift" | "planes" | "strides" | "isFullRange" | "matrix"
>;

/**
 * A decoded picture in RGB, turned clockwise. Colors are interpolated between the samples of 4:2:0 (the left ones lie on the columns
 * of the luma). The planes must stay valid while the rows are read.
 */
export function filmPicture(picture: Planes, rotation: Rotation): FilmPicture {
  const isTurned = rotation === 90 || rotation === 270;
  const [width, height] = isTurned
    ? [picture.height, picture.width]
    : [picture.width, picture.height];
  return {
    width,
    height,
    isOpaque: true,
    // oxlint-disable-next-line typescript/require-await -- pictures of files are asynchronous
    async *stripes() {
      const rows = new PictureRows(picture);
      const stripe = new Uint8ClampedArray(width * STRIPE_ROWS * 4).fill(255);
      for (let top = 0; top < height; top += STRIPE_ROWS) {
        const count = Math.min(STRIPE_ROWS, height - top);
        fillStripe(rows, stripe, { top, count, width, height }, rotation);
        yield stripe.subarray(0, count * width * 4);
      }
    },
  };
}

interface Stripe {
  readonly top: number;
  readonly count: number;
  readonly width: number;
  readonly height: number;
}

function fillStripe(
  rows: PictureRows,
  out: Uint8ClampedArray,
  { top, count, width, height }: Stripe,
  rotation: Rotation,
): void {
  const row = width * 4;
  switch (rotation) {
    case 0:
      for (let y = 0; y < count; y++) {
        rows.convert(top + y, 0, width, out, y * row, 4);
      }
      return;
    case 180:
      for (let y = 0; y < count; y++) {
        rows.convert(height - 1 - top - y, 0, width, out, (y + 1) * row - 4, -4);
      }
      return;
    case 90:
      // A row of the source is a column from the right, and its first sample is at the top.
      for (let y = 0; y < width; y++) {
        rows.convert(y, top, top + count, out, (width - 1 - y) * 4, row);
      }
      return;
    case 270:
      // A column from the left, whose first sample is at the bottom.
      for (let y = 0; y < width; y++) {
        const from = height - top - count;
        rows.convert(y, from, from + count, out, (count - 1) * row + y * 4, -row);
      }
  }
}

/** Converts parts of the rows of a picture. */
class PictureRows {
  readonly #picture: Planes;
  readonly #color: ColorConversion;
  readonly #planes: readonly (Uint8Array | Uint16Array)[];
  /** Samples from a row to the next. */
  readonly #strides: readonly number[];
  readonly #cb: Float32Array;
  readonly #cr: Float32Array;

  constructor(picture: Planes) {
    const { width, planes, strides, bitDepth } = picture;
    this.#picture = picture;
    this.#color = colorConversion(picture);
    const isWide = bitDepth > 8;
    this.#planes = planes.map((plane) => (isWide ? wideSamples(plane) : plane));
    this.#strides = strides.map((stride) => (isWide ? stride / 2 : stride));
    this.#cb = new Float32Array(width);
    this.#cr = new Float32Array(width);
  }

  /** Writes columns `from` up to `to` of row `y` as RGB, one every `step` bytes. */
  convert(
    y: number,
    from: number,
    to: number,
    out: Uint8ClampedArray,
    at: number,
    step: number,
  ): void {
    const [luma = new Uint8Array()] = this.#planes;
    const start = y * (this.#strides[0] ?? 0);
    const { lumaOffset, lumaScale, redOfCr, greenOfCb, greenOfCr, blueOfCb, isRgb } = this.#color;
    const [cb, cr] = [this.#cb, this.#cr];
    this.#interpolate(1, y, from, to, cb);
    this.#interpolate(2, y, from, to, cr);
    let place = at;
    for (let x = from; x < to; x++, place += step) {
      const light = ((luma[start + x] as number) - lumaOffset) * lumaScale;
      const [b, r] = [cb[x] as number, cr[x] as number];
      if (isRgb) {
        out[place] = (r + this.#color.chromaOffset - lumaOffset) * lumaScale;
        out[place + 1] = light;
        out[place + 2] = (b + this.#color.chromaOffset - lumaOffset) * lumaScale;
      } else {
        out[place] = light + redOfCr * r;
        out[place + 1] = light + greenOfCb * b + greenOfCr * r;
        out[place + 2] = light + blueOfCb * b;
      }
    }
  }

  /** The samples of a plane of colors at the columns of a row, less the value of no color. */
  #interpolate(plane: 1 | 2, y: number, from: number, to: number, out: Float32Array): void {
    const { width, height, chromaShift } = this.#picture;
    const samples = this.#planes[plane] ?? new Uint8Array();
    const stride = this.#strides[plane] ?? 0;
    const { chromaOffset } = this.#color;
    const rowsMax = ((height + (1 << chromaShift.y) - 1) >> chromaShift.y) - 1;
    const columnsMax = ((width + (1 << chromaShift.x) - 1) >> chromaShift.x) - 1;
    const near = y >> chromaShift.y;
    // The samples of 4:2:0 lie in the middle between two rows.
    const far = chromaShift.y === 0 ? near : clamp(near + ((y & 1) === 0 ? -1 : 1), rowsMax);
    const [a, b] = [near * stride, far * stride];
    for (let x = from; x < to; x++) {
      const left = x >> chromaShift.x;
      const first = 0.75 * (samples[a + left] as number) + 0.25 * (samples[b + left] as number);
      if (chromaShift.x === 0 || (x & 1) === 0) {
        out[x] = first - chromaOffset;
        continue;
      }
      const right = clamp(left + 1, columnsMax);
      const second = 0.75 * (samples[a + right] as number) + 0.25 * (samples[b + right] as number);
      out[x] = (first + second) / 2 - chromaOffset;
    }
  }
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(most, value));
}

/** Samples of two bytes. A copy where they are not aligned. */
function wideSamples(plane: Uint8Array): Uint16Array {
  const aligned = plane.byteOffset % 2 === 0 ? plane : plane.slice();
  return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 1);
}
