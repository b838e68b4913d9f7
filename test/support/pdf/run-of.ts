import type { ShapedFace } from "../../../src/render/shaping/shaped-face.ts";
import type { DisplayGlyphs } from "../../../src/templates/display-list.ts";
import {
  ADVANCE,
  CLUSTER,
  GLYPH,
  GLYPH_WORDS,
  OFFSET_X,
  OFFSET_Y,
  shapeOptions,
} from "../../../src/templates/text/font-face.ts";

/** One run of one script as the layout hands it over, on a baseline. */
export function runOf(
  face: ShapedFace,
  text: string,
  [x, y]: readonly [number, number],
  { size = 12, script = "Latn", isRightToLeft = false } = {},
): DisplayGlyphs {
  const options = shapeOptions({ isRightToLeft, script, language: "", features: [] });
  const { length, records } = face.shape(text, options);
  const word = (i: number, offset: number): number => records[i * GLYPH_WORDS + offset] ?? 0;
  const indexes = Array.from({ length }, (_, i) => i);
  const starts = [...new Set(indexes.map((i) => word(i, CLUSTER)))].toSorted((a, b) => a - b);
  const scale = size / face.unitsPerEm;
  let pen = 0;
  return {
    kind: "glyphs",
    face: face.key,
    size,
    fill: { kind: "color", rgb: [0, 0, 0] },
    opacity: 1,
    x,
    y,
    glyphs: indexes.map((i) => {
      const glyph = {
        glyph: word(i, GLYPH),
        x: (pen + word(i, OFFSET_X)) * scale,
        y: -word(i, OFFSET_Y) * scale,
        cluster: starts.indexOf(word(i, CLUSTER)),
      };
      pen += word(i, ADVANCE);
      return glyph;
    }),
    clusters: starts.map((start, i) => ({ text: text.slice(start, starts[i + 1]) })),
    isRightToLeft,
  };
}
