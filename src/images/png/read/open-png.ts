import { PixelKernels, PixelLayout } from "../../pixels/pixel-kernels.ts";
import type { Picture } from "../../raster/raster.ts";
import { unreadableImage } from "../../image-errors.ts";
import { inflatePieces } from "./inflate-pieces.ts";
import { type PngLayout, readPngLayout } from "./png-layout.ts";

/** Number of pixels that are passed on at once. */
const STRIPE_BYTES = 256 * 1024;

/** Before each row. */
const FILTER_BYTES = 1;

/** A part of a picture that is stored by itself: the whole picture, or one of Adam7's passes. */
interface Pass {
  readonly left: number;
  readonly top: number;
  readonly stepX: number;
  readonly stepY: number;
}

const WHOLE: Pass = { left: 0, top: 0, stepX: 1, stepY: 1 };
const ADAM7: readonly Pass[] = [
  { left: 0, top: 0, stepX: 8, stepY: 8 },
  { left: 4, top: 0, stepX: 8, stepY: 8 },
  { left: 0, top: 4, stepX: 4, stepY: 8 },
  { left: 2, top: 0, stepX: 4, stepY: 4 },
  { left: 0, top: 2, stepX: 2, stepY: 4 },
  { left: 1, top: 0, stepX: 2, stepY: 2 },
  { left: 0, top: 1, stepX: 1, stepY: 2 },
];

/** A PNG by rows, a few of which are held; an interlaced one is held whole. `pixels` is pixels.wasm. */
export function openPng(pixels: WebAssembly.Module, bytes: Uint8Array): Picture {
  const layout = readPngLayout(bytes);
  const { width, height, isInterlaced, colorType, clear } = layout;
  return {
    width,
    height,
    isOpaque: colorType < 4 && clear === undefined,
    stripes: () => (isInterlaced ? gatheredPasses(pixels, layout) : rowsInOrder(pixels, layout)),
  };
}

async function* rowsInOrder(
  pixels: WebAssembly.Module,
  layout: PngLayout,
): AsyncGenerator<Uint8ClampedArray> {
  const { width, height, bitDepth, colorType, clear } = layout;
  const rowsAtOnce = Math.max(1, Math.min(height, Math.floor(STRIPE_BYTES / (width * 4))));
  const lines = new Lines(pixels, layout, rowsAtOnce * width * 4);
  const { out } = lines;
  const isOpaqueColor = bitDepth === 8 && colorType === 2 && clear === undefined;
  const isRgba = bitDepth === 8 && colorType === 6;
  const expand = rowExpander(layout);
  let filled = 0;
  for await (const row of rows(lines, layout, [WHOLE])) {
    if (isOpaqueColor) {
      lines.expand(row.bytes, filled * width * 4);
    } else if (isRgba) {
      out.set(row.bytes, filled * width * 4);
    } else {
      expand(row.bytes, width, out, filled * width * 4, 1);
    }
    filled++;
    if (filled === rowsAtOnce || row.y === height - 1) {
      yield out.subarray(0, filled * width * 4);
      filled = 0;
    }
  }
}

async function* gatheredPasses(
  pixels: WebAssembly.Module,
  layout: PngLayout,
): AsyncGenerator<Uint8ClampedArray> {
  const { width, height } = layout;
  const out = new Uint8ClampedArray(width * height * 4);
  const expand = rowExpander(layout);
  for await (const { bytes, pass, y } of rows(new Lines(pixels, layout, 0), layout, ADAM7)) {
    const { left, top, stepX, stepY } = pass;
    const at = ((top + y * stepY) * width + left) * 4;
    expand(bytes, countOf(width, left, stepX), out, at, stepX);
  }
  yield out;
}

function countOf(length: number, start: number, step: number): number {
  return Math.max(0, Math.ceil((length - start) / step));
}

interface Row {
  /** Unfiltered, without the filter byte; valid until the next is requested. */
  readonly bytes: Uint8Array;
  readonly pass: Pass;
  /** Row number within its pass, from 0. */
  readonly y: number;
}

/** A row and the one above it, each after its filter byte, and rows of RGBA, in the memory of kernels. */
class Lines {
  readonly out: Uint8ClampedArray<ArrayBuffer>;
  readonly #width: number;
  readonly #kernels: PixelKernels;
  readonly #places: readonly [number, number];
  readonly #outAt: number;
  readonly #step: number;
  /** Which of the places the present row has. */
  #present = 0;

  constructor(pixels: WebAssembly.Module, layout: PngLayout, outBytes: number) {
    const { width, channels, bitDepth } = layout;
    const pixelBits = channels * bitDepth;
    const rowBytes = FILTER_BYTES + Math.ceil((width * pixelBits) / 8);
    const places = new PixelLayout({ one: rowBytes, other: rowBytes, out: outBytes });
    this.#kernels = new PixelKernels(pixels, places);
    this.#places = [places.at("one"), places.at("other")];
    this.#outAt = places.at("out");
    this.out = new Uint8ClampedArray(this.#kernels.buffer, this.#outAt, outBytes);
    this.#width = width;
    this.#step = Math.max(1, pixelBits >> 3);
  }

  /** Begins with rows of `bytes` bytes, of which none is above. */
  begin(bytes: number): void {
    for (const at of this.#places) {
      this.#kernels.bytes(at, FILTER_BYTES + bytes).fill(0);
    }
  }

  /** Where the next row is put, its filter byte first. */
  next(bytes: number): Uint8Array {
    this.#present = 1 - this.#present;
    return this.#kernels.bytes(this.#places[this.#present] as number, FILTER_BYTES + bytes);
  }

  /** Reverses the filter of the present row (PNG §9). Returns false for an unknown filter. */
  unfilter(row: Uint8Array): boolean {
    const above = this.#places[1 - this.#present] as number;
    const { byteOffset, length } = row;
    const [at, over] = [byteOffset + FILTER_BYTES, above + FILTER_BYTES];
    const bytes = length - FILTER_BYTES;
    return this.#kernels.call.unfilter(row[0] as number, at, over, bytes, this.#step) === 1;
  }

  /** Writes a row of 3 bytes a pixel as RGBA at `to` of `out`. */
  expand(row: Uint8Array, to: number): void {
    this.#kernels.call.expand(row.byteOffset, this.#width, this.#outAt + to);
  }
}

async function* rows(
  lines: Lines,
  layout: PngLayout,
  passes: readonly Pass[],
): AsyncGenerator<Row> {
  const pixelBits = layout.channels * layout.bitDepth;
  const input = new InputBytes(layout);
  try {
    for (const pass of passes) {
      const columns = countOf(layout.width, pass.left, pass.stepX);
      const count = columns === 0 ? 0 : countOf(layout.height, pass.top, pass.stepY);
      const rowBytes = Math.ceil((columns * pixelBits) / 8);
      lines.begin(rowBytes);
      for (let y = 0; y < count; y++) {
        const row = lines.next(rowBytes);
        while (!input.fill(row)) {
          await input.more();
        }
        if (!lines.unfilter(row)) {
          throw damaged(new Error(`filter ${row[0]}`));
        }
        yield { bytes: row.subarray(FILTER_BYTES), pass, y };
      }
    }
  } finally {
    await input.close();
  }
}

/** Decompressed bytes, split into rows. */
class InputBytes {
  readonly #layout: PngLayout;
  readonly #pieces: AsyncGenerator<Uint8Array>;
  #piece = new Uint8Array(0);
  #at = 0;
  #filled = 0;

  constructor(layout: PngLayout) {
    this.#layout = layout;
    this.#pieces = inflatePieces(layout.data);
  }

  /** Whether the row is complete; otherwise call `more`. */
  fill(row: Uint8Array): boolean {
    const count = Math.min(row.length - this.#filled, this.#piece.length - this.#at);
    row.set(this.#piece.subarray(this.#at, this.#at + count), this.#filled);
    this.#at += count;
    this.#filled += count;
    if (this.#filled < row.length) {
      return false;
    }
    this.#filled = 0;
    return true;
  }

  async more(): Promise<void> {
    const { done, value } = await this.#pieces.next().catch((cause: unknown) => {
      throw damaged(cause);
    });
    if (done === true) {
      const { width, height } = this.#layout;
      throw damaged(new Error(`fewer rows than ${width} × ${height} px need`));
    }
    this.#piece = value as Uint8Array<ArrayBuffer>;
    this.#at = 0;
  }

  async close(): Promise<void> {
    await this.#pieces.return(undefined);
  }
}

function damaged(cause: unknown): Error {
  return unreadableImage(
    "is damaged: the PNG's pixels cannot be decompressed completely. Save it again.",
    cause,
  );
}

/** Writes `count` pixels of an unfiltered row as RGBA at `to`, `step` pixels apart. */
type ExpandRow = (
  row: Uint8Array,
  count: number,
  out: Uint8ClampedArray,
  to: number,
  step: number,
) => void;

/**
 * Conversion of rows with this layout to RGBA: 16 bits lose their lower 8, fewer than 8 are scaled
 * up.
 */
function rowExpander(layout: PngLayout): ExpandRow {
  if (layout.bitDepth < 8 || layout.colorType === 3) {
    return expandIndexes(layout);
  }
  const { channels, colorType, clear } = layout;
  const bytes = layout.bitDepth / 8;
  const pixelBytes = channels * bytes;
  const hasColors = channels >= 3;
  const alphaAt = colorType >= 4 ? (channels - 1) * bytes : undefined;
  const key = clear === undefined ? undefined : clearSample(clear, channels, bytes);
  return (row, count, out, to, step) => {
    for (let i = 0, at = 0; i < count; i++, at += pixelBytes, to += step * 4) {
      out[to] = row[at] as number;
      out[to + 1] = row[hasColors ? at + bytes : at] as number;
      out[to + 2] = row[hasColors ? at + 2 * bytes : at] as number;
      out[to + 3] =
        alphaAt === undefined
          ? key !== undefined && key.every((byte, k) => row[at + k] === byte)
            ? 0
            : 255
          : (row[at + alphaAt] as number);
    }
  };
}

/** The transparent color as it is stored in a row: tRNS always has 2 bytes for each channel. */
function clearSample(clear: Uint8Array, channels: number, bytes: number): number[] | undefined {
  if (clear.length < channels * 2) {
    return undefined;
  }
  return Array.from({ length: channels * bytes }, (_, i) =>
    bytes === 2 ? (clear[i] as number) : (clear[i * 2 + 1] as number),
  );
}

/** Palettes, and gray of up to 4 bits: one color for each value. */
function expandIndexes({ bitDepth, colorType, palette, clear }: PngLayout): ExpandRow {
  const colors = new Uint32Array(1 << bitDepth);
  const bytes = new Uint8Array(colors.buffer);
  const clearGray =
    clear === undefined || clear.length < 2 ? -1 : ((clear[0] ?? 0) << 8) | (clear[1] ?? 0);
  for (let i = 0; i < colors.length; i++) {
    const gray = (i * 255) / (colors.length - 1);
    bytes.set(
      colorType === 3
        ? [palette[i * 3] ?? 0, palette[i * 3 + 1] ?? 0, palette[i * 3 + 2] ?? 0, clear?.[i] ?? 255]
        : [gray, gray, gray, i === clearGray ? 0 : 255],
      i * 4,
    );
  }
  const perByte = 8 / bitDepth;
  const mask = colors.length - 1;
  return (row, count, out, to, step) => {
    const pixels = new Uint32Array(out.buffer, out.byteOffset, out.length >> 2);
    for (let i = 0, place = to >> 2; i < count; i++, place += step) {
      const byte = row[(i / perByte) | 0] as number;
      const shift = 8 - bitDepth * ((i % perByte) + 1);
      pixels[place] = colors[(byte >> shift) & mask] as number;
    }
  };
}
