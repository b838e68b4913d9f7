import type { Picture } from "../../raster/picture.ts";
import { unreadableImage } from "../../unreadable-image.ts";
import { rowExpander } from "./expand-row.ts";
import { inflatePieces } from "./inflate-pieces.ts";
import { type PngLayout, readPngLayout } from "./png-layout.ts";
import { unfilterRow } from "./unfilter-row.ts";

/** Pixels that are handed on at once. */
const STRIPE_BYTES = 256 * 1024;

/** A part of a picture that is stored by itself: all of it, or what one of Adam7's passes has. */
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

/** A PNG by its rows, a few of which are held; an interlaced one is held whole. */
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
  /** Unfiltered, without the byte of the filter; valid until the next is asked for. */
  readonly bytes: Uint8Array;
  readonly pass: Pass;
  /** From 0 in its pass. */
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

/** Inflated bytes, cut into rows. */
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

  /** Whether the row is full now; else `more` is to be asked for. */
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
      throw damaged(new Error(`fewer rows than ${width} × ${height} px have`));
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
    "is damaged: the PNG's pixels cannot be unpacked to their end. Save it again.",
    cause,
  );
}
