import { layOnWhite } from "../../../src/images/raster/flatten-raster.ts";
import {
  CHROMA_AC,
  CHROMA_DC,
  CHROMA_QUANTA,
  type HuffmanSpec,
  LUMA_AC,
  LUMA_DC,
  LUMA_QUANTA,
  ZIGZAG,
} from "./jpeg-tables.ts";
import { type HuffmanCodes, huffmanCodes, JpegWriter } from "./jpeg-writer.ts";

/**
 * From this quality on, colors are stored for every pixel; below, one color is stored for 2 × 2
 * pixels, which is invisible on photographs.
 */
const FULL_COLOR_QUALITY_MIN = 90;

interface Component {
  readonly codes: { readonly dc: HuffmanCodes; readonly ac: HuffmanCodes };
  /** The reciprocal of each quantization step, with the transform's scale, by row. */
  readonly divisors: Float32Array;
  /** The DC coefficient of the previous block. */
  previous: number;
}

/**
 * Encodes a picture as a baseline JPEG, flattened on white (docs/contract/assets.md#pictures),
 * `quality` 1 to 100. Rows go in and pieces of the file come out; one row of blocks is held. The
 * codec package's encoder needs 16 bytes for each pixel, which is too much for a large photograph.
 */
export class JpegEncoder {
  readonly #width: number;
  readonly #out = new JpegWriter();
  readonly #block = new Float32Array(64);
  readonly #luma: Component;
  readonly #blue: Component;
  readonly #red: Component;
  readonly #unit: MinimumUnit;
  /** Number of pixel rows in one row of units. */
  readonly #rows: Uint8ClampedArray;
  #filled = 0;

  constructor(width: number, height: number, quality: number) {
    this.#width = width;
    const lumaQuanta = scaledQuanta(LUMA_QUANTA, quality);
    const chromaQuanta = scaledQuanta(CHROMA_QUANTA, quality);
    const step = quality < FULL_COLOR_QUALITY_MIN ? 2 : 1;
    writeHeader(this.#out, { width, height }, lumaQuanta, chromaQuanta, step);
    this.#luma = component(lumaQuanta, LUMA_DC, LUMA_AC);
    this.#blue = component(chromaQuanta, CHROMA_DC, CHROMA_AC);
    this.#red = { ...this.#blue };
    this.#unit = new MinimumUnit(width, step);
    this.#rows = new Uint8ClampedArray(width * this.#unit.side * 4);
  }

  /** The next complete rows, which are not modified. */
  *add(rgba: Uint8ClampedArray): Generator<Uint8Array> {
    for (let at = 0; at < rgba.length;) {
      const count = Math.min(rgba.length - at, this.#rows.length - this.#filled);
      this.#rows.set(rgba.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled === this.#rows.length) {
        this.#encodeRows();
        yield* this.#out.take();
      }
    }
  }

  *end(): Generator<Uint8Array> {
    if (this.#filled > 0) {
      this.#encodeRows();
    }
    this.#out.endBits();
    this.#out.bytes(0xff, 0xd9);
    yield* this.#out.take();
  }

  #encodeRows(): void {
    const unit = this.#unit;
    const block = this.#block;
    const rows = this.#rows.subarray(0, this.#filled);
    layOnWhite(rows);
    this.#filled = 0;
    for (let left = 0; left < this.#width; left += unit.side) {
      unit.read(rows, left);
      for (let y = 0; y < unit.side; y += 8) {
        for (let x = 0; x < unit.side; x += 8) {
          unit.lumaBlock(block, x, y);
          writeBlock(this.#out, block, this.#luma);
        }
      }
      unit.chromaBlock(block, unit.blue);
      writeBlock(this.#out, block, this.#blue);
      unit.chromaBlock(block, unit.red);
      writeBlock(this.#out, block, this.#red);
    }
  }
}

/** Quality as scaled by the Independent JPEG Group: 50 is the table itself, 100 is all ones. */
function scaledQuanta(table: readonly number[], quality: number): number[] {
  const percent = quality < 50 ? 5_000 / quality : 200 - quality * 2;
  return table.map((quantum) =>
    Math.min(255, Math.max(1, Math.floor((quantum * Math.floor(percent) + 50) / 100))),
  );
}

function component(quanta: readonly number[], dc: HuffmanSpec, ac: HuffmanSpec): Component {
  const divisors = Float32Array.from(quanta, (quantum, i) => {
    const scale = (TRANSFORM_SCALE[i >> 3] ?? 1) * (TRANSFORM_SCALE[i & 7] ?? 1);
    return 1 / (quantum * scale * 8);
  });
  return { codes: { dc: huffmanCodes(dc), ac: huffmanCodes(ac) }, divisors, previous: 0 };
}

function writeHeader(
  out: JpegWriter,
  { width, height }: { readonly width: number; readonly height: number },
  lumaQuanta: readonly number[],
  chromaQuanta: readonly number[],
  step: 1 | 2,
): void {
  const inOrder = (quanta: readonly number[]) => ZIGZAG.map((place) => quanta[place] ?? 1);
  const table = (id: number, { counts, values }: HuffmanSpec) => [id, ...counts, ...values];
  out.bytes(0xff, 0xd8);
  // JFIF 1.1, square pixels.
  out.segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);
  out.segment(0xdb, [0, ...inOrder(lumaQuanta), 1, ...inOrder(chromaQuanta)]);
  const size = [height >> 8, height & 255, width >> 8, width & 255];
  out.segment(0xc0, [8, ...size, 3, 1, (step << 4) | step, 0, 2, 0x11, 1, 3, 0x11, 1]);
  out.segment(0xc4, [
    ...table(0x00, LUMA_DC),
    ...table(0x10, LUMA_AC),
    ...table(0x01, CHROMA_DC),
    ...table(0x11, CHROMA_AC),
  ]);
  out.segment(0xda, [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0]);
}

/** The square of pixels that is coded together: 8 px, or 16 px if colors are halved. */
class MinimumUnit {
  readonly side: number;
  readonly blue: Float32Array;
  readonly red: Float32Array;
  readonly #luma: Float32Array;
  readonly #width: number;
  readonly #step: 1 | 2;

  constructor(width: number, step: 1 | 2) {
    this.#width = width;
    this.#step = step;
    this.side = 8 * step;
    this.#luma = new Float32Array(this.side ** 2);
    this.blue = new Float32Array(this.side ** 2);
    this.red = new Float32Array(this.side ** 2);
  }

  /** Colors as in JFIF, minus the level shift. The last pixel is repeated beyond the edge. */
  read(rgba: Uint8ClampedArray, left: number): void {
    const width = this.#width;
    const height = rgba.length / (width * 4);
    let to = 0;
    for (let y = 0; y < this.side; y++) {
      const row = Math.min(y, height - 1) * width;
      for (let x = left; x < left + this.side; x++) {
        const at = (row + Math.min(x, width - 1)) * 4;
        const r = rgba[at] as number;
        const g = rgba[at + 1] as number;
        const b = rgba[at + 2] as number;
        this.#luma[to] = 0.299 * r + 0.587 * g + 0.114 * b - 128;
        this.blue[to] = -0.168735892 * r - 0.331264108 * g + 0.5 * b;
        this.red[to++] = 0.5 * r - 0.418687589 * g - 0.081312411 * b;
      }
    }
  }

  lumaBlock(block: Float32Array, left: number, top: number): void {
    for (let i = 0; i < 64; i++) {
      block[i] = this.#luma[(top + (i >> 3)) * this.side + left + (i & 7)] as number;
    }
  }

  /** The colors of the whole unit as one block, averaged over 2 × 2 px if they are halved. */
  chromaBlock(block: Float32Array, plane: Float32Array): void {
    if (this.#step === 1) {
      block.set(plane);
      return;
    }
    for (let i = 0; i < 64; i++) {
      const at = (i >> 3) * 2 * this.side + (i & 7) * 2;
      const below = at + this.side;
      block[i] =
        ((plane[at] as number) +
          (plane[at + 1] as number) +
          (plane[below] as number) +
          (plane[below + 1] as number)) /
        4;
    }
  }
}

const ZERO_RUN_16 = 0xf0;
const END_OF_BLOCK = 0;

function writeBlock(out: JpegWriter, block: Float32Array, component: Component): void {
  transformBlock(block);
  const { divisors, codes } = component;
  const dc = Math.round((block[0] as number) * (divisors[0] as number));
  writeValue(out, codes.dc, 0, dc - component.previous);
  component.previous = dc;
  let zeros = 0;
  for (let i = 1; i < 64; i++) {
    const place = ZIGZAG[i] as number;
    const value = Math.round((block[place] as number) * (divisors[place] as number));
    if (value === 0) {
      zeros++;
      continue;
    }
    for (; zeros > 15; zeros -= 16) {
      writeCode(out, codes.ac, ZERO_RUN_16);
    }
    writeValue(out, codes.ac, zeros << 4, value);
    zeros = 0;
  }
  if (zeros > 0) {
    writeCode(out, codes.ac, END_OF_BLOCK);
  }
}

/**
 * The code of a value's size (and of the zeros before it), then its bits; negative values are
 * stored minus one.
 */
function writeValue(out: JpegWriter, codes: HuffmanCodes, run: number, value: number): void {
  const size = 32 - Math.clz32(Math.abs(value));
  writeCode(out, codes, run | size);
  out.bits((value < 0 ? value - 1 : value) & ((1 << size) - 1), size);
}

function writeCode(out: JpegWriter, { codes, lengths }: HuffmanCodes, value: number): void {
  out.bits(codes[value] as number, lengths[value] as number);
}

/**
 * The forward cosine transform of an 8 × 8 block, in place (Arai, Agui and Nakajima, 1988). Its
 * results are scaled: `TRANSFORM_SCALE[row] * TRANSFORM_SCALE[column] * 8` times the actual ones.
 */
function transformBlock(block: Float32Array): void {
  for (let row = 0; row < 64; row += 8) {
    pass(block, row, 1);
  }
  for (let column = 0; column < 8; column++) {
    pass(block, column, 8);
  }
}

const TRANSFORM_SCALE: readonly number[] = [
  1, 1.387039845, 1.306562965, 1.175875602, 1, 0.785694958, 0.5411961, 0.275899379,
];

function pass(block: Float32Array, at: number, step: number): void {
  const v = (i: number) => block[at + i * step] as number;
  const [s07, d07, s16, d16] = [v(0) + v(7), v(0) - v(7), v(1) + v(6), v(1) - v(6)];
  const [s25, d25, s34, d34] = [v(2) + v(5), v(2) - v(5), v(3) + v(4), v(3) - v(4)];
  const [even0, even3, even1, even2] = [s07 + s34, s07 - s34, s16 + s25, s16 - s25];
  block[at] = even0 + even1;
  block[at + 4 * step] = even0 - even1;
  const turn = (even2 + even3) * Math.SQRT1_2;
  block[at + 2 * step] = even3 + turn;
  block[at + 6 * step] = even3 - turn;
  const [odd0, odd1, odd2] = [d34 + d25, d25 + d16, d16 + d07];
  const z5 = (odd0 - odd2) * 0.382683433;
  const z2 = 0.5411961 * odd0 + z5;
  const z4 = 1.306562965 * odd2 + z5;
  const z3 = odd1 * Math.SQRT1_2;
  const [z11, z13] = [d07 + z3, d07 - z3];
  block[at + 5 * step] = z13 + z2;
  block[at + 3 * step] = z13 - z2;
  block[at + step] = z11 + z4;
  block[at + 7 * step] = z11 - z4;
}
