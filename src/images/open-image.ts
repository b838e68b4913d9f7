import { openAvif } from "./avif/open-avif.ts";
import {
  type ColorConversion,
  colorBytes,
  colorConversionOf,
  inSrgb,
} from "./color/convert-colors.ts";
import { CodecFault } from "./codec/picture-codec.ts";
import { openGif } from "./gif/open-gif.ts";
import type { ImageHeader } from "./header/image-header.ts";
import { openJpeg } from "./jpeg/open-jpeg.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import { openPng } from "./png/read/open-png.ts";
import { type Picture, type Raster, readRaster } from "./raster/raster.ts";
import { imageTooLarge, unreadableImage } from "./image-errors.ts";
import { openWebp } from "./webp/open-webp.ts";
import { checkConversion } from "./conversion-bytes.ts";
import { readImageHeader } from "./header/read-image-header.ts";

/**
 * Compiled modules of the codecs, supplied by the bundler, because workerd cannot compile bytes.
 */
export interface ImageCodecs {
  /** libjpeg-turbo, for reading and writing. */
  readonly jpeg: WebAssembly.Module;
  /** libwebp, for reading. */
  readonly webp: WebAssembly.Module;
  /** libwebp, for writing. */
  readonly webpEncoder: WebAssembly.Module;
  /** dav1d, for reading. */
  readonly avif: WebAssembly.Module;
  /** Not a codec: the work on single pixels (wasm/pixels). */
  readonly pixels: WebAssembly.Module;
}

/**
 * A PNG, JPEG, WebP, GIF (its first frame) or AVIF by rows, rotated by its EXIF (JPEG) or its
 * properties (AVIF), in sRGB: a color profile is applied. The caller has checked the header against the
 * limits; `memoryMax` is the maximum memory of a codec in bytes. Throws NodeError
 * `IMAGE_TOO_LARGE`, and NodeError `IMAGE_UNREADABLE`, here or while rows are read. `onColors` receives how its colors
 * are converted, unless they are sRGB.
 */
// oxlint-disable-next-line typescript/require-await -- its errors are those of the promise
export async function openImage(
  bytes: Uint8Array,
  header: ImageHeader,
  codecs: ImageCodecs,
  memoryMax: number,
  onColors?: (conversion: ColorConversion) => void,
): Promise<Picture> {
  noteColors(header, onColors);
  const colors = colorBytes(header.colors?.profile);
  const bytesMax = memoryMax - colors.first - colors.kept;
  try {
    const opened = openAs(bytes, header, codecs, bytesMax);
    const picture = inSrgb(opened, header.colors, codecs.pixels);
    return { ...picture, stripes: () => readable(picture, header, bytesMax) };
  } catch (cause) {
    throw reasonOf(header, cause);
  }
}

/** `onColors` as in `openImage`. */
export function noteColors(
  { colors }: ImageHeader,
  onColors: ((conversion: ColorConversion) => void) | undefined,
): void {
  const conversion = onColors && colorConversionOf(colors);
  if (conversion !== undefined) {
    onColors?.(conversion);
  }
}

/** An unexpected error of a reader is also a fault of the file. */
async function* readable(picture: Picture, header: ImageHeader, bytesMax: number) {
  try {
    yield* picture.stripes();
  } catch (cause) {
    const isTooMuch = cause instanceof CodecFault && cause.reason === "no_memory";
    throw isTooMuch ? tooMuch(header, bytesMax) : reasonOf(header, cause);
  }
}

function openAs(
  bytes: Uint8Array,
  header: ImageHeader,
  codecs: ImageCodecs,
  bytesMax: number,
): Picture {
  switch (header.format) {
    case "png":
      return openPng(codecs.pixels, bytes);
    case "gif":
      return openGif(bytes);
    case "jpeg":
      return openJpeg(bytes, header, codecs.jpeg, bytesMax);
    case "webp":
      return openWebp(bytes, header, codecs.webp, bytesMax);
    case "avif":
      return openAvif(bytes, header, codecs.avif, bytesMax);
  }
}

function tooMuch({ kind, width, height }: ImageHeader, bytesMax: number): NodeError {
  const mb = Math.floor(bytesMax / 1024 / 1024);
  return imageTooLarge(
    `is ${kind} of ${width} × ${height} px with so much detail that decoding needs more than the ${mb} MB that are allowed. Scale it down, or save it in another format.`,
  );
}

/** The messages of libjpeg-turbo (jerror.h) and of its reader (wasm/pictures/src/jpeg/read.c) for an end that is too early. */
const JPEG_CUT_SHORT = /premature end|last scans are missing/i;

function reasonOf({ format }: ImageHeader, cause: unknown): NodeError {
  if (format === "jpeg" && cause instanceof CodecFault && JPEG_CUT_SHORT.test(cause.message)) {
    return unreadableImage(
      "is cut short: the JPEG ends before its last pixel. Send the complete file, or save it as JPEG again.",
      cause,
    );
  }
  if (cause instanceof CodecFault) {
    return unreadableImage(
      `is a damaged ${format.toUpperCase()}, or of an unsupported kind: ${cause.message}. Save it again, or as PNG.`,
      cause,
    );
  }
  return cause instanceof NodeError
    ? cause
    : unreadableImage(
        `is damaged, or of an unsupported kind of ${format.toUpperCase()}. Save it again, or as PNG.`,
        cause,
      );
}

/** Decodes a whole picture to RGBA. Throws NodeError `IMAGE_TOO_LARGE` or `IMAGE_UNREADABLE`. */
export async function decodeImage(bytes: Uint8Array, codecs: ImageCodecs): Promise<Raster> {
  const header = readImageHeader(bytes);
  const memoryMax = checkConversion(header, bytes.length, "pixels");
  return readRaster(await openImage(bytes, header, codecs, memoryMax));
}
