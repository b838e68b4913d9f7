import type { LayerPlacement } from "../../contracts/models/picture-edits.ts";
import { fitSize, type Size } from "./fit-size.ts";
import type { Picture } from "./raster.ts";
import type { ScaledWindow } from "./row-resampler.ts";

/** Rows of a picture that layers are laid on: `width` pixels each, from row `top` of the picture on. */
export interface Band extends Size {
  readonly top: number;
  /** RGBA with premultiplied alpha, 255 × 255 for the full value, so that no layer adds a rounding that is seen. */
  readonly samples: Uint16Array;
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
      layRow(band.samples, (row * band.width + left) * 4, stripe, at, rowBytes, opacity);
    }
  }
}

function layRow(
  below: Uint16Array,
  to: number,
  row: Uint8ClampedArray,
  from: number,
  bytes: number,
  opacity: number,
): void {
  for (const end = from + bytes; from < end; from += 4, to += 4) {
    const alpha = (row[from + 3] as number) * opacity;
    if (alpha === 0) {
      continue;
    }
    // Half a unit for rounding: the array cuts off.
    const rest = 1 - alpha / 255;
    below[to] = (row[from] as number) * alpha + (below[to] as number) * rest + 0.5;
    below[to + 1] = (row[from + 1] as number) * alpha + (below[to + 1] as number) * rest + 0.5;
    below[to + 2] = (row[from + 2] as number) * alpha + (below[to + 2] as number) * rest + 0.5;
    below[to + 3] = 255 * alpha + (below[to + 3] as number) * rest + 0.5;
  }
}

/** Rows of RGBA, not premultiplied, as samples of a band. */
export function premultiply(rgba: Uint8ClampedArray, samples: Uint16Array): void {
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] as number;
    samples[at] = (rgba[at] as number) * alpha;
    samples[at + 1] = (rgba[at + 1] as number) * alpha;
    samples[at + 2] = (rgba[at + 2] as number) * alpha;
    samples[at + 3] = 255 * alpha;
  }
}

/** The reverse, from the samples to `rgba`. */
export function unpremultiply(samples: Uint16Array, rgba: Uint8ClampedArray): void {
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = samples[at + 3] as number;
    rgba[at + 3] = alpha / 255;
    const scale = rgba[at + 3] === 0 ? 0 : 255 / alpha;
    rgba[at] = (samples[at] as number) * scale;
    rgba[at + 1] = (samples[at + 1] as number) * scale;
    rgba[at + 2] = (samples[at + 2] as number) * scale;
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
