import type { ImageHeader } from "./header/image-header.ts";
import { imageTooLarge } from "./image-errors.ts";

const MB = 1024 * 1024;

/** What any path may hold at once, its file, pixels, codecs and output together. */
export const CONVERSION_BYTES_MAX = 64 * MB;

/** The heap's own, and what comes and goes beside what is counted here. */
const OTHER_BYTES = 3 * MB;

/** What a picture is made into: a file, a small picture for a code, or all of its pixels at once. */
export type Target = "png" | "jpg" | "webp" | "logo" | "pixels";

/** A stripe of rows, deflated and once more as a chunk; and the part of the file that fills, with what it grew from. */
const PNG_STRIPE_BYTES = 2 * MB;
const PART_BYTES = 6 * MB;
/** A byte a pixel, as long as there may be a palette. */
const PALETTE_PIXELS_MAX = 4_096 * 3_072;

/** libwebp: what it begins with, its own, the pixels, and all that it takes when they are gone. */
const WEBP_BYTES_MIN = 16 * MB;
const WEBP_OWN_BYTES = 1.5 * MB;
const WEBP_PIXEL_BYTES = 4;
const WEBP_WORK_BYTES = 5.61;

/** The shrunk logo, the code's own pixels and its files. */
const LOGO_BYTES = 24 * MB;

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The most that a conversion holds at once, in bytes: the file, what its decoder keeps and what it
 * lets go with each row, and the encoder. Constants are measured; docs/decisions/pictures.md has them.
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

/** How many bytes a decoder's memory may come to, so that all together is within the budget. */
export function decoderBytesMax({ width, height }: Size, fileBytes: number, to: Target): number {
  const pixels = width * height;
  const beside = Math.max(besideReading(to, pixels), besideLastRow(to, pixels));
  return CONVERSION_BYTES_MAX - OTHER_BYTES - fileBytes - beside;
}

/** What is written beside a decoder that is at its first rows. */
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

/** The same when its last rows are read: of a palette nothing is written before. */
function besideLastRow(to: Target, pixels: number): number {
  const indexes = to === "png" && pixels <= PALETTE_PIXELS_MAX ? pixels : 0;
  return besideReading(to, pixels) + indexes;
}

/** When all is read and the decoder is gone. */
function webpBytes(pixels: number, hasAlpha: boolean): number {
  const working = libwebpBytes(WEBP_WORK_BYTES, pixels);
  // The plane, what it is off from its neighbours, and its stream; then the stream and a part of the file.
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
 * Refuses a picture that memory has no room for, before any of it is decoded: with its size, the
 * limit, and how large one like it may be. Answers how many bytes a codec's memory may come to.
 * Throws NodeError `IMAGE_TOO_LARGE`.
 */
export function checkConversion(header: ImageHeader, fileBytes: number, to: Target): number {
  const { width, height, kind } = header;
  const bytes = conversionBytes(header, header, fileBytes, to);
  if (bytes <= CONVERSION_BYTES_MAX) {
    return decoderBytesMax(header, fileBytes, to);
  }
  const fits = largestFit(header, fileBytes, to);
  throw imageTooLarge(
    `is ${kind} of ${width} × ${height} px and ${fileBytes} bytes: to be ${NAMES[to]} it would take ${Math.ceil(bytes / MB)} MB of memory, and ${CONVERSION_BYTES_MAX / MB} are given. Scale it down to ${fits.width} × ${fits.height} px, or save it in another format.`,
  );
}

/** The largest that the same picture may be, its file smaller as itself is. */
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
