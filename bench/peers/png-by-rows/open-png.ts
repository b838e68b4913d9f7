import type { Picture } from "../../../src/images/raster/raster.ts";
import { unreadableImage } from "../../../src/images/image-errors.ts";
import { type PngLayout, readPngLayout } from "./png-layout.ts";

/** Number of pixels that are passed on at once. */
const STRIPE_BYTES = 256 * 1024;

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

/** A PNG by rows, a few of which are held; an interlaced one is held whole. */
export function openPng(bytes: Uint8Array): Picture {
  const layout = readPngLayout(bytes);
  const { width, height, isInterlaced, colorType, clear } = layout;
  return {
    width,
    height,
    isOpaque: colorType < 4 && clear === undefined,
    stripes: () => (isInterlaced ? gatheredPasses(layout) : rowsInOrder(layout)),
  };
}

async function* rowsInOrder(layout: PngLayout): AsyncGenerator<Uint8ClampedArray> {
  const { width, height } = layout;
  const rowsAtOnce = Math.max(1, Math.min(height, Math.floor(STRIPE_BYTES / (width * 4))));
  const out = new Uint8ClampedArray(rowsAtOnce * width * 4);
  const expand = rowExpander(layout);
  let filled = 0;
  for await (const row of rows(layout, [WHOLE])) {
    expand(row.bytes, width, out, filled * width * 4, 1);
    filled++;
    if (filled === rowsAtOnce || row.y === height - 1) {
      yield out.subarray(0, filled * width * 4);
      filled = 0;
    }
  }
}

async function* gatheredPasses(layout: PngLayout): AsyncGenerator<Uint8ClampedArray> {
  const { width, height } = layout;
  const out = new Uint8ClampedArray(width * height * 4);
  const expand = rowExpander(layout);
  for await (const { bytes, pass, y } of rows(layout, ADAM7)) {
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

async function* rows(layout: PngLayout, passes: readonly Pass[]): AsyncGenerator<Row> {
  const pixelBits = layout.channels * layout.bitDepth;
  const back = Math.max(1, pixelBits >> 3);
  const input = new InputBytes(layout);
  try {
    for (const pass of passes) {
      const columns = countOf(layout.width, pass.left, pass.stepX);
      const count = columns === 0 ? 0 : countOf(layout.height, pass.top, pass.stepY);
      let above = new Uint8Array(1 + Math.ceil((columns * pixelBits) / 8));
      let row = new Uint8Array(above.length);
      for (let y = 0; y < count; y++) {
        while (!input.fill(row)) {
          await input.more();
        }
        const bytes = row.subarray(1);
        if (!unfilterRow(row[0] as number, bytes, above.subarray(1), back)) {
          throw damaged(new Error(`filter ${row[0]}`));
        }
        yield { bytes, pass, y };
        [above, row] = [row, above];
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

/** Deflate expands at most a thousandfold, which bounds the output of one step. */
const FED_BYTES = 4 * 1024;

/**
 * Decompresses a zlib stream as it is read. The checksum at its end is verified only if the caller
 * reads that far. Throws the decompressor's error for damaged data.
 */
export async function* inflatePieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new DecompressionStream("deflate");
  const writer = writable.getWriter();
  const feed = async () => {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; at += FED_BYTES) {
        await writer.ready;
        await writer.write(piece.subarray(at, at + FED_BYTES) as Uint8Array<ArrayBuffer>);
      }
    }
    await writer.close();
  };
  // Errors are reported by the reading side.
  feed().catch(() => undefined);
  const reader = (readable as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Reverses a row's filter in place (PNG §9). `above` is the previous unfiltered row, zeros before
 * the first; `back` is the number of bytes in a pixel, at least 1. Returns false for an unknown
 * filter.
 */
function unfilterRow(filter: number, row: Uint8Array, above: Uint8Array, back: number): boolean {
  const { length } = row;
  switch (filter) {
    case 0:
      return true;
    case 1:
      for (let i = back; i < length; i++) {
        row[i] = (row[i] as number) + (row[i - back] as number);
      }
      return true;
    case 2:
      for (let i = 0; i < length; i++) {
        row[i] = (row[i] as number) + (above[i] as number);
      }
      return true;
    case 3:
      for (let i = 0; i < length; i++) {
        const left = i < back ? 0 : (row[i - back] as number);
        row[i] = (row[i] as number) + ((left + (above[i] as number)) >> 1);
      }
      return true;
    case 4:
      for (let i = 0; i < length; i++) {
        const a = i < back ? 0 : (row[i - back] as number);
        const b = above[i] as number;
        const c = i < back ? 0 : (above[i - back] as number);
        const pa = Math.abs(b - c);
        const pb = Math.abs(a - c);
        const pc = Math.abs(a + b - 2 * c);
        row[i] = (row[i] as number) + (pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
      }
      return true;
    default:
      return false;
  }
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
