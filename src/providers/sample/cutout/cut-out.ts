import type { Picture, Raster } from "../../../images/raster/raster.ts";
import { shrinkPicture } from "../../../images/raster/shrink-picture.ts";

/** Longest side of the copy on which the background is flooded: the only pixels that are held. */
const MASK_SIDE = 1_024;
/** Distance of colors, 0 to 441, that the flood crosses. */
const TOLERANCE = 58;
/** Where the flood reaches, opacity rises from 0 to 1 between these distances. */
const CLEAR = 26;
const OPAQUE = 140;

/**
 * The sample background removal: the most frequent color at the border is flooded inwards, and
 * becomes transparent where it reaches; colors between it and the foreground become translucent.
 * Reads the picture twice: `open` must return it each time. Areas of the same color that the flood
 * does not reach stay.
 */
export async function cutOut(open: () => Promise<Picture>): Promise<Picture> {
  const small = await shrinkPicture(await open(), MASK_SIDE);
  const background = borderColor(small);
  const reached = flood(small, background);
  const picture = await open();
  const { width, height } = picture;
  return {
    width,
    height,
    isOpaque: false,
    async *stripes() {
      let row = 0;
      for await (const stripe of picture.stripes()) {
        const out = stripe.slice();
        const rows = out.length / (width * 4);
        clearRows(out, { width, height }, row, small, reached, background);
        row += rows;
        yield out;
      }
    },
  };
}

type Color = readonly [number, number, number];

/** Mean of the colors in the fullest of 4,096 boxes of color along the border. */
function borderColor({ rgba, width, height }: Raster): Color {
  const boxes = new Map<number, [count: number, r: number, g: number, b: number]>();
  for (const pixel of borderPixels(width, height)) {
    const at = pixel * 4;
    if ((rgba[at + 3] as number) < 128) {
      continue;
    }
    const [r, g, b] = [rgba[at] as number, rgba[at + 1] as number, rgba[at + 2] as number];
    const key = ((r >> 4) << 8) | ((g >> 4) << 4) | (b >> 4);
    const box = boxes.get(key) ?? [0, 0, 0, 0];
    boxes.set(key, [box[0] + 1, box[1] + r, box[2] + g, box[3] + b]);
  }
  let best: readonly [number, number, number, number] = [0, 255, 255, 255];
  for (const box of boxes.values()) {
    best = box[0] > best[0] ? box : best;
  }
  const count = Math.max(1, best[0]);
  return [best[1] / count, best[2] / count, best[3] / count];
}

function* borderPixels(width: number, height: number): Generator<number> {
  for (let x = 0; x < width; x++) {
    yield x;
    yield (height - 1) * width + x;
  }
  for (let y = 1; y < height - 1; y++) {
    yield y * width;
    yield y * width + width - 1;
  }
}

function distance(rgba: Uint8ClampedArray, at: number, [r, g, b]: Color): number {
  return Math.hypot(
    (rgba[at] as number) - r,
    (rgba[at + 1] as number) - g,
    (rgba[at + 2] as number) - b,
  );
}

/** 1 for each pixel that the flood reaches from the border, and for its neighbors. */
function flood({ rgba, width, height }: Raster, background: Color): Uint8Array {
  const reached = new Uint8Array(width * height);
  const isLike = (pixel: number) =>
    (rgba[pixel * 4 + 3] as number) < 128 || distance(rgba, pixel * 4, background) < TOLERANCE;
  const queue = new Uint32Array(width * height);
  let length = 0;
  const visit = (pixel: number) => {
    if (reached[pixel] === 0 && isLike(pixel)) {
      reached[pixel] = 1;
      queue[length++] = pixel;
    }
  };
  for (const pixel of borderPixels(width, height)) {
    visit(pixel);
  }
  for (let at = 0; at < length; at++) {
    for (const next of neighbors(queue[at] as number, width, height)) {
      visit(next);
    }
  }
  // The pixels between background and foreground belong to the edge.
  const wide = reached.slice();
  for (let at = 0; at < length; at++) {
    for (const next of neighbors(queue[at] as number, width, height)) {
      wide[next] = 1;
    }
  }
  return wide;
}

function neighbors(pixel: number, width: number, height: number): number[] {
  const x = pixel % width;
  const found: number[] = [];
  if (x > 0) {
    found.push(pixel - 1);
  }
  if (x < width - 1) {
    found.push(pixel + 1);
  }
  if (pixel >= width) {
    found.push(pixel - width);
  }
  if (pixel < width * (height - 1)) {
    found.push(pixel + width);
  }
  return found;
}

function clearRows(
  rgba: Uint8ClampedArray,
  { width, height }: { readonly width: number; readonly height: number },
  top: number,
  small: Raster,
  reached: Uint8Array,
  background: Color,
): void {
  const rows = rgba.length / (width * 4);
  for (let y = 0; y < rows; y++) {
    const line = Math.min(small.height - 1, Math.floor(((top + y + 0.5) * small.height) / height));
    for (let x = 0; x < width; x++) {
      const column = Math.min(small.width - 1, Math.floor(((x + 0.5) * small.width) / width));
      if (reached[line * small.width + column] === 1) {
        clearPixel(rgba, (y * width + x) * 4, background);
      }
    }
  }
}

/** Removes the share of the background from a pixel's opacity, and from its color. */
function clearPixel(rgba: Uint8ClampedArray, at: number, background: Color): void {
  const rise = (distance(rgba, at, background) - CLEAR) / (OPAQUE - CLEAR);
  const share = Math.min(1, Math.max(0, rise));
  if (share === 1) {
    return;
  }
  for (let i = 0; i < 3; i++) {
    const mixed = rgba[at + i] as number;
    const below = background[i] as number;
    rgba[at + i] = share === 0 ? 0 : below + (mixed - below) / Math.max(share, 0.35);
  }
  rgba[at + 3] = (rgba[at + 3] as number) * share;
}
