import type { Rgb } from "../../contracts/code-symbol.ts";
import type { Raster } from "../raster/raster.ts";
import { addEdge, type Edge, flattenPath } from "./cover-path.ts";
import type { Path } from "./path.ts";

export type Fill =
  | { readonly kind: "solid"; readonly color: Rgb; readonly opacity: number }
  /** From the first to the last of 256 colors, between two points. */
  | {
      readonly kind: "linear";
      readonly colors: readonly Rgb[];
      readonly from: readonly [number, number];
      readonly to: readonly [number, number];
    };

/** Something opaque or translucent that is painted on an opaque background, in px. */
export type Item =
  | { readonly kind: "shape"; readonly outline: Outline; readonly fill: Fill }
  /** The blurred shadow of a rectangle; `blur` is the standard deviation. */
  | {
      readonly kind: "shadow";
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly blur: number;
      readonly color: Rgb;
      readonly opacity: number;
    }
  /** A picture, scaled bilinearly to the box. */
  | {
      readonly kind: "picture";
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly raster: Raster;
    };

export interface Outline {
  readonly edges: readonly Edge[];
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The outline of a path, optionally with every point moved by `map` after curves are divided. */
export function outlineOf(
  path: Path,
  map: (x: number, y: number) => readonly [number, number] = (x, y) => [x, y],
): Outline {
  const edges = flattenPath(path).map(([x0, y0, x1, y1]): Edge => [...map(x0, y0), ...map(x1, y1)]);
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x0, y0, x1, y1] of edges) {
    left = Math.min(left, x0, x1);
    right = Math.max(right, x0, x1);
    top = Math.min(top, y0, y1);
    bottom = Math.max(bottom, y0, y1);
  }
  return { edges, left, top, right, bottom };
}

/** Rows `top` to `top` + rows of a picture of `width` px as opaque RGBA. */
export interface Band {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  readonly top: number;
  readonly rows: number;
}

/** Paints the part of the items that lies in the band, in sequence, with area anti-aliasing. */
export function paintItems(items: readonly Item[], band: Band): void {
  for (const item of items) {
    switch (item.kind) {
      case "shape":
        paintShape(item.outline, item.fill, band);
        break;
      case "shadow":
        paintShadow(item, band);
        break;
      case "picture":
        paintPicture(item, band);
        break;
    }
  }
}

/** Sums of the shape being painted; kept, because an allocation for each shape costs more. */
let scratch = new Float32Array(0);

function paintShape(outline: Outline, fill: Fill, band: Band): void {
  const left = Math.max(0, Math.floor(outline.left));
  const right = Math.min(band.width, Math.ceil(outline.right));
  const top = Math.max(band.top, Math.floor(outline.top));
  const bottom = Math.min(band.top + band.rows, Math.ceil(outline.bottom));
  if (left >= right || top >= bottom) {
    return;
  }
  const width = right - left;
  // Two additional columns, because an edge on the last pixel's border adds to the one after it.
  const stride = width + 2;
  const rows = bottom - top;
  if (scratch.length < stride * rows) {
    scratch = new Float32Array(stride * rows);
  }
  const sums = scratch.fill(0, 0, stride * rows);
  for (const edge of outline.edges) {
    addClipped(sums, stride, rows, width, edge, left, top);
  }
  const paintRun = runPainter(fill, band);
  for (let y = 0; y < rows; y++) {
    const line = y * stride;
    const at = (top + y - band.top) * band.width + left;
    let sum = 0;
    for (let x = 0; x < width;) {
      sum += sums[line + x] as number;
      // Coverage changes at edges only.
      let end = x + 1;
      while (end < width && sums[line + end] === 0) {
        end++;
      }
      const coverage = sum < 0 ? -sum : sum;
      if (coverage > 0.002) {
        paintRun(at + x, end - x, left + x, top + y, coverage > 0.998 ? 1 : coverage);
      }
      x = end;
    }
  }
}

/** Adds the part of an edge within the rows; beyond the left or right border it lies on the border. */
function addClipped(
  sums: Float32Array,
  stride: number,
  rows: number,
  width: number,
  edge: Edge,
  left: number,
  top: number,
): void {
  const [x0, y0, x1, y1] = edge;
  const [low, high] = y0 < y1 ? [y0, y1] : [y1, y0];
  if (high <= top || low >= top + rows || low === high) {
    return;
  }
  const isWithin = low >= top && high <= top + rows;
  if (isWithin && Math.min(x0, x1) >= left && Math.max(x0, x1) <= left + width) {
    addEdge(sums, stride, rows, x0 - left, y0 - top, x1 - left, y1 - top);
    return;
  }
  const points = dividedEdge(edge, left, left + width, top, top + rows);
  const clampX = (x: number) => Math.min(width, Math.max(0, x - left));
  for (let i = 1; i < points.length; i++) {
    const [ax, ay] = points[i - 1] as [number, number];
    const [bx, by] = points[i] as [number, number];
    addEdge(sums, stride, rows, clampX(ax), ay - top, clampX(bx), by - top);
  }
}

/** The part of an edge between two rows, divided where it crosses the left and the right border. */
function dividedEdge(
  [x0, y0, x1, y1]: Edge,
  left: number,
  right: number,
  top: number,
  bottom: number,
): [number, number][] {
  const xAt = (y: number) => x0 + ((x1 - x0) * (y - y0)) / (y1 - y0);
  const clampY = (y: number) => Math.min(bottom, Math.max(top, y));
  const [fromY, toY] = [clampY(y0), clampY(y1)];
  const points: [number, number][] = [[fromY === y0 ? x0 : xAt(fromY), fromY]];
  for (const border of [left, right]) {
    const y = y0 + ((border - x0) * (y1 - y0)) / (x1 - x0);
    if (y > Math.min(fromY, toY) && y < Math.max(fromY, toY)) {
      points.push([border, y]);
    }
  }
  points.push([toY === y1 ? x1 : xAt(toY), toY]);
  const direction = toY > fromY ? 1 : -1;
  return points.sort(([, a], [, b]) => (a - b) * direction);
}

/** Paints `count` pixels from index `at`, which is (`x`, `y`) of the picture. */
type RunPainter = (at: number, count: number, x: number, y: number, coverage: number) => void;

function runPainter(fill: Fill, { rgba }: Band): RunPainter {
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4);
  if (fill.kind === "solid") {
    const word = wordOf(fill.color);
    const { opacity, color } = fill;
    return (at, count, _x, _y, coverage) => {
      paintRun(pixels, rgba, at, count, word, color, coverage * opacity);
    };
  }
  const { colors, from, to } = fill;
  const words = Uint32Array.from(colors, wordOf);
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const last = colors.length - 1;
  const scale = last / Math.max(1e-9, dx * dx + dy * dy);
  return (at, count, x, y, coverage) => {
    const down = (y + 0.5 - from[1]) * dy;
    // A vertical gradient has one color in each row.
    const step = dx === 0 ? count : 1;
    for (let i = 0; i < count; i += step) {
      const place = Math.round(((x + i + 0.5 - from[0]) * dx + down) * scale);
      const index = place < 0 ? 0 : place > last ? last : place;
      paintRun(pixels, rgba, at + i, step, words[index] as number, colors[index] as Rgb, coverage);
    }
  };
}

function paintRun(
  pixels: Uint32Array,
  rgba: Uint8ClampedArray,
  at: number,
  count: number,
  word: number,
  [r, g, b]: Rgb,
  alpha: number,
): void {
  if (alpha < 1) {
    for (let pixel = at; pixel < at + count; pixel++) {
      mix(rgba, pixel * 4, r, g, b, alpha);
    }
  } else if (count >= FILL_FROM) {
    pixels.fill(word, at, at + count);
  } else {
    for (let pixel = at; pixel < at + count; pixel++) {
      pixels[pixel] = word;
    }
  }
}

/** With fewer pixels, a call of `fill` costs more than the pixels. */
const FILL_FROM = 32;

function mix(
  rgba: Uint8ClampedArray,
  at: number,
  r: number,
  g: number,
  b: number,
  alpha: number,
): void {
  const rest = 1 - alpha;
  rgba[at] = (rgba[at] as number) * rest + r * alpha;
  rgba[at + 1] = (rgba[at + 1] as number) * rest + g * alpha;
  rgba[at + 2] = (rgba[at + 2] as number) * rest + b * alpha;
}

/** A pixel as a little-endian word, the byte order of workerd, Node and wasm. */
function wordOf([r, g, b]: Rgb): number {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** Pixels of the box, enlarged by `by`, that lie in the band. */
function window({ x, y, width, height }: Box, by: number, band: Band) {
  return {
    left: Math.max(0, Math.floor(x - by)),
    right: Math.min(band.width, Math.ceil(x + width + by)),
    top: Math.max(band.top, Math.floor(y - by)),
    bottom: Math.min(band.top + band.rows, Math.ceil(y + height + by)),
  };
}

/** The blur of a rectangle is the product of two blurred steps. */
function paintShadow(shadow: Extract<Item, { kind: "shadow" }>, band: Band): void {
  const { x, y, width, height, blur, color, opacity } = shadow;
  const { left, right, top, bottom } = window(shadow, blur * 3, band);
  if (left >= right || top >= bottom) {
    return;
  }
  const across = Float32Array.from({ length: right - left }, (_, i) =>
    blurredStep(left + i + 0.5, x, x + width, blur),
  );
  const [r, g, b] = color;
  for (let row = top; row < bottom; row++) {
    const strength = opacity * blurredStep(row + 0.5, y, y + height, blur);
    let at = ((row - band.top) * band.width + left) * 4;
    for (const share of across) {
      mix(band.rgba, at, r, g, b, strength * share);
      at += 4;
    }
  }
}

function blurredStep(at: number, from: number, to: number, blur: number): number {
  return gaussianBelow((at - from) / blur) - gaussianBelow((at - to) / blur);
}

/** Standard normal distribution function, to 2 digits: a logistic curve. */
function gaussianBelow(z: number): number {
  return 1 / (1 + Math.exp(-1.702 * z));
}

function paintPicture(item: Extract<Item, { kind: "picture" }>, band: Band): void {
  const { raster } = item;
  const { left, right, top, bottom } = window(item, 0, band);
  const columns = samples(left, right, item.x, item.width, raster.width);
  for (let row = top; row < bottom; row++) {
    const { index, next, share } = sampleAt(row, item.y, item.height, raster.height);
    let at = ((row - band.top) * band.width + left) * 4;
    for (const column of columns) {
      blendSample(band.rgba, at, raster, column, index, next, share);
      at += 4;
    }
  }
}

interface Sample {
  readonly index: number;
  readonly next: number;
  readonly share: number;
}

function samples(from: number, to: number, start: number, size: number, count: number): Sample[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) =>
    sampleAt(from + i, start, size, count),
  );
}

function sampleAt(pixel: number, start: number, size: number, count: number): Sample {
  const place = ((pixel + 0.5 - start) * count) / size - 0.5;
  const index = Math.min(count - 1, Math.max(0, Math.floor(place)));
  const next = Math.min(count - 1, index + 1);
  return { index, next, share: Math.min(1, Math.max(0, place - index)) };
}

function blendSample(
  rgba: Uint8ClampedArray,
  to: number,
  { rgba: source, width }: Raster,
  column: Sample,
  row: number,
  nextRow: number,
  rowShare: number,
): void {
  let [r, g, b, alpha] = [0, 0, 0, 0];
  for (let corner = 0; corner < 4; corner++) {
    const weight =
      ((corner & 1) === 0 ? 1 - column.share : column.share) *
      ((corner & 2) === 0 ? 1 - rowShare : rowShare);
    if (weight === 0) {
      continue;
    }
    const x = (corner & 1) === 0 ? column.index : column.next;
    const y = (corner & 2) === 0 ? row : nextRow;
    const at = (y * width + x) * 4;
    const share = ((source[at + 3] as number) / 255) * weight;
    r += (source[at] as number) * share;
    g += (source[at + 1] as number) * share;
    b += (source[at + 2] as number) * share;
    alpha += share;
  }
  if (alpha > 0) {
    mix(rgba, to, r / alpha, g / alpha, b / alpha, alpha);
  }
}
