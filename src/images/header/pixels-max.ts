/**
 * How many pixels are decoded, by format. An isolate has 128 MB for everything; what a codec holds
 * was measured (its memory and the 4 bytes a pixel that it hands over): sequential JPEG 8 bytes a
 * pixel, progressive 12, PNG 14, WebP 14, AVIF 23 to 37, GIF 5. The largest comes to some 110 MiB.
 */
export const PIXELS_MAX = {
  /** A photograph of 12 megapixels. */
  jpeg: 4_096 * 3_072,
  progressiveJpeg: 3_840 * 2_160,
  /** A screen of 4K. */
  png: 3_840 * 2_160,
  webp: 3_840 * 2_160,
  gif: 3_840 * 2_160,
  avif: 2_048 * 2_048,
} as const;
