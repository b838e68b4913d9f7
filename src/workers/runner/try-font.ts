import { FontError } from "../../formats/font/font-error.ts";
import { invalidFont } from "../../formats/font/invalid-font.ts";
import type { FontMetadata } from "../../formats/font/font-metadata.ts";
import { HarfBuzzFont, type HarfBuzzModules } from "../../render/fonts/harfbuzz-font.ts";
import type { OutlineSink } from "../../render/fonts/outline-sink.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** Working memory of HarfBuzz besides the file. Real fonts, including those of 10 MB, take less than 1 MB. */
export const MEMORY_EXTRA_BYTES = 12 * 1024 * 1024;
/** Lines and curves of all glyphs. The structure check has the same budget, so this limit should never be reached. */
const SEGMENTS_MAX = LIMITS.outline_steps.value;
/** Glyphs between two pauses, which let other work in the isolate run. */
const SLICE_GLYPHS = 1_024;
/**
 * Real fonts take less than a second. This is the last resort: HarfBuzz limits each call, the structure check their
 * number.
 */
const TIME_MAX_MS = 20_000;
const LINE_CHARS = 64;
const LINES_MAX = 16;
/** A sample of common text; characters that the font lacks become its "missing" glyph. */
const SAMPLE = "Hamburgefonstiv 0123456789 AVA fi ffl (Typography), 50 %";

export interface FontTrial {
  readonly modules: HarfBuzzModules;
  readonly nowMs: () => number;
  /** Lets other work in the isolate run; on Cloudflare the clock advances only then. */
  readonly pause: () => Promise<void>;
}

/**
 * Performs every step of drawing text with a font once, in a disposable instance of HarfBuzz: opens the font, reads
 * every advance, draws every glyph and shapes lines of its own characters. `metadata` is the result of `inspectFont`
 * for the same bytes. Throws FontError FONT_INVALID if HarfBuzz stops, cannot draw, or sees another font than
 * `metadata` describes.
 */
export async function tryFont(
  bytes: Uint8Array,
  metadata: FontMetadata,
  trial: FontTrial,
): Promise<void> {
  try {
    const font = new HarfBuzzFont(trial.modules, bytes, bytes.byteLength + MEMORY_EXTRA_BYTES);
    if (font.unitsPerEm !== metadata.unitsPerEm) {
      throw disagrees(`${font.unitsPerEm} units per em`, `${metadata.unitsPerEm}`);
    }
    await drawAll(font, metadata, trial);
    shapeLines(font, metadata);
  } catch (error) {
    // A trap, exhausted memory or a stack overflow: the font caused it in each case.
    throw error instanceof FontError
      ? error
      : invalidFont("HarfBuzz, which sets text with it, stops at this font");
  }
}

async function drawAll(
  font: HarfBuzzFont,
  metadata: FontMetadata,
  trial: FontTrial,
): Promise<void> {
  const endMs = trial.nowMs() + TIME_MAX_MS;
  const sink = new CountingSink();
  for (let glyph = 0; glyph < metadata.glyphCount; glyph++) {
    if (glyph % SLICE_GLYPHS === SLICE_GLYPHS - 1) {
      await trial.pause();
      if (trial.nowMs() > endMs) {
        throw invalidFont("Drawing every glyph of the font once takes too long");
      }
    }
    font.advance(glyph);
    if (!font.draw(glyph, sink)) {
      throw invalidFont(`HarfBuzz cannot draw glyph ${glyph}`);
    }
  }
}

function shapeLines(font: HarfBuzzFont, metadata: FontMetadata): void {
  const { count, first } = font.characters(LINE_CHARS * LINES_MAX);
  if (count === 0) {
    throw disagrees("no characters", `${metadata.characterCount}`);
  }
  const lines: Uint32Array[] = [
    Uint32Array.from(SAMPLE, (character) => character.codePointAt(0) ?? 0),
  ];
  for (let at = 0; at < first.length; at += LINE_CHARS) {
    lines.push(first.subarray(at, at + LINE_CHARS));
  }
  for (const line of lines) {
    for (const { glyph } of font.shape(line)) {
      if (glyph >= metadata.glyphCount) {
        throw invalidFont(`Text set with the font leads to glyph ${glyph}, which it does not have`);
      }
    }
  }
}

function disagrees(seen: string, stated: string): FontError {
  return invalidFont(`HarfBuzz sees ${seen} in the font, and its tables state ${stated}`);
}

/** Counts segments and keeps none of them. */
class CountingSink implements OutlineSink {
  #left = SEGMENTS_MAX;

  moveTo(): void {
    this.#count();
  }

  lineTo(): void {
    this.#count();
  }

  quadraticTo(): void {
    this.#count();
  }

  cubicTo(): void {
    this.#count();
  }

  closePath(): void {
    this.#count();
  }

  #count(): void {
    if (--this.#left < 0) {
      throw invalidFont(
        `The outlines are too complex: they have more than ${SEGMENTS_MAX} lines and curves`,
      );
    }
  }
}
