import type { Picture } from "../raster/raster.ts";
import { unreadableImage } from "../image-errors.ts";
import { type GifFrame, readGifFrame } from "./read-gif-frame.ts";

const CODE_BITS_MAX = 12;
const NO_CODE = -1;

/** Number of pixels that are passed on at once. */
const STRIPE_BYTES = 1024 * 1024;

/**
 * The first frame of a GIF on its canvas, transparent outside of the frame; one byte is held for
 * each pixel. The caller has limited the pixels. Throws NodeError `IMAGE_UNREADABLE`.
 */
export function openGif(bytes: Uint8Array): Picture {
  const frame = readGifFrame(bytes);
  const { width, height, frameWidth, frameHeight, transparentIndex } = frame;
  const isWhole = frameWidth === width && frameHeight === height;
  return {
    width,
    height,
    isOpaque: isWhole && transparentIndex === undefined,
    // oxlint-disable-next-line typescript/require-await -- other pictures are asynchronous
    async *stripes() {
      yield* rows(frame);
    },
  };
}

function* rows(frame: GifFrame): Generator<Uint8ClampedArray> {
  const { width, height, left, top, frameWidth, frameHeight, palette } = frame;
  const indexes = unpack(frame);
  /** Position in storage, by row of the frame. */
  const stored = new Uint16Array(frameHeight);
  for (const [place, row] of rowOrder(frameHeight, frame.isInterlaced).entries()) {
    stored[row] = place;
  }
  const colors = new Uint32Array(256);
  const bytes = new Uint8Array(colors.buffer);
  for (let i = 0; i < 256; i++) {
    // A color index outside of the palette is black, as in other decoders.
    bytes.set([palette[i * 3] ?? 0, palette[i * 3 + 1] ?? 0, palette[i * 3 + 2] ?? 0, 255], i * 4);
  }
  if (frame.transparentIndex !== undefined) {
    colors[frame.transparentIndex] = 0;
  }
  const stripeRows = Math.max(1, Math.floor(STRIPE_BYTES / (width * 4)));
  for (let y = 0; y < height; y += stripeRows) {
    const pixels = new Uint32Array(Math.min(stripeRows, height - y) * width);
    for (let to = left, row = y - top; to < pixels.length; to += width, row++) {
      if (row < 0 || row >= frameHeight) {
        continue;
      }
      const from = (stored[row] as number) * frameWidth;
      for (let x = 0; x < frameWidth; x++) {
        pixels[to + x] = colors[indexes[from + x] as number] as number;
      }
    }
    yield new Uint8ClampedArray(pixels.buffer);
  }
}

/** Rows in storage order. */
function rowOrder(height: number, isInterlaced: boolean): number[] {
  const passes: readonly (readonly [number, number])[] = isInterlaced
    ? [
        [0, 8],
        [4, 8],
        [2, 4],
        [1, 2],
      ]
    : [[0, 1]];
  const rows: number[] = [];
  for (const [first, step] of passes) {
    for (let row = first; row < height; row += step) {
      rows.push(row);
    }
  }
  return rows;
}

/**
 * LZW of GIF: codes of growing width, least significant bit first, with a clear and an end code.
 */
function unpack(frame: GifFrame): Uint8Array {
  const out = new Uint8Array(frame.frameWidth * frame.frameHeight);
  const strings = new StringTable(frame.codeBits);
  const { data } = frame;
  let [to, at, held, heldBits] = [0, 0, 0, 0];
  while (to < out.length) {
    while (heldBits < strings.bits) {
      if (at >= data.length) {
        throw unreadableImage(
          `is cut short: the GIF's first frame has ${to} of its ${out.length} pixels. Send it whole.`,
        );
      }
      held |= (data[at++] ?? 0) << heldBits;
      heldBits += 8;
    }
    const code = held & ((1 << strings.bits) - 1);
    held >>>= strings.bits;
    heldBits -= strings.bits;
    to += strings.take(code, out, to);
  }
  return out;
}

/** The strings of the codes: each is an earlier string plus one pixel. */
class StringTable {
  readonly #clear: number;
  readonly #prefix = new Int16Array(1 << CODE_BITS_MAX);
  readonly #suffix = new Uint8Array(1 << CODE_BITS_MAX);
  readonly #length = new Uint16Array(1 << CODE_BITS_MAX);
  #next = 0;
  #last = NO_CODE;
  bits = 0;

  constructor(codeBits: number) {
    this.#clear = 1 << codeBits;
    for (let code = 0; code < this.#clear; code++) {
      this.#suffix[code] = code;
      this.#length[code] = 1;
    }
    this.#reset();
  }

  /** Writes the string of a code, as far as it fits, and returns its length in pixels. */
  take(code: number, out: Uint8Array, to: number): number {
    if (code === this.#clear) {
      this.#reset();
      return 0;
    }
    // A code may be used before it is complete: its string is the last string and the first pixel
    // of that.
    const isNext = code === this.#next && this.#last !== NO_CODE;
    if (code === this.#clear + 1 || (code >= this.#next && !isNext)) {
      throw unreadableImage(
        "is damaged: the GIF's first frame ends early, or contains an invalid code. Save it again.",
      );
    }
    if (this.#last !== NO_CODE && this.#next < 1 << CODE_BITS_MAX) {
      this.#add(this.#firstOf(isNext ? this.#last : code));
    }
    const run = this.#length[code] ?? 0;
    // Strings are read from their last pixel to their first; pixels outside of the array are
    // dropped.
    for (let step = code, place = to + run - 1; place >= to; place--) {
      out[place] = this.#suffix[step] ?? 0;
      step = this.#prefix[step] ?? 0;
    }
    this.#last = code;
    return run;
  }

  #reset(): void {
    this.#next = this.#clear + 2;
    this.bits = 32 - Math.clz32(this.#clear);
    this.#last = NO_CODE;
  }

  #add(pixel: number): void {
    this.#prefix[this.#next] = this.#last;
    this.#suffix[this.#next] = pixel;
    this.#length[this.#next] = (this.#length[this.#last] ?? 0) + 1;
    this.#next++;
    if (this.#next === 1 << this.bits && this.bits < CODE_BITS_MAX) {
      this.bits++;
    }
  }

  #firstOf(code: number): number {
    while (code >= this.#clear) {
      code = this.#prefix[code] ?? 0;
    }
    return this.#suffix[code] ?? 0;
  }
}
