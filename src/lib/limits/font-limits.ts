import type { Limits } from "./limit.ts";

const MB = 1024 * 1024;

/** Fonts: a part of the table of limits. */
export const FONT_LIMITS = {
  font_file: {
    name: "Font file",
    value: 20 * MB,
    unit: "bytes",
    reason: "A font is held in memory while its glyphs are checked one by one.",
  },
  font_family: {
    name: "Font family, all files",
    value: 60 * MB,
    unit: "bytes",
    reason: "A revision is uploaded whole, in one request.",
  },
  font_files: {
    name: "Files of a font family",
    value: 50,
    unit: "count",
    reason: "Nine weights in two styles are 18 files.",
  },
  font_tables: {
    name: "Tables of a font file",
    value: 64,
    unit: "count",
    reason: "Fonts with every registered table have fewer.",
  },
  font_names: {
    name: "Names in the `name` table",
    value: 10_000,
    unit: "count",
    reason: "Fonts in use have a few hundred.",
  },
  font_name: {
    name: "Family name in a font file",
    value: 200,
    unit: "characters",
    reason: "Lists show names whole.",
  },
  font_character_maps: {
    name: "Character maps of a font",
    value: 64,
    unit: "count",
    reason: "Fonts in use have up to six.",
  },
  glyph_depth: {
    name: "Nesting of composite glyphs",
    value: 16,
    unit: "count",
    reason: "Fonts in use nest accents two or three deep.",
  },
  glyph_parts: {
    name: "Parts of one glyph",
    value: 1_000,
    unit: "count",
    reason: "HarfBuzz draws glyphs of up to 1,024 parts.",
  },
  glyph_points: {
    name: "Points of one glyph",
    value: 100_000,
    unit: "count",
    reason: "HarfBuzz draws glyphs of up to 200,000 points.",
  },
  charstring_steps: {
    name: "Numbers and operators of a CFF glyph",
    value: 10_000,
    unit: "count",
    reason: "HarfBuzz stops at the same number.",
  },
  outline_steps: {
    name: "Steps of drawing every glyph of a font once",
    value: 60_000_000,
    unit: "count",
    reason:
      "The largest fonts in use (65,535 glyphs of Chinese, Japanese and Korean) take about 20 million; a file of 200 KB could ask for 650 million.",
  },
} as const satisfies Limits;
