import type { ImageHeader } from "./header/image-header.ts";

const MB = 1024 * 1024;

/** What any path may hold at once, its file, pixels, codecs and output together. */
export const CONVERSION_BYTES_MAX = 64 * MB;

/** The heap's own, and what comes and goes beside what is counted here. */
const OTHER_BYTES = 3 * MB;

/** What a picture is made into; all of its pixels at once is what logos are drawn of. */
export type Target = "png" | "jpg" | "webp" | "pixels";

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

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The most that a conversion holds at once, in bytes: the file, what its decoder keeps and what it
 * lets go with each row, and the encoder. Constants are measured; docs/decisions/pictures.md has them.
 */
export function conversionBytes(
  header: Pick<ImageHeader, "decodingBytes" | "hasAlpha">,
  { width, height }: Size,
  fileBytes: number,
  to: Target,
): number {
  const pixels = width * height;
  const { kept, fading } = header.decodingBytes(width, height, fileBytes);
  return OTHER_BYTES + fileBytes + writingBytes(to, pixels, kept, fading, header.hasAlpha);
}

function writingBytes(
  to: Target,
  pixels: number,
  kept: number,
  fading: number,
  hasAlpha: boolean,
): number {
  switch (to) {
    case "pixels":
      return kept + fading + 4 * pixels;
    case "jpg":
      return kept + fading + PART_BYTES;
    case "png": {
      const indexes = pixels <= PALETTE_PIXELS_MAX ? pixels : 0;
      // There are few indexes before much has faded.
      return kept + PNG_STRIPE_BYTES + PART_BYTES + Math.max(fading, indexes);
    }
    case "webp": {
      const own = (perPixel: number) =>
        Math.max(WEBP_BYTES_MIN, WEBP_OWN_BYTES + perPixel * pixels);
      const reading = kept + fading + own(WEBP_PIXEL_BYTES);
      // The plane, what it is off from its neighbours, and its stream; then the stream and the parts.
      const packing = hasAlpha ? own(WEBP_PIXEL_BYTES) + 3.1 * pixels : 0;
      const working = own(WEBP_WORK_BYTES) + (hasAlpha ? 1.1 * pixels + PART_BYTES : 0);
      return Math.max(reading, packing, working);
    }
  }
}
