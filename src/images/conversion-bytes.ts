import type { ImageHeader } from "./header/image-header.ts";
import { imageTooLarge } from "./image-errors.ts";

const MB = 1024 * 1024;

/** Maximum memory of any conversion: file, pixels, codecs and output together. */
export const CONVERSION_BYTES_MAX = 64 * MB;

/** Heap overhead, and allocations that are not counted here. */
const OTHER_BYTES = 3 * MB;

/** The target of a conversion: a file, a small picture for a code, or all pixels at once. */
export type Target = "png" | "jpg" | "webp" | "logo" | "pixels";

/**
 * A stripe of rows, deflated and again as a chunk; and the growing part of the file, with its
 * previous buffer.
 */
const PNG_STRIPE_BYTES = 2 * MB;
const PART_BYTES = 6 * MB;
/** One byte for each pixel, while a palette is possible. */
const PALETTE_PIXELS_MAX = 4_096 * 3_072;

/**
 * libwebp: its initial memory, its own part, the pixels, and its later allocations after they have
 * been released.
 */
const WEBP_BYTES_MIN = 16 * MB;
const WEBP_OWN_BYTES = 1.5 * MB;
const WEBP_PIXEL_BYTES = 4;
const WEBP_WORK_BYTES = 5.61;

/** The reduced logo, the code's own pixels and its files. */
const LOGO_BYTES = 24 * MB;

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Maximum memory of a conversion in bytes: the file, the decoder's retained memory and the part
 * that it frees with each row, and the encoder. The constants are measured; see
 * docs/decisions/pictures.md.
 */
export function conversionBytes(
  { decodingBytes, hasAlpha }: ImageHeader,
  { width, height }: Size,
  fileBytes: number,
  to: Target,
): number {
  const pixels = width * height;
  const { kept, fading } = decodingBytes(width, height, fileBytes);
  const reading = kept + Math.max(fading + besideReading(to, pixels), besideLastRow(to, pixels));
  return (
    OTHER_BYTES + fileBytes + Math.max(reading, to === "webp" ? webpBytes(pixels, hasAlpha) : 0)
  );
}

/** Maximum memory of a decoder in bytes, so that everything together is within the budget. */
export function decoderBytesMax({ width, height }: Size, fileBytes: number, to: Target): number {
  const pixels = width * height;
  const beside = Math.max(besideReading(to, pixels), besideLastRow(to, pixels));
  return CONVERSION_BYTES_MAX - OTHER_BYTES - fileBytes - beside;
}

/** Memory of the writer while the decoder is at its first rows. */
function besideReading(to: Target, pixels: number): number {
  switch (to) {
    case "logo":
      return LOGO_BYTES;
    case "pixels":
      return 4 * pixels;
    case "jpg":
      return PART_BYTES;
    case "png":
      return PNG_STRIPE_BYTES + PART_BYTES;
    case "webp":
      return libwebpBytes(WEBP_PIXEL_BYTES, pixels);
  }
}

/** The same at the decoder's last rows: with a palette, nothing is written before. */
function besideLastRow(to: Target, pixels: number): number {
  const indexes = to === "png" && pixels <= PALETTE_PIXELS_MAX ? pixels : 0;
  return besideReading(to, pixels) + indexes;
}

/** After everything has been read and the decoder has been released. */
function webpBytes(pixels: number, hasAlpha: boolean): number {
  const working = libwebpBytes(WEBP_WORK_BYTES, pixels);
  // The plane, its prediction errors, and its stream; then the stream and a part of the file.
  return hasAlpha
    ? Math.max(
        libwebpBytes(WEBP_PIXEL_BYTES, pixels) + 3.1 * pixels,
        working + 1.1 * pixels + PART_BYTES,
      )
    : working;
}

function libwebpBytes(perPixel: number, pixels: number): number {
  return Math.max(WEBP_BYTES_MIN, WEBP_OWN_BYTES + perPixel * pixels);
}

const NAMES: Readonly<Record<Target, string>> = {
  png: "converted to PNG",
  jpg: "converted to JPEG",
  webp: "converted to WebP",
  logo: "shown in a code",
  pixels: "read whole",
};

/**
 * Rejects a picture that is too large for the memory, before anything is decoded; the message has
 * its size, the limit, and the largest size that would fit. Returns the maximum memory of a codec
 * in bytes. Throws NodeError `IMAGE_TOO_LARGE`.
 */
export function checkConversion(header: ImageHeader, fileBytes: number, to: Target): number {
  const { width, height, kind } = header;
  const bytes = conversionBytes(header, header, fileBytes, to);
  if (bytes <= CONVERSION_BYTES_MAX) {
    return decoderBytesMax(header, fileBytes, to);
  }
  const fits = largestFit(header, fileBytes, to);
  throw imageTooLarge(
    `is ${kind} of ${width} × ${height} px and ${fileBytes} bytes: to be ${NAMES[to]} it would need ${Math.ceil(bytes / MB)} MB of memory; at most ${CONVERSION_BYTES_MAX / MB} are allowed. Scale it down to ${fits.width} × ${fits.height} px, or save it in another format.`,
  );
}

/** The largest size at which the same picture would fit, with its file scaled accordingly. */
function largestFit(header: ImageHeader, fileBytes: number, to: Target) {
  let [fits, tooLarge] = [0, 1];
  for (let step = 0; step < 20; step++) {
    const factor = (fits + tooLarge) / 2;
    const bytes = conversionBytes(header, scaled(header, factor), fileBytes * factor ** 2, to);
    [fits, tooLarge] = bytes <= CONVERSION_BYTES_MAX ? [factor, tooLarge] : [fits, factor];
  }
  return scaled(header, fits);
}

function scaled({ width, height }: ImageHeader, factor: number) {
  return {
    width: Math.max(1, Math.floor(width * factor)),
    height: Math.max(1, Math.floor(height * factor)),
  };
}
