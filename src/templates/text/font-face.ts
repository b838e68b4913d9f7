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
  /** Centre of the underline above the baseline; negative in most fonts. */
  readonly underlinePosition: number;
  readonly underlineThickness: number;
  /** Centre of the strike-out line above the baseline. */
  readonly strikeoutPosition: number;
  readonly strikeoutThickness: number;
  /** Whether the face maps the code point to a glyph. */
  has(codePoint: number): boolean;
  /** The glyph of a code point by itself, 0 if there is none. */
  glyphOf(codePoint: number): number;
  advance(glyph: number): number;
  /** Shapes `text` as one run of one script, direction and language. The result is cached and must not be changed. */
  shape(text: string, options: ShapeOptions): ShapedRun;
}

export interface ShapeOptions {
  readonly isRightToLeft: boolean;
  /** ISO 15924, such as `Arab`. */
  readonly script: string;
  /** BCP 47; "" if it is not known. */
  readonly language: string;
  /** OpenType tags with their values, sorted by tag, over the font's default features. */
  readonly features: FontFeatures;
  /** Text around the run that decides how its letters join; at most a few characters of each count. */
  readonly before: string;
  readonly after: string;
}

export type FontFeatures = readonly (readonly [tag: string, value: number])[];

/** Glyphs of a run in visual order, from left to right. The arrays have one entry for each glyph. */
export interface ShapedRun {
  readonly glyphs: Uint16Array | Uint32Array;
  /** Index in `text` (UTF-16) of the first character of the cluster that the glyph belongs to. */
  readonly clusters: Uint32Array;
  readonly advances: Int32Array;
  readonly offsetsX: Int32Array;
  readonly offsetsY: Int32Array;
  /** 1 where a line break before the glyph's cluster changes the glyphs around it, so that they must be shaped again. */
  readonly unsafeToBreak: Uint8Array;
}
