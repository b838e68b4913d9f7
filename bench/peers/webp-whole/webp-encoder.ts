import { MemoryCap } from "./memory-cap.ts";
import { CONVERSION_BYTES_MAX } from "../../../src/images/conversion-bytes.ts";
import type { Picture } from "../../../src/images/raster/raster.ts";
import { encodeAlpha } from "../../../src/images/webp/encode-alpha.ts";
import { LIBWEBP_SETTINGS } from "./libwebp-settings.ts";
import { ENCODER_NAMES, Libwebp } from "./start-libwebp.ts";

const ALPHA_FLAG = 0x10;
const RIFF_HEADER_BYTES = 12;
const SETTINGS_BYTES = 256;
const FLOATS: ReadonlySet<string> = new Set(["quality", "target_PSNR"]);

/**
 * Encodes a picture as a WebP: colors lossy with `quality` 1 to 100, transparency exact. Its rows
 * are written directly into libwebp's memory, and are freed there as soon as libwebp has its own
 * planes of them (1.5 bytes for each pixel), before it allocates working memory. The result is in
 * libwebp's memory, which is released with it.
 */
export async function encodeWebp(
  picture: Picture,
  quality: number,
  module: WebAssembly.Module,
): Promise<Uint8Array | Iterable<Uint8Array>> {
  const { width, height } = picture;
  const libwebp = new Libwebp(module, ENCODER_NAMES, new MemoryCap(2 * CONVERSION_BYTES_MAX));
  const length = width * height * 4;
  const at = libwebp.allocate(length);
  await fill(libwebp, at, picture);
  // The transparency is packed after its source has been released, and before libwebp needs working
  // memory.
  const packed = picture.isOpaque
    ? undefined
    : packAlpha(new Uint8ClampedArray(libwebp.memory.buffer, at, length), width, height);
  const settings = writeSettings(libwebp, quality);
  let isHeld = true;
  libwebp.onCopy = () => {
    // The first copy is the table of probabilities, when the encoder is set up.
    if (isHeld) {
      isHeld = false;
      libwebp.free(at);
    }
  };
  const given = libwebp.run("encode", { at, length }, width, height, settings);
  if (given === undefined) {
    throw new Error(`libwebp cannot encode ${width} × ${height} px at quality ${quality}.`);
  }
  const encoded = libwebp.bytes(given.at, given.length);
  if (packed === undefined) {
    return encoded;
  }
  const canvas = new Uint8Array(10);
  const view = new DataView(canvas.buffer);
  canvas[0] = ALPHA_FLAG;
  // 24 bits each; the second write overwrites the excess of the first.
  view.setUint32(4, width - 1, true);
  view.setUint16(7, (height - 1) & 0xffff, true);
  canvas[9] = (height - 1) >> 16;
  const body = encoded.subarray(RIFF_HEADER_BYTES);
  const bodyLength = new DataView(body.buffer, body.byteOffset).getUint32(4, true);
  return webpFile([
    { name: "VP8X", pieces: [canvas] },
    { name: "ALPH", pieces: packed },
    { name: "VP8 ", pieces: [body.subarray(8, 8 + bodyLength)] },
  ]);
}

/** A copy, so that it does not keep the picture in memory. */
async function fill(libwebp: Libwebp, at: number, picture: Picture): Promise<void> {
  let filled = 0;
  for await (const stripe of picture.stripes()) {
    libwebp.bytes(at + filled, stripe.length).set(stripe);
    filled += stripe.length;
  }
}

/**
 * The content of an ALPH chunk, undefined if nothing is transparent; the pixels are opaque
 * afterwards.
 */
function packAlpha(
  rgba: Uint8ClampedArray,
  width: number,
  height: number,
): Uint8Array[] | undefined {
  const alpha = takeAlpha(rgba, width, height);
  return alpha && encodeAlpha({ bytes: alpha, width });
}

function writeSettings(libwebp: Libwebp, quality: number): number {
  const at = libwebp.allocate(SETTINGS_BYTES);
  libwebp.bytes(at, SETTINGS_BYTES).fill(0);
  const view = libwebp.view();
  for (const [name, value] of Object.entries({ ...LIBWEBP_SETTINGS, quality })) {
    const place = libwebp.fields.get(name);
    if (place === undefined) {
      throw new Error(`libwebp has no setting ${name}.`);
    }
    if (FLOATS.has(name)) {
      view.setFloat32(at + place, value, true);
    } else {
      view.setInt32(at + place, value, true);
    }
  }
  return at;
}

/**
 * Extracts the transparency of pixels as one byte for each, and makes the pixels opaque; undefined
 * if nothing is transparent. Fully transparent pixels get the color beside or above them, so that
 * no hidden color bleeds over the edge.
 */
function takeAlpha(rgba: Uint8ClampedArray, width: number, height: number): Uint8Array | undefined {
  let first = 3;
  while (first < rgba.length && rgba[first] === 255) {
    first += 4;
  }
  if (first >= rgba.length) {
    return undefined;
  }
  const alpha = new Uint8Array(width * height);
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, alpha.length);
  for (let at = 0; at < alpha.length; at++) {
    alpha[at] = rgba[at * 4 + 3] as number;
  }
  for (let row = 0; row < pixels.length; row += width) {
    const shown = firstShown(alpha, row, width);
    for (let at = row; at < row + width; at++) {
      if (alpha[at] === 0) {
        // To the left of the first visible pixel, its color; to the right, the color of the last
        // one; else the row above.
        pixels[at] =
          shown === undefined
            ? (pixels[at - width] ?? 0)
            : ((at < shown ? pixels[shown] : pixels[at - 1]) ?? 0);
      }
      rgba[at * 4 + 3] = 255;
    }
  }
  return alpha;
}

function firstShown(alpha: Uint8Array, row: number, width: number): number | undefined {
  for (let at = row; at < row + width; at++) {
    if (alpha[at] !== 0) {
      return at;
    }
  }
  return undefined;
}

/** A chunk of a RIFF file. */
interface WebpChunk {
  readonly name: string;
  readonly pieces: readonly Uint8Array[];
}

/** A WebP file of these chunks, in order, in pieces. */
function* webpFile(chunks: readonly WebpChunk[]): Generator<Uint8Array> {
  const sizes = chunks.map(({ pieces }) => pieces.reduce((sum, piece) => sum + piece.length, 0));
  const length = sizes.reduce((sum, size) => sum + 8 + size + (size & 1), 12);
  yield Uint8Array.from([...ascii("RIFF"), ...u32(length - 8), ...ascii("WEBP")]);
  for (const [i, { name, pieces }] of chunks.entries()) {
    const size = sizes[i] ?? 0;
    yield Uint8Array.from([...ascii(name), ...u32(size)]);
    yield* pieces;
    // Chunks begin at even offsets.
    yield new Uint8Array(size & 1);
  }
}

const ascii = (text: string) => Array.from(text, (character) => character.charCodeAt(0));

const u32 = (value: number) => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);
