/** A way to turn or mirror a picture, by the numbers of EXIF's Orientation (1 is as stored). */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** What a file says of its picture before any of it is decoded. */
export interface ImageHeader {
  readonly format: "png" | "jpeg" | "webp" | "gif" | "avif";
  /** As stored, before it is turned. */
  readonly width: number;
  readonly height: number;
  /** More pixels than this would not fit into an isolate while they are decoded. */
  readonly pixelsMax: number;
  /** How the decoded pixels are turned, in this order. */
  readonly turns: readonly Orientation[];
}
