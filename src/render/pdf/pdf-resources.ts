import type { DeflatedBytes } from "./object-writer.ts";
import type { DisplayItem } from "../../templates/display-list.ts";
import type { PreparedPicture } from "./pictures/prepared-picture.ts";

/** What the PDF writer takes from outside, by the keys that a display list has. */
export interface PdfResources {
  /** The face with this key. Throws if the layout used a face that is not there. */
  face(key: string): PdfFace;
  /** A picture as `preparePicture` returns it; asked for once, when the first page that shows it is written. */
  picture(key: string): Promise<PreparedPicture> | PreparedPicture;
  /** The bytes of a picture that was asked for have been read from the writer, or are not needed. */
  endPicture?(key: string): Promise<void> | void;
  /** A drawing as `readArtwork` returns it. */
  artwork(key: string): Promise<PdfArtwork> | PdfArtwork;
}

/** A font as the PDF describes it. Lengths are in font units, y goes up. */
export interface PdfFace {
  /** The `name` table's entry 6; other characters than those of a PostScript name are left out. */
  readonly postScriptName: string;
  readonly unitsPerEm: number;
  readonly ascent: number;
  /** Below the baseline, as a positive number. */
  readonly descent: number;
  readonly capHeight: number;
  /** `[xMin, yMin, xMax, yMax]` of the `head` table. */
  readonly bounds: readonly [number, number, number, number];
  /** In degrees, counterclockwise; 0 for upright faces. */
  readonly italicAngle: number;
  readonly weight: number;
  readonly isSerif: boolean;
  readonly isFixedPitch: boolean;
  /** Whether its outlines are in `CFF `, not in `glyf`. */
  readonly isCff: boolean;
  advance(glyph: number): number;
  /**
   * A font file with these glyphs (and those that they are made of) under the same numbers: an sfnt
   * with `glyf`, or with `CFF `. Equal sets give equal bytes, which must not be changed: the same array while the face
   * keeps it.
   */
  subset(glyphs: readonly number[]): Uint8Array;
}

/** A drawing as vectors. Its items are in the coordinates of its box. */
export interface PdfArtwork {
  readonly width: number;
  readonly height: number;
  readonly items: readonly DisplayItem[];
}

export interface PdfMetadata {
  readonly title: string;
  readonly author: string;
  readonly subject: string;
  readonly keywords: readonly string[];
}

export interface PdfOptions {
  readonly metadata: PdfMetadata;
  /** What XMP says about the origin. */
  readonly origin: {
    readonly template: string;
    /** Null for a draft, which XMP names as `draft`. */
    readonly revision: number | null;
    /** `sha256:` and 64 hex digits. */
    readonly contentHash: string;
  };
  /** At least 16 bytes of a digest of the content and the values: the file's `/ID`. */
  readonly id: Uint8Array;
  readonly mode: PdfMode;
}

export type PdfMode = { readonly kind: "standard" } | PdfX4Mode;

/** An ICC profile of class `prtr`, as it stands in files (`packProfile`). */
export interface PackedProfile {
  /** The color space in its header. */
  readonly space: "CMYK" | "RGB " | "GRAY";
  readonly packed: DeflatedBytes;
}

export interface PdfX4Mode {
  readonly kind: "pdfx4";
  readonly profile: PackedProfile;
  readonly profileName: string;
  readonly outputConditionIdentifier: string;
  /** When the revision was published, or the draft last changed; to the second. */
  readonly date: Date;
}
