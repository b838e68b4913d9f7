import type { PictureFailure } from "../../../contracts/templates/layout-report.ts";
import type { FontReference } from "../../../contracts/files/font.ts";
import type { FontResolver } from "../../text/font-resolver.ts";

export type { PictureFailure };

/** What the layout must know of a picture that is ready to be written. */
export type PictureResource =
  | {
      readonly kind: "raster";
      /** The digest of its bytes, by which the writer finds it. */
      readonly key: string;
      /** In pixels, as shown: after EXIF's turn. */
      readonly width: number;
      readonly height: number;
    }
  | {
      readonly kind: "artwork";
      readonly key: string;
      /** Of its box; only their ratio counts. */
      readonly width: number;
      readonly height: number;
      /** The attribute of the outermost element; null without one. */
      readonly preserveAspectRatio: string | null;
      /** Names of families that its texts print without. */
      readonly substitutedFonts: readonly string[];
    }
  | { readonly kind: "failed"; readonly reason: PictureFailure };

/** What a layout takes from outside, all of it loaded before. */
export interface LayoutResources {
  readonly fonts: FontResolver;
  /** By source, as documents and values give it. A source that is missing here is `not_found`. */
  readonly pictures: ReadonlyMap<string, PictureResource>;
  /** By the source text of an `svg_artwork`. One that is missing here is `unreadable`. */
  readonly artworks: ReadonlyMap<string, PictureResource>;
}

/** What must be loaded before a layout. Each thing stands once, in order of first use. */
export interface NeededResources {
  readonly pictures: readonly string[];
  readonly artworks: readonly string[];
  /** Family names, fallbacks included. */
  readonly families: readonly string[];
  /** Files that documents name. */
  readonly fonts: readonly FontReference[];
}
