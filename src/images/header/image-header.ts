/** A way to turn or mirror a picture, by the numbers of EXIF's Orientation (1 is as stored). */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** What is held while a picture's rows are read, in bytes. */
export interface DecodingBytes {
  /** Until the last row. */
  readonly kept: number;
  /** At the first row, and less with each. */
  readonly fading: number;
}

/** What a file says of its picture before any of it is decoded. */
export interface ImageHeader {
  readonly format: "png" | "jpeg" | "webp" | "gif" | "avif";
  /** Which of a format's kinds it is, as people call it. */
  readonly kind: string;
  /** As stored, before it is turned. */
  readonly width: number;
  readonly height: number;
  /** Whether any of its pixels may be transparent. */
  readonly hasAlpha: boolean;
  /** How the decoded pixels are turned, in this order. */
  readonly turns: readonly Orientation[];
  /** What decoding one like it of another size, and with a file of so many bytes, takes at most. */
  readonly decodingBytes: (width: number, height: number, fileBytes: number) => DecodingBytes;
}
