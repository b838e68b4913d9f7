import type { ImageHeader } from "./header/image-header.ts";
import { imageTooLarge } from "./image-errors.ts";
import type { Size } from "./raster/fit-size.ts";
import type { Picture } from "./raster/raster.ts";

const MB = 1024 * 1024;

/** Maximum memory of any conversion: file, pixels, codecs and output together. */
export const CONVERSION_BYTES_MAX = 64 * MB;

/** Heap overhead, and allocations that are not counted here. */
const OTHER_BYTES = 3 * MB;

/**
 * The target of a conversion: a file, a small picture for a code, all pixels at once, or a PNG that is
 * written while other pictures are still read.
 */
export type Target = "png" | "jpg" | "webp" | "logo" | "pixels" | "composition";

/**
 * A stripe of rows, deflated and again as a chunk; and the growing part of the file, with its
 * previous buffer.
 */
const PNG_STRIPE_BYTES = 2 * MB;
const PART_BYTES = 6 * MB;
/** One byte for each pixel, while a palette is possible. */
const PALETTE_PIXELS_MAX = 4_096 * 3_072;

/** libwebp: its planes; and with its working memory and the new file, for each pixel of noise, 3 at the default quality. */
const WEBP_OWN_BYTES = 2 * MB;
const WEBP_PLANE_BYTES = 1.6;
const WEBP_WORK_BYTES = 3.8;
/** Transparency: its plane; the plane, its prediction errors and its stream; the stream. */
const ALPHA_BYTES = 1;
const ALPHA_PACKING_BYTES = 3.1;
const ALPHA_FILE_BYTES = 1.1;

/** Of a written JPEG: what is held of it at most, and the bytes of a pixel of noise at quality 100. */
const JPEG_HELD_BYTES_MAX = 4 * MB;
const JPEG_PIXEL_BYTES_MAX = 4.2;

/** The reduced logo, the code's own pixels and its files. */
const LOGO_BYTES = 24 * MB;

/** The picture that is written, if it is not the one that is read. */
export interface Written extends Size {
  /** Whether any of its pixels may be transparent. */
  readonly hasAlpha: boolean;
  /** Memory for scaling, and everything else that is held until the last row is read. */
  readonly besideBytes: number;
}

/**
 * Maximum memory of a conversion in bytes: the file, the decoder's retained memory and the part
 * that it frees with each row, and the encoder. The constants are measured; see
 * docs/decisions/pictures.md.
 */
export function conversionBytes(
  { decodingBytes, hasAlpha }: Pick<ImageHeader, "decodingBytes" | "hasAlpha">,
  { width, height }: Size,
  fileBytes: number,
  to: Target,
  written: Written = { width, height, hasAlpha, besideBytes: 0 },
): number {
  const pixels = written.width * written.height;
  const { kept, fading } = decodingBytes(width, height, fileBytes);
  const writing = Math.max(fading + besideReading(to, pixels), besideLastRow(to, pixels));
  const reading = kept + written.besideBytes + writing;
  const ending = to === "webp" ? webpBytes(pixels, written.hasAlpha) : 0;
  return OTHER_BYTES + fileBytes + Math.max(reading, ending);
}

/** Maximum memory of a decoder in bytes, so that everything together is within the budget. */
export function decoderBytesMax(
  { width, height }: Size,
  fileBytes: number,
  to: Target,
  besideBytes = 0,
): number {
  const pixels = width * height;
  const beside = Math.max(besideReading(to, pixels), besideLastRow(to, pixels));
  return CONVERSION_BYTES_MAX - OTHER_BYTES - fileBytes - besideBytes - beside;
}

/** Maximum memory of the codec that writes a WebP in bytes: quality 100 may take more than a conversion is expected to. */
export function webpWriterBytesMax(
  { width, height, isOpaque }: Pick<Picture, "width" | "height" | "isOpaque">,
  fileBytes: number,
): number {
  const alphaBytes = isOpaque ? 0 : ALPHA_FILE_BYTES * width * height + PART_BYTES;
  return CONVERSION_BYTES_MAX - OTHER_BYTES - fileBytes - alphaBytes;
}

/**
 * What the writer of a JPEG may hold for its Huffman tables, in bytes: what a conversion of `bytes` leaves of its memory, and
 * no more than the file may have.
 */
export function jpegHeldBytes(bytes: number, { width, height }: Size): number {
  const fileBytes = JPEG_PIXEL_BYTES_MAX * width * height;
  return Math.max(0, Math.min(JPEG_HELD_BYTES_MAX, fileBytes, CONVERSION_BYTES_MAX - bytes));
}

/** Memory of the writer while the decoder is at its first rows. */
function besideReading(to: Target, pixels: number): number {
  switch (to) {
    case "logo":
      return LOGO_BYTES;
    case "pixels":
      return 4 * pixels;
    case "composition":
      return PNG_STRIPE_BYTES + PART_BYTES + paletteBytes(pixels);
    case "jpg":
      return PART_BYTES;
    case "png":
      return PNG_STRIPE_BYTES + PART_BYTES;
    case "webp":
      return libwebpBytes(WEBP_PLANE_BYTES + ALPHA_BYTES, pixels);
  }
}

/** The same at the decoder's last rows: with a palette, nothing is written before. */
function besideLastRow(to: Target, pixels: number): number {
  return besideReading(to, pixels) + (to === "png" ? paletteBytes(pixels) : 0);
}

function paletteBytes(pixels: number): number {
  return pixels <= PALETTE_PIXELS_MAX ? pixels : 0;
}

/** After everything has been read and the decoder has been released. */
function webpBytes(pixels: number, hasAlpha: boolean): number {
  const working = libwebpBytes(WEBP_WORK_BYTES, pixels);
  return hasAlpha
    ? Math.max(
        libwebpBytes(WEBP_PLANE_BYTES + ALPHA_PACKING_BYTES, pixels),
        working + ALPHA_FILE_BYTES * pixels + PART_BYTES,
      )
    : working;
}

function libwebpBytes(perPixel: number, pixels: number): number {
  return WEBP_OWN_BYTES + perPixel * pixels;
}

const NAMES: Readonly<Record<Target, string>> = {
  png: "converted to PNG",
  jpg: "converted to JPEG",
  webp: "converted to WebP",
  logo: "shown in a code",
  pixels: "read whole",
  composition: "composed",
};

/**
 * Rejects a picture that is too large for the memory, before anything is decoded; the message has
 * its size, the limit, and the largest size that would fit. Returns the maximum memory of a codec
 * in bytes. Throws NodeError `IMAGE_TOO_LARGE`.
 */
export function checkConversion(
  header: ImageHeader,
  fileBytes: number,
  to: Target,
  written?: Written,
): number {
  const { width, height, kind } = header;
  const bytes = conversionBytes(header, header, fileBytes, to, written);
  if (bytes <= CONVERSION_BYTES_MAX) {
    return decoderBytesMax(written ?? header, fileBytes, to, written?.besideBytes);
  }
  const fits = largestFit(header, fileBytes, to, written);
  const size = written === undefined ? "" : ` of ${written.width} × ${written.height} px`;
  const advice =
    fits === undefined
      ? "Ask for a smaller picture"
      : `Scale it down to ${fits.width} × ${fits.height} px`;
  throw imageTooLarge(
    `is ${kind} of ${width} × ${height} px and ${fileBytes} bytes: to be ${NAMES[to]}${size} it would need ${Math.ceil(bytes / MB)} MB of memory; at most ${CONVERSION_BYTES_MAX / MB} are allowed. ${advice}, or save it in another format.`,
  );
}

/**
 * The largest size at which the same picture would fit, with its file scaled accordingly; undefined if what is written
 * does not fit by itself.
 */
function largestFit(
  header: ImageHeader,
  fileBytes: number,
  to: Target,
  written: Written | undefined,
): Size | undefined {
  let [fits, tooLarge] = [0, 1];
  for (let step = 0; step < 20; step++) {
    const factor = (fits + tooLarge) / 2;
    const size = scaled(header, factor);
    const bytes = conversionBytes(header, size, fileBytes * factor ** 2, to, written);
    [fits, tooLarge] = bytes <= CONVERSION_BYTES_MAX ? [factor, tooLarge] : [fits, factor];
  }
  return fits === 0 ? undefined : scaled(header, fits);
}

function scaled({ width, height }: Size, factor: number): Size {
  return {
    width: Math.max(1, Math.floor(width * factor)),
    height: Math.max(1, Math.floor(height * factor)),
  };
}
