/**
 * How many pixels are decoded, by format. An isolate has 128 MB for everything; what a codec holds
 * was measured (its memory and the 4 bytes a pixel that it hands over): sequential JPEG 8 bytes a
 * pixel, progressive 14, PNG 8, WebP 8, lossless 12, AVIF 23 to 37, GIF 6. The largest comes to some 110 MiB.
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
