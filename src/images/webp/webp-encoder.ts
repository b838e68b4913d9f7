import { CodecFault, PictureCodec } from "../codec/picture-codec.ts";
import { imageTooLarge } from "../image-errors.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { Picture } from "../raster/raster.ts";
import { AlphaPlane } from "./alpha-plane.ts";
import { encodeAlpha } from "./encode-alpha.ts";
import { WEBP_INITIAL_BYTES } from "./webp-memory.ts";

/** Functions of webp-writer.wasm (wasm/pictures/src/webp/write.c). */
interface WriterExports {
  readonly begin: (width: number, height: number, quality: number) => void;
  readonly add: (pixels: number, count: number) => void;
  readonly end: () => void;
}

/** Rows that the module receives at once; even, because it stores colors for 2 × 2 pixels. */
const ROWS_AT_ONCE = 16;

const ALPHA_FLAG = 0x10;
const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;

/**
 * Encodes a picture as a WebP, in pieces: colors lossy with `quality` 1 to 100, transparency exact. Rows become libwebp's
 * planes as they come, and one byte for each pixel if any is transparent. `bytesMax` is the maximum of the codec's memory:
 * planes of 1.5 bytes for each pixel and the file, whose room is doubled as it grows. Noise of 12 megapixels takes 34 MiB at
 * quality 80 and 52 at 100. Throws NodeError `IMAGE_TOO_LARGE`.
 */
export async function encodeWebp(
  picture: Picture,
  quality: number,
  module: WebAssembly.Module,
  bytesMax: number,
): Promise<Iterable<Uint8Array>> {
  const { width, height } = picture;
  const size = `${width} × ${height} px`;
  const sideMax = LIMITS.webp_side.value;
  if (Math.max(width, height) > sideMax) {
    throw imageTooLarge(
      `has ${size}, but a WebP has at most ${sideMax} px on each side. Scale it down, or choose another format.`,
    );
  }
  try {
    return await encode(picture, quality, module, bytesMax);
  } catch (error) {
    if (!(error instanceof CodecFault) || error.reason !== "no_memory") {
      throw error;
    }
    const megabytes = Math.floor(bytesMax / 1024 / 1024);
    throw imageTooLarge(
      `has ${size} with so much detail that writing it as WebP at quality ${quality} needs more than the ${megabytes} MB that are allowed. Choose a lower quality, or scale it down.`,
      error,
    );
  }
}

async function encode(
  picture: Picture,
  quality: number,
  module: WebAssembly.Module,
  bytesMax: number,
): Promise<Iterable<Uint8Array>> {
  const { width, height } = picture;
  const codec = new PictureCodec<WriterExports>(module, {
    initialBytes: WEBP_INITIAL_BYTES,
    bytesMax,
    isWrittenKept: true,
  });
  codec.call(({ begin }) => {
    begin(width, height, quality);
  });
  const alpha = picture.isOpaque ? undefined : new AlphaPlane(width, height);
  await fill(codec, picture, alpha);
  // Before libwebp takes its working memory.
  const packed = alpha?.bytes && encodeAlpha({ bytes: alpha.bytes, width });
  alpha?.drop();
  codec.call(({ end }) => {
    end();
  });
  const file = codec.takeWritten();
  return packed === undefined ? file : withAlpha(file, packed, width, height);
}

/** Moves the rows into the module, some at once. */
async function fill(
  codec: PictureCodec<WriterExports>,
  picture: Picture,
  alpha: AlphaPlane | undefined,
): Promise<void> {
  const room = picture.width * 4 * ROWS_AT_ONCE;
  const at = codec.room(room);
  let filled = 0;
  const pass = () => {
    const rows = codec.bytes(at, filled);
    alpha?.take(rows);
    codec.call(({ add }) => {
      add(at, filled / (picture.width * 4));
    });
    filled = 0;
  };
  for await (const stripe of picture.stripes()) {
    for (let from = 0; from < stripe.length;) {
      const part = stripe.subarray(from, from + room - filled);
      codec.bytes(at + filled, part.length).set(part);
      filled += part.length;
      from += part.length;
      if (filled === room) {
        pass();
      }
    }
  }
  if (filled > 0) {
    pass();
  }
}

/** libwebp's file of the colors, as one of colors and transparency. */
function withAlpha(
  file: readonly Uint8Array[],
  packed: readonly Uint8Array[],
  width: number,
  height: number,
): Iterable<Uint8Array> {
  const canvas = new Uint8Array(10);
  const view = new DataView(canvas.buffer);
  canvas[0] = ALPHA_FLAG;
  // 24 bits each; the second write overwrites the excess of the first.
  view.setUint32(4, width - 1, true);
  view.setUint16(7, (height - 1) & 0xffff, true);
  canvas[9] = (height - 1) >> 16;
  return webpFile([
    { name: "VP8X", pieces: [canvas] },
    { name: "ALPH", pieces: packed },
    { name: "VP8 ", pieces: colorsOf(file) },
  ]);
}

/** The content of the only chunk of libwebp's file, without the byte that makes its length even. */
function colorsOf(file: readonly Uint8Array[]): Uint8Array[] {
  const headerBytes = RIFF_HEADER_BYTES + CHUNK_HEADER_BYTES;
  const header = new Uint8Array(headerBytes);
  let at = 0;
  for (const piece of file) {
    header.set(piece.subarray(0, Math.max(0, headerBytes - at)), Math.min(at, headerBytes));
    at += piece.length;
  }
  const end = headerBytes + new DataView(header.buffer).getUint32(RIFF_HEADER_BYTES + 4, true);
  let start = 0;
  return file.flatMap((piece) => {
    const kept = piece.subarray(Math.max(0, headerBytes - start), Math.max(0, end - start));
    start += piece.length;
    return kept.length === 0 ? [] : [kept];
  });
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
