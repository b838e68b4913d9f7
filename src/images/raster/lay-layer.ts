import type { LayerPlacement } from "../../contracts/models/picture-edits.ts";
import { PixelKernels, PixelLayout } from "../pixels/pixel-kernels.ts";
import { fitSize, type Size } from "./fit-size.ts";
import type { Picture } from "./raster.ts";
import type { ScaledWindow } from "./row-resampler.ts";

/** Size of the rows that are converted at once. */
const STRIPE_BYTES = 256 * 1024;
/** By which a layout may be longer than its parts: a page, and a vector. */
const LAYOUT_STEP_BYTES = 64 * 1024 + 16;
/** RGBA, and with premultiplied alpha: 255 × 255 for the full value, so that no layer adds a rounding that is seen. */
const [RGBA_BYTES, SAMPLES_BYTES] = [4, 8] as const;

function layoutOf(width: number, rows: number) {
  return new PixelLayout({
    rgba: Math.max(STRIPE_BYTES, width * RGBA_BYTES),
    samples: rows * width * SAMPLES_BYTES,
  });
}

/** Rows of a picture that layers are laid on. The work on pixels is that of wasm/pixels/blend.c. */
export class Band {
  readonly width: number;
  readonly #layout: ReturnType<typeof layoutOf>;
  readonly #kernels: PixelKernels;
  readonly #rgba: Uint8Array<ArrayBuffer>;
  /** The first row, in the picture, and the number of rows. */
  top = 0;
  height = 0;
  /** Of those that were filled. */
  #filled = 0;

  /** `module` is pixels.wasm. */
  constructor(module: WebAssembly.Module, width: number, rowsMax: number) {
    this.width = width;
    this.#layout = layoutOf(width, rowsMax);
    this.#kernels = new PixelKernels(module, this.#layout);
    const rows = Math.max(1, Math.floor(STRIPE_BYTES / (width * RGBA_BYTES)));
    this.#rgba = this.#kernels.bytes(this.#layout.at("rgba"), rows * width * RGBA_BYTES);
  }

  /** Bytes that a band of these rows holds. */
  static bytes(width: number, rows: number): number {
    return layoutOf(width, rows).bytes;
  }

  /** The most rows of a band that holds so many bytes; not below 0. */
  static rowsIn(bytes: number, width: number): number {
    const beside = layoutOf(width, 0).bytes + LAYOUT_STEP_BYTES;
    return Math.max(0, Math.floor((bytes - beside) / (width * SAMPLES_BYTES)));
  }

  /** Begins with other rows of the picture, none of them filled. */
  moveTo(top: number, height: number): void {
    [this.top, this.height, this.#filled] = [top, height, 0];
  }

  /** Takes the next rows of the picture, RGBA. Returns the number of rows that are still missing. */
  fill(rgba: Uint8ClampedArray): number {
    for (let at = 0; at < rgba.length; at += this.#rgba.length) {
      const part = rgba.subarray(at, at + this.#rgba.length);
      this.#rgba.set(part);
      const pixels = part.length / RGBA_BYTES;
      const to = this.#samplesAt(this.#filled, 0);
      this.#kernels.call.premultiply(this.#layout.at("rgba"), to, pixels);
      this.#filled += pixels / this.width;
    }
    return this.height - this.#filled;
  }

  /** Lays a row of RGBA over the band's row `y`, from column `x` on. */
  lay(rgba: Uint8ClampedArray, x: number, y: number, opacity: number): void {
    this.#rgba.set(rgba);
    const to = this.#samplesAt(y, x);
    this.#kernels.call.lay(this.#layout.at("rgba"), to, rgba.length / RGBA_BYTES, opacity);
  }

  /** All rows as RGBA; each stripe is valid until the next is requested. */
  *stripes(): Generator<Uint8ClampedArray> {
    const rowsAtOnce = this.#rgba.length / RGBA_BYTES / this.width;
    for (let y = 0; y < this.height; y += rowsAtOnce) {
      const pixels = Math.min(rowsAtOnce, this.height - y) * this.width;
      const to = this.#layout.at("rgba");
      this.#kernels.call.unpremultiply(this.#samplesAt(y, 0), to, pixels);
      yield new Uint8ClampedArray(this.#kernels.buffer, to, pixels * RGBA_BYTES);
    }
  }

  #samplesAt(row: number, column: number): number {
    return this.#layout.at("samples") + (row * this.width + column) * SAMPLES_BYTES;
  }
}

/** A layer's size on the picture below, and the part of it that is within a band of that picture. */
export interface PlacedLayer {
  readonly scaled: Size;
  /** Undefined if the layer is outside. */
  readonly window: ScaledWindow | undefined;
}

/** Places a layer of size `from` (docs/contract/pictures.md#composing). */
export function placeLayer(
  from: Size,
  { width: bandWidth, height: bandHeight, top: bandTop }: Size & { readonly top: number },
  placement: LayerPlacement,
): PlacedLayer {
  const { x, width, height } = placement;
  const y = placement.y - bandTop;
  const isNatural = width === undefined && height === undefined;
  const scaled = isNatural ? from : fitSize(from, placement, "stretch").scaled;
  const left = Math.max(0, -x);
  const top = Math.max(0, -y);
  const window = {
    left,
    top,
    width: Math.min(scaled.width, bandWidth - x) - left,
    height: Math.min(scaled.height, bandHeight - y) - top,
  };
  return { scaled, window: window.width > 0 && window.height > 0 ? window : undefined };
}

/** Lays a layer, already cut to the part within the band, over the band: source-over in sRGB. */
export async function layLayer(
  band: Band,
  layer: Picture,
  { x, y, opacity }: LayerPlacement,
): Promise<void> {
  const rowBytes = layer.width * 4;
  const left = Math.max(0, x);
  let row = Math.max(0, y - band.top);
  for await (const stripe of layer.stripes()) {
    for (let at = 0; at < stripe.length; at += rowBytes, row++) {
      band.lay(stripe.subarray(at, at + rowBytes), left, row, opacity);
    }
  }
}

/** A part of a picture, without scaling. Rows below it are not read. */
export function cropPicture(picture: Picture, window: ScaledWindow): Picture {
  const { left, top, width, height } = window;
  if (left === 0 && top === 0 && width === picture.width && height === picture.height) {
    return picture;
  }
  return {
    width,
    height,
    isOpaque: picture.isOpaque,
    async *stripes() {
      const rowBytes = picture.width * 4;
      let row = 0;
      for await (const stripe of picture.stripes()) {
        const rows = stripe.length / rowBytes;
        const [from, to] = [Math.max(0, top - row), Math.min(rows, top + height - row)];
        row += rows;
        if (from < to) {
          yield width === picture.width
            ? stripe.subarray(from * rowBytes, to * rowBytes)
            : columns(stripe.subarray(from * rowBytes, to * rowBytes), rowBytes, left, width);
        }
        if (row >= top + height) {
          return;
        }
      }
    },
  };
}

function columns(rows: Uint8ClampedArray, rowBytes: number, left: number, width: number) {
  const count = rows.length / rowBytes;
  const out = new Uint8ClampedArray(count * width * 4);
  for (let row = 0; row < count; row++) {
    const from = row * rowBytes + left * 4;
    out.set(rows.subarray(from, from + width * 4), row * width * 4);
  }
  return out;
}
