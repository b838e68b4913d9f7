import { PictureCodec } from "../codec/picture-codec.ts";
import type { ImageHeader, Orientation } from "../header/image-header.ts";
import type { Picture } from "../raster/raster.ts";
import { JPEG_COEFFICIENT_BYTES_MAX, JPEG_INITIAL_BYTES } from "./jpeg-memory.ts";

/** Functions of jpeg.wasm (wasm/pictures/src/jpeg/read.c and turned.c). */
interface ReaderExports {
  readonly start: (denominator: number, isTurned: number, coefficientBytes: number) => void;
  readonly rows: (to: number, max: number) => number;
  readonly turned: (orientation: number, top: number, count: number, to: number) => void;
}

/** Size of the rows that are passed on at once. */
const STRIPE_BYTES = 256 * 1024;
/** The module's own limits for one call. */
const ROWS_MAX = 64;
const TURNED_ROWS_MAX = 32;

/**
 * A JPEG read by rows by libjpeg-turbo, turned as its header states; a pixel of CMYK has these four channels, as stored (`inSrgb`
 * makes colors of them). `bytesMax` is the maximum of the reader's memory.
 * Its rows throw CodecFault if the file is damaged or needs more. `coefficientBytes` may be less in tests.
 */
export function openJpeg(
  bytes: Uint8Array,
  header: ImageHeader,
  module: WebAssembly.Module,
  bytesMax: number,
  coefficientBytes: number = JPEG_COEFFICIENT_BYTES_MAX,
): Picture {
  const orientation = header.turns[0] ?? 1;
  const isSide = orientation >= 5;
  const width = isSide ? header.height : header.width;
  const height = isSide ? header.width : header.height;
  return {
    width,
    height,
    isOpaque: true,
    // oxlint-disable-next-line typescript/require-await -- other pictures are asynchronous
    async *stripes() {
      const codec = new PictureCodec<ReaderExports>(module, {
        initialBytes: JPEG_INITIAL_BYTES,
        bytesMax,
        file: bytes,
      });
      codec.call(({ start }) => {
        start(1, orientation <= 2 ? 0 : 1, coefficientBytes);
      });
      yield* orientation <= 2
        ? uprightRows(codec, width, orientation === 2)
        : turnedRows(codec, width, height, orientation);
    },
  };
}

type Reader = PictureCodec<ReaderExports>;

function* uprightRows(
  codec: Reader,
  width: number,
  isMirrored: boolean,
): Generator<Uint8ClampedArray> {
  const rowBytes = width * 4;
  const rowsAtOnce = Math.max(1, Math.min(ROWS_MAX, Math.floor(STRIPE_BYTES / rowBytes)));
  const at = codec.room(rowsAtOnce * rowBytes);
  for (;;) {
    const count = codec.call(({ rows }) => rows(at, rowsAtOnce));
    if (count === 0) {
      return;
    }
    const stripe = codec.bytes(at, count * rowBytes);
    if (isMirrored) {
      const pixels = new Uint32Array(stripe.buffer, stripe.byteOffset, count * width);
      for (let row = 0; row < count; row++) {
        pixels.subarray(row * width, (row + 1) * width).reverse();
      }
    }
    yield stripe;
  }
}

function* turnedRows(
  codec: Reader,
  width: number,
  height: number,
  orientation: Orientation,
): Generator<Uint8ClampedArray> {
  const at = codec.room(TURNED_ROWS_MAX * width * 4);
  for (let top = 0; top < height; top += TURNED_ROWS_MAX) {
    const count = Math.min(TURNED_ROWS_MAX, height - top);
    codec.call(({ turned }) => {
      turned(orientation, top, count, at);
    });
    yield codec.bytes(at, count * width * 4);
  }
}
