import type { Box, DisplayItem } from "../display-list.ts";

/**
 * A text laid out in its box, whose top left is the origin. Accounts for every character (code points after
 * `textTransform`): `characters` = `charactersPrinted` + `charactersCut`, always.
 */
export interface LaidText {
  /** Glyphs and decorations from back to front. */
  readonly items: readonly DisplayItem[];
  /** The box's height: that of the spec, or more where the box grows. */
  readonly height: number;
  /** Height of the printed lines with the padding. */
  readonly contentHeight: number;
  readonly outcome: TextOutcome;
  /** Whether the overflow mode or policy forbids what happened. */
  readonly isForbidden: boolean;
  /** The element's size, as printed and as authored. */
  readonly fontSize: number;
  readonly authoredFontSize: number;
  /** Largest line width without hanging spaces, for boxes that fit their text. */
  readonly contentWidth: number;
  /** Smallest printed size; the authored one if nothing is printed. */
  readonly smallestFontSize: number;
  /** All lines, cut ones too. */
  readonly lines: number;
  readonly linesCut: number;
  readonly characters: number;
  readonly charactersPrinted: number;
  readonly charactersCut: number;
  /** Printed characters that no font has, by code point. */
  readonly missingGlyphs: ReadonlyMap<number, number>;
  /** Names of fonts that were asked for and not found, each once. */
  readonly substitutedFonts: readonly string[];
  /** Where runs with a link were printed, one box for each piece of a line. */
  readonly linkAreas: readonly LinkArea[];
}

/** `cut` wins over `overflowed`, that over `shrunk`. */
export type TextOutcome = "printed" | "shrunk" | "cut" | "overflowed";

export interface LinkArea {
  /** The `link` of the run. */
  readonly link: number;
  readonly box: Box;
}
