/** One font file, as the layout of text needs it. Lengths are in font units; y goes up. */
export interface FontFace {
  /** SHA-256 of the file in hexadecimal; the key of the face in a display list. */
  readonly key: string;
  readonly postScriptName: string;
  readonly unitsPerEm: number;
  /** Of `hhea`, or of the typographic metrics of `OS/2` if bit 7 of its `fsSelection` is set. */
  readonly ascent: number;
  /** Below the baseline, as a positive number; from the same table as `ascent`. */
  readonly descent: number;
  /** Center of the underline above the baseline; negative in most fonts. */
  readonly underlinePosition: number;
  readonly underlineThickness: number;
  /** Center of the strike-out line above the baseline. */
  readonly strikeoutPosition: number;
  readonly strikeoutThickness: number;
  /** Whether the face maps the code point to a glyph. */
  has(codePoint: number): boolean;
  /** The glyph of a code point by itself, 0 if there is none. */
  glyphOf(codePoint: number): number;
  advance(glyph: number): number;
  /**
   * Shapes `text` as one run of one script, direction and language. `before` and `after` are the few characters around it
   * that decide how its letters join. The result is cached and must not be changed.
   */
  shape(text: string, options: ShapeOptions, before?: string, after?: string): ShapedRun;
}

/** Made by `shapeOptions`, once for all runs that share them. */
export interface ShapeOptions {
  readonly isRightToLeft: boolean;
  /** ISO 15924, such as `Arab`. */
  readonly script: string;
  /** BCP 47; "" if it is not known. */
  readonly language: string;
  /** OpenType tags with their values, sorted by tag, over the font's default features. */
  readonly features: FontFeatures;
  /** The same for equal options, for caches. */
  readonly key: string;
}

export type FontFeatures = readonly (readonly [tag: string, value: number])[];

export function shapeOptions(options: Omit<ShapeOptions, "key">): ShapeOptions {
  const { isRightToLeft, script, language, features } = options;
  const key = `${isRightToLeft ? "R" : "L"}${script}${language} ${features.flat().join()}`;
  return { ...options, key };
}

/** Glyphs of a run in visual order, from left to right. */
export interface ShapedRun {
  readonly length: number;
  /** `GLYPH_WORDS` numbers for each glyph, at the offsets below. */
  readonly records: Int32Array;
}

export const GLYPH_WORDS = 6;
export const GLYPH = 0;
/** Index in `text` (UTF-16) of the first character of the cluster that the glyph belongs to. */
export const CLUSTER = 1;
export const ADVANCE = 2;
export const OFFSET_X = 3;
export const OFFSET_Y = 4;
/** 1 if a line break before the glyph's cluster changes glyphs around it, so that they must be shaped again. */
export const UNSAFE_TO_BREAK = 5;
