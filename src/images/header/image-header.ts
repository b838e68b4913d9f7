/** Rotation or mirroring of a picture, as numbered by EXIF's Orientation (1 is as stored). */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Memory held while a picture's rows are read, in bytes. */
export interface DecodingBytes {
  /** Held until the last row. */
  readonly kept: number;
  /** Held at the first row, and decreasing with each row. */
  readonly fading: number;
}

/** An ICC profile, as it lies in a file; without pieces if it is known to be damaged or too large. */
export interface EmbeddedProfile {
  readonly pieces: readonly Uint8Array[];
  /** The pieces are one zlib stream. */
  readonly isDeflated: boolean;
}

/** What the samples of a picture mean. */
export interface PictureColors {
  /** 1 for gray, 3 for color, 4 for CMYK. */
  readonly channels: number;
  /** CMYK is stored inverted: 255 means without ink. */
  readonly isInverted: boolean;
  readonly profile: EmbeddedProfile | undefined;
}

/** The properties of a picture in its file's header, without decoding. */
export interface ImageHeader {
  readonly format: "png" | "jpeg" | "webp" | "gif" | "avif";
  /** The variant of the format, in common terms. */
  readonly kind: string;
  /** As stored, before rotation. */
  readonly width: number;
  readonly height: number;
  /** Whether any of its pixels may be transparent. */
  readonly hasAlpha: boolean;
  /** Rotations and mirrorings of the decoded pixels, in order. */
  readonly turns: readonly Orientation[];
  /** Undefined if the samples are sRGB, or gray with its curve. */
  readonly colors: PictureColors | undefined;
  /** Maximum memory for decoding such a picture of another size, from a file of that many bytes. */
  readonly decodingBytes: (width: number, height: number, fileBytes: number) => DecodingBytes;
}
