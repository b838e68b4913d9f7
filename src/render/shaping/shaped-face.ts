import type { FontFace, ShapedRun, ShapeOptions } from "../../templates/text/font-face.ts";
import { type FaceMetadata, readFaceMetadata } from "./face-metadata.ts";

/** What a face asks of the instance that holds its file. */
interface FaceEngine {
  shape(key: string, text: string, options: ShapeOptions, before: string, after: string): ShapedRun;
  glyphOf(key: string, codePoint: number): number;
  advance(key: string, glyph: number): number;
  subset(key: string, glyphs: readonly number[]): Uint8Array;
}

/** A font file in the shaper's instance: for the layout of text, and for embedding in a PDF. */
export class ShapedFace implements FontFace {
  readonly key: string;
  readonly postScriptName: string;
  readonly unitsPerEm: number;
  readonly ascent: number;
  readonly descent: number;
  readonly underlinePosition: number;
  readonly underlineThickness: number;
  readonly strikeoutPosition: number;
  readonly strikeoutThickness: number;
  readonly capHeight: number;
  readonly bounds: FaceMetadata["bounds"];
  readonly italicAngle: number;
  readonly weight: number;
  readonly isSerif: boolean;
  readonly isFixedPitch: boolean;
  readonly isCff: boolean;
  readonly #engine: FaceEngine;
  readonly #glyphs = new Map<number, number>();
  readonly #advances = new Map<number, number>();

  constructor(key: string, file: Uint8Array, engine: FaceEngine) {
    const metadata = readFaceMetadata(file);
    this.key = key;
    this.postScriptName = metadata.postScriptName;
    this.unitsPerEm = metadata.unitsPerEm;
    this.ascent = metadata.ascent;
    this.descent = metadata.descent;
    this.underlinePosition = metadata.underlinePosition;
    this.underlineThickness = metadata.underlineThickness;
    this.strikeoutPosition = metadata.strikeoutPosition;
    this.strikeoutThickness = metadata.strikeoutThickness;
    this.capHeight = metadata.capHeight;
    this.bounds = metadata.bounds;
    this.italicAngle = metadata.italicAngle;
    this.weight = metadata.weight;
    this.isSerif = metadata.isSerif;
    this.isFixedPitch = metadata.isFixedPitch;
    this.isCff = metadata.isCff;
    this.#engine = engine;
  }

  has(codePoint: number): boolean {
    return this.glyphOf(codePoint) !== 0;
  }

  glyphOf(codePoint: number): number {
    let glyph = this.#glyphs.get(codePoint);
    if (glyph === undefined) {
      glyph = this.#engine.glyphOf(this.key, codePoint);
      this.#glyphs.set(codePoint, glyph);
    }
    return glyph;
  }

  advance(glyph: number): number {
    let advance = this.#advances.get(glyph);
    if (advance === undefined) {
      advance = this.#engine.advance(this.key, glyph);
      this.#advances.set(glyph, advance);
    }
    return advance;
  }

  shape(text: string, options: ShapeOptions, before = "", after = ""): ShapedRun {
    return this.#engine.shape(this.key, text, options, before, after);
  }

  /**
   * A font file with these glyphs, and those that they are made of, under the same numbers: an sfnt with `glyf` or `CFF `.
   * Equal sets give equal bytes, which must not be changed.
   */
  subset(glyphs: readonly number[]): Uint8Array {
    return this.#engine.subset(this.key, glyphs);
  }
}
