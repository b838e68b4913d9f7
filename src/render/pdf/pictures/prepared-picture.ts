import type { Orientation } from "../../../images/header/image-header.ts";

/** A picture's properties that the layout and the writer need, from its header. */
export interface PictureFacts {
  readonly format: "jpeg" | "png" | "gif" | "webp";
  /** In pixels, as shown: after EXIF's turn. */
  readonly width: number;
  readonly height: number;
  /** How the stored pixels are turned to be shown. */
  readonly orientation: Orientation;
}

/** A picture as the PDF holds it: pixels that are compressed already, often the file's own. */
export interface PreparedPicture {
  readonly facts: PictureFacts;
  readonly pixels: PixelStream;
  /** The pixels' opacity, as gray; null if all are opaque. */
  readonly alpha: PixelStream | null;
}

/** The data of an image object (ISO 32000-1 §8.9.5). */
export interface PixelStream {
  /** As stored, before EXIF's turn. */
  readonly width: number;
  readonly height: number;
  readonly color:
    | {
        readonly kind: "gray" | "rgb" | "cmyk";
        /** An ICC profile of gray or RGB that says what the samples mean; without one they are those of the device. */
        readonly profile?: Uint8Array;
      }
    /** RGB, 3 bytes for each color. */
    | { readonly kind: "palette"; readonly colors: Uint8Array };
  readonly bits: 1 | 2 | 4 | 8 | 16;
  /** `flate`: zlib over plain rows; `png`: over rows with PNG's filters. */
  readonly encoding: "jpeg" | "flate" | "png";
  /** CMYK as Adobe's JPEG files have it: 0 is full ink. */
  readonly isInverted: boolean;
  /** The one gray or color that is transparent, by component. */
  readonly clearColor: readonly number[] | null;
  readonly data: readonly Uint8Array[];
}
