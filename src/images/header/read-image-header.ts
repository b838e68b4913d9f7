import { imageTooLarge, unreadableImage } from "../image-errors.ts";
import { PNG_SIGNATURE } from "../png/read/png-layout.ts";
import type { ImageHeader } from "./image-header.ts";
import { readAvifHeader } from "./read-avif-header.ts";
import { readGifHeader } from "./read-gif-header.ts";
import { readJpegHeader } from "./read-jpeg-header.ts";
import { readPngHeader } from "./read-png-header.ts";
import { readWebpHeader } from "./read-webp-header.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const BYTES_MAX = LIMITS.image_file.value;
/**
 * Maximum rows and columns: larger pictures are not in use, and index arithmetic stays in range.
 */
const SIDE_MAX = LIMITS.image_side.value;
/**
 * Maximum pixels that can be converted within a node's time; cameras of 50 megapixels are below it.
 */
const PIXELS_MAX = LIMITS.image_pixels.value;

/**
 * Reads a picture's properties from its bytes: the check before every codec. The format is
 * determined by the first bytes, not by the file name; bytes, sides and pixels are limited. Throws
 * NodeError `IMAGE_UNREADABLE` or `IMAGE_TOO_LARGE`.
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  checkImageBytes(bytes);
  const header = readHeader(bytes);
  checkImageSize(header);
  return header;
}

/** Throws NodeError `IMAGE_TOO_LARGE` for a file that is not read at all. */
export function checkImageBytes(bytes: Uint8Array): void {
  if (bytes.length > BYTES_MAX) {
    throw imageTooLarge(
      `has ${bytes.length} bytes; at most ${BYTES_MAX} are accepted. Scale it down.`,
    );
  }
}

/** Throws NodeError `IMAGE_TOO_LARGE` for a picture with more pixels than any use of it allows. */
export function checkImageSize({ width, height }: Pick<ImageHeader, "width" | "height">): void {
  if (width > SIDE_MAX || height > SIDE_MAX) {
    throw imageTooLarge(
      `is ${width} × ${height} px; at most ${SIDE_MAX} px on each side are accepted. Scale it down.`,
    );
  }
  if (width * height > PIXELS_MAX) {
    throw imageTooLarge(
      `is ${width} × ${height} px; at most ${PIXELS_MAX} pixels are accepted. Scale it down.`,
    );
  }
}

function readHeader(bytes: Uint8Array): ImageHeader {
  if (PNG_SIGNATURE.every((byte, i) => bytes[i] === byte)) {
    return readPngHeader(bytes);
  }
  if (bytes[0] === 0xff && bytes[1] === 0xd8) {
    return readJpegHeader(bytes);
  }
  const text = String.fromCharCode(...bytes.subarray(0, 12));
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) {
    return readGifHeader(bytes);
  }
  if (text.startsWith("RIFF") && text.endsWith("WEBP")) {
    return readWebpHeader(bytes);
  }
  // Any brand: the file type check has already separated AVIF from other ISO files.
  if (text.slice(4, 8) === "ftyp") {
    return readAvifHeader(bytes);
  }
  throw unreadableImage(
    "is not a PNG, JPEG, WebP, GIF or AVIF according to its first bytes. Send one of these, or an SVG.",
  );
}
