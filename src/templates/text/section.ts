import type { FontChain } from "./font-resolver.ts";
import type { FontFace, ShapedRun, ShapeOptions } from "./font-face.ts";
import type { TextParagraph, TextRun } from "./text-spec.ts";

/** A run of text with the fonts that it asked for. */
export interface Style {
  readonly run: TextRun;
  readonly chain: FontChain;
  readonly language: string;
  readonly features: ShapeOptions["features"];
}

/** What is shaped at once: one style, face, script and level. */
export interface Item {
  /** In the section's text, UTF-16. */
  readonly start: number;
  readonly end: number;
  readonly style: Style;
  readonly level: number;
  readonly face: FontFace;
  readonly options: ShapeOptions;
  readonly isTab: boolean;
  /** Undefined for a tab and for what ends a line, which have no glyphs. */
  readonly shaped: ShapedRun | undefined;
}

/**
 * A paragraph of UAX 9: text up to a line feed, which belongs to it. Everything is measured for the authored size. The
 * arrays have an entry for each UTF-16 unit of the text.
 */
export interface Section {
  readonly paragraph: TextParagraph;
  /** Whether it begins or ends the paragraph that the document states. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly text: string;
  readonly baseLevel: number;
  readonly items: readonly Item[];
  /** Number of the item of each unit. */
  readonly itemOf: Uint32Array;
  readonly breaks: Uint8Array;
  /** 1 where a grapheme cluster begins. */
  readonly graphemes: Uint8Array;
  /** In points without spacing, at the first unit of each shaped cluster. */
  readonly advances: Float64Array;
  /** 1 at the first unit of each shaped cluster. */
  readonly clusters: Uint8Array;
  /** 1 where glyphs change if the line breaks before the unit. */
  readonly unsafe: Uint8Array;
  /** The style of an empty section's line. */
  readonly style: Style;
}
