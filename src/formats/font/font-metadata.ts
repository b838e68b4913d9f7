/** Metadata of a font that passed all checks. */
export interface FontMetadata {
  /** Typographic family (name 16, else 1), as in "Noto Sans". */
  readonly family: string;
  /** Typographic subfamily (name 17, else 2), as in "Bold Italic". */
  readonly subfamily: string;
  readonly fullName: string;
  readonly postScriptName: string;
  /** 1 to 1000, as CSS counts; 400 is regular. */
  readonly weight: number;
  readonly style: "normal" | "italic";
  /** Weight, with "-italic" where it is: "400", "700-italic" (docs/contract/fonts.md#refusals). */
  readonly variant: string;
  /** By its outlines: TrueType or CFF. */
  readonly format: "ttf" | "otf";
  readonly unitsPerEm: number;
  readonly glyphCount: number;
  /** Number of characters that its preferred Unicode map assigns to a glyph. */
  readonly characterCount: number;
}
