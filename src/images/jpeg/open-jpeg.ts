import { PictureCodec } from "../codec/picture-codec.ts";
import { joinPieces } from "../byte-writer.ts";
import { readSourceProfile } from "../color/source-profile.ts";
import { srgbGrid } from "../color/srgb-grid.ts";
import type { ImageHeader, JpegColors, Orientation } from "../header/image-header.ts";
import type { Picture } from "../raster/raster.ts";
import { JPEG_COEFFICIENT_BYTES_MAX, JPEG_INITIAL_BYTES } from "./jpeg-memory.ts";

/** Functions of jpeg.wasm (wasm/pictures/src/jpeg/read.c, turned.c and colors.c). */
interface ReaderExports {
  readonly use_grid: (colors: number, pointsOfSide: number, channels: number) => void;
  readonly use_plain_cmyk: (isInverted: number) => void;
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
 * A JPEG read by rows by libjpeg-turbo in sRGB, turned as its header states. Colors of an embedded profile are converted by it;
 * a profile that is damaged or of other channels is passed over, as in browsers, and CMYK without one is multiplied with
 * its black. `bytesMax` is the maximum of the reader's memory.
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
      useColors(codec, header.jpegColors);
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

/** Before the first row: how the reader makes sRGB of the file's colors. */
function useColors(codec: Reader, colors: JpegColors | undefined): void {
  if (colors === undefined) {
    return;
  }
  const { channels, isAdobe } = colors;
  const isCmyk = channels === 4;
  const profile =
    colors.profile.length > 0 ? readSourceProfile(joinPieces(colors.profile)) : undefined;
  // Gray pixels are read as three equal channels, to which a profile of three applies too.
  const isFitting =
    profile !== undefined &&
    (profile.channels === channels || (profile.channels === 3 && channels === 1));
  const grid = isFitting ? srgbGrid(profile, isCmyk && isAdobe) : undefined;
  if (grid !== undefined) {
    const at = codec.room(grid.colors.length);
    codec.bytes(at, grid.colors.length).set(grid.colors);
    codec.call(({ use_grid }) => {
      use_grid(at, grid.pointsOfSide, grid.channels);
    });
  } else if (isCmyk) {
    codec.call(({ use_plain_cmyk }) => {
      use_plain_cmyk(isAdobe ? 1 : 0);
    });
  }
}

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
