import type { FontReference } from "../../contracts/files/font.ts";

/** A text element that is about to be laid out: all defaults filled, all values in place. Lengths are in points. */
export interface TextSpec {
  readonly width: number;
  readonly height: number;
  readonly padding: number;
  readonly verticalAlign: "top" | "middle" | "bottom";
  /** False: the box grows to the height of its lines. */
  readonly fixedHeight: boolean;
  readonly overflowMode: OverflowMode;
  readonly overflowPolicy: OverflowPolicy;
  /** The element's own size. Shrinking changes it, and the sizes of all runs in proportion. */
  readonly fontSize: number;
  readonly minFontSize: number;
  readonly maxLines: number | undefined;
  /** BCP 47; "" if not stated. */
  readonly language: string;
  readonly textTransform: "none" | "uppercase" | "lowercase";
  /** OpenType tags and their values. */
  readonly features: Readonly<Record<string, number>>;
  readonly fallbackFonts: readonly string[];
  /** At least one; a plain text is one paragraph of one run. */
  readonly paragraphs: readonly TextParagraph[];
}

export type OverflowMode = "clip" | "visible" | "ellipsis" | "shrink" | "fail";
/** Of a render; `template` obeys the document. */
export type OverflowPolicy = "template" | "fail" | "fit" | "clip";
export type TextAlign = "start" | "left" | "center" | "right" | "justify" | "end";
export type TextDirection = "auto" | "ltr" | "rtl";

/** Line feeds in its runs break lines, too. */
export interface TextParagraph {
  readonly textAlign: TextAlign;
  /** Times the line's largest size. */
  readonly lineHeight: number;
  /** Not above the first paragraph. */
  readonly spaceBefore: number;
  /** Not below the last paragraph. */
  readonly spaceAfter: number;
  readonly direction: TextDirection;
  /** At least one. */
  readonly runs: readonly TextRun[];
}

export interface TextRun {
  readonly text: string;
  readonly fontFamily: string;
  readonly font: FontReference | undefined;
  readonly fontSize: number;
  readonly fontWeight: number;
  readonly fontStyle: "normal" | "italic";
  /** `#RRGGBB`; null prints nothing. */
  readonly fill: string | null;
  readonly fillOpacity: number;
  /** Added after each cluster. */
  readonly charSpacing: number;
  readonly underline: boolean;
  readonly strikethrough: boolean;
  /** Upwards. */
  readonly baselineShift: number;
  /** Index of the link among those that the caller knows; undefined if the run has none. */
  readonly link: number | undefined;
}
