/**
 * HarfBuzz in another build than the service's: another version (14.0.0 beside 15.0.0), compiled with other options, behind the
 * code of its own package.
 */
import { createRequire } from "node:module";
import type { FontFeatures } from "../../../../src/templates/text/font-face.ts";
import type { GlyphRow } from "./shaped-texts.ts";

interface Owned {
  destroy(): void;
}

interface Buffer extends Owned {
  addText(text: string): void;
  setDirection(direction: "ltr" | "rtl"): void;
  setScript(script: string): void;
  setLanguage(language: string): void;
  setFlags(flags: readonly string[]): void;
  getGlyphInfosAndPositions(): {
    codepoint: number;
    cluster: number;
    x_advance: number;
    x_offset: number;
    y_offset: number;
  }[];
}

/** What is used of its package, which has no types. */
interface HarfBuzz {
  createBlob(file: ArrayBuffer): Owned;
  createFace(blob: Owned, index: number): Owned;
  createFont(face: Owned): Owned;
  createBuffer(): Buffer;
  /** Features as `kern=0,liga=1`; empty for the default ones. */
  shape(font: Owned, buffer: Buffer, features: string): void;
}

const require = createRequire(import.meta.url);
// A promise; `import` of it would wrap it.
const harfBuzz = await (require("harfbuzz-judge") as Promise<HarfBuzz>);

export interface JudgedRun {
  readonly isRightToLeft: boolean;
  readonly script: string;
  /** Empty for none. */
  readonly language: string;
  readonly features: FontFeatures;
}

/** Shapes with a font file until it is closed. */
export class SecondFont {
  readonly #blob;
  readonly #face;
  readonly #font;

  constructor(file: Uint8Array) {
    this.#blob = harfBuzz.createBlob(file.slice().buffer);
    this.#face = harfBuzz.createFace(this.#blob, 0);
    this.#font = harfBuzz.createFont(this.#face);
  }

  shape(text: string, { isRightToLeft, script, language, features }: JudgedRun): GlyphRow[] {
    const buffer = harfBuzz.createBuffer();
    try {
      buffer.addText(text);
      buffer.setDirection(isRightToLeft ? "rtl" : "ltr");
      buffer.setScript(script);
      if (language !== "") {
        buffer.setLanguage(language);
      }
      buffer.setFlags(["REMOVE_DEFAULT_IGNORABLES"]);
      harfBuzz.shape(this.#font, buffer, features.map(([tag, value]) => `${tag}=${value}`).join());
      return buffer
        .getGlyphInfosAndPositions()
        .map(({ codepoint: glyph, cluster, x_advance, x_offset, y_offset }): GlyphRow => {
          return [glyph, cluster, x_advance, x_offset, y_offset];
        });
    } finally {
      buffer.destroy();
    }
  }

  close(): void {
    this.#font.destroy();
    this.#face.destroy();
    this.#blob.destroy();
  }
}
