import type { GlyphCluster, PlacedGlyph } from "../display-list.ts";
import { rgbOf } from "./decorations.ts";
import {
  ADVANCE,
  CLUSTER,
  GLYPH,
  GLYPH_WORDS,
  OFFSET_X,
  OFFSET_Y,
  type ShapedRun,
} from "./font-face.ts";
import type { FontResolver } from "./font-resolver.ts";
import type { LaidText } from "./laid-text.ts";
import { EPSILON } from "./lines.ts";
import { optionsOf, styleOf } from "./make-sections.ts";
import { baselineOf } from "./place-line.ts";
import type { TextParagraph, TextRun, TextSpec } from "./text-spec.ts";

/** Longer texts have more lines in most boxes. */
const LENGTH_MAX = 256;
const [SPACE, TILDE] = [0x20, 0x7e];
const LATIN = "Latn";
const COMMON = "Zyyy";

/** What the characters of ASCII are read as. */
const CLUSTERS: readonly GlyphCluster[] = Array.from({ length: TILDE + 1 }, (_, unit) => ({
  text: String.fromCharCode(unit),
}));
const NOTHING_MISSING: ReadonlyMap<number, number> = new Map();

/**
 * The layout of a text that is one line of printable ASCII without decorations, with a glyph for each character, in a box
 * that it fits into: most texts of tables and forms. Returns undefined for every other text, and what
 * `layOutParagraphs` returns for these, in a third of the time.
 */
export function layOutPlainLine(spec: TextSpec, fonts: FontResolver): LaidText | undefined {
  const [paragraph] = spec.paragraphs;
  const run = paragraph?.runs[0];
  if (run === undefined || paragraph === undefined || !isPlain(spec, paragraph, run)) {
    return undefined;
  }
  const { text, fontSize, charSpacing } = run;
  const style = styleOf(run, spec, fonts);
  const { first: face, substituted } = style.chain;
  let hasLetter = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < SPACE || unit > TILDE || !face.has(unit)) {
      return undefined;
    }
    hasLetter ||= (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
  }
  const shaped = face.shape(text, optionsOf(style, 0, hasLetter ? LATIN : COMMON));
  const available = spec.width - 2 * spec.padding;
  const width = widthOf(shaped, text, fontSize / face.unitsPerEm, charSpacing, available + EPSILON);
  const height = paragraph.lineHeight * fontSize;
  const contentHeight = height + 2 * spec.padding;
  if (width === undefined || available < 0 || (spec.fixedHeight && contentHeight > spec.height)) {
    return undefined;
  }
  const boxHeight = spec.fixedHeight ? spec.height : Math.max(spec.height, contentHeight);
  const top = spec.padding + (boxHeight - contentHeight) * shareAbove(spec);
  const baseline = top + baselineOf({ tallest: style, height }, 1);
  const unit = fontSize / face.unitsPerEm;
  const right = spec.width - spec.padding;
  const room = right - spec.padding - printedWidth(shaped, run, face.unitsPerEm);
  return {
    items: [
      {
        kind: "glyphs",
        face: face.key,
        size: fontSize,
        fill: { kind: "color", rgb: rgbOf(run.fill ?? "") },
        opacity: run.fillOpacity,
        x: spec.padding + room * shareLeft(paragraph),
        y: baseline - run.baselineShift,
        ...glyphsOf(shaped, text, unit, charSpacing),
        isRightToLeft: false,
        ...(charSpacing !== 0 && { charSpacing }),
      },
    ],
    height: boxHeight,
    contentHeight,
    contentWidth: Math.max(0, width) + 2 * spec.padding,
    outcome: "printed",
    isForbidden: false,
    fontSize: spec.fontSize,
    authoredFontSize: spec.fontSize,
    smallestFontSize: fontSize,
    lines: 1,
    linesCut: 0,
    characters: text.length,
    charactersPrinted: text.length,
    charactersCut: 0,
    missingGlyphs: NOTHING_MISSING,
    substitutedFonts: substituted === undefined ? [] : [substituted],
    linkAreas: [],
  };
}

function isPlain(spec: TextSpec, paragraph: TextParagraph, run: TextRun): boolean {
  const { length } = run.text;
  return (
    spec.paragraphs.length === 1 &&
    paragraph.runs.length === 1 &&
    length > 0 &&
    length <= LENGTH_MAX &&
    // Spaces at the end hang.
    run.text.charCodeAt(length - 1) !== SPACE &&
    paragraph.direction !== "rtl" &&
    spec.textTransform === "none" &&
    (spec.maxLines ?? 1) >= 1 &&
    run.fontSize > 0 &&
    run.fill !== null &&
    run.link === undefined &&
    !run.underline &&
    !run.strikethrough
  );
}

/**
 * The width of the line; undefined if a character is beyond `max`, has no glyph of its own, or has the glyph of missing
 * characters.
 */
function widthOf(
  { length, records }: ShapedRun,
  text: string,
  unit: number,
  charSpacing: number,
  max: number,
): number | undefined {
  if (length !== text.length) {
    return undefined;
  }
  let x = 0;
  for (let at = 0; at < length; at++) {
    const record = at * GLYPH_WORDS;
    if (records[record + CLUSTER] !== at || records[record + GLYPH] === 0) {
      return undefined;
    }
    x += (records[record + ADVANCE] ?? 0) * unit + charSpacing;
    if (x > max && text.charCodeAt(at) !== SPACE) {
      return undefined;
    }
  }
  return x;
}

/** The same width, summed as lines are placed. */
function printedWidth({ length, records }: ShapedRun, run: TextRun, unitsPerEm: number): number {
  let units = 0;
  for (let at = ADVANCE; at < records.length; at += GLYPH_WORDS) {
    units += records[at] ?? 0;
  }
  return (units * run.fontSize) / unitsPerEm + length * run.charSpacing;
}

function glyphsOf(
  { length, records }: ShapedRun,
  text: string,
  unit: number,
  charSpacing: number,
): { readonly glyphs: PlacedGlyph[]; readonly clusters: GlyphCluster[] } {
  const glyphs: PlacedGlyph[] = [];
  const clusters: GlyphCluster[] = [];
  let pen = 0;
  for (let at = 0; at < length; at++) {
    const record = at * GLYPH_WORDS;
    glyphs.push({
      glyph: records[record + GLYPH] ?? 0,
      x: pen + (records[record + OFFSET_X] ?? 0) * unit,
      // From 0, so that none is -0.
      y: 0 - (records[record + OFFSET_Y] ?? 0) * unit,
      cluster: at,
    });
    clusters.push(CLUSTERS[text.charCodeAt(at)] ?? { text: "" });
    pen += (records[record + ADVANCE] ?? 0) * unit + charSpacing;
  }
  return { glyphs, clusters };
}

/** How much of the free height is above the line. */
function shareAbove({ verticalAlign }: TextSpec): number {
  return verticalAlign === "top" ? 0 : verticalAlign === "middle" ? 0.5 : 1;
}

/** How much of the free width is left of the line, which is the last of its paragraph and from left to right. */
function shareLeft({ textAlign }: TextParagraph): number {
  switch (textAlign) {
    case "start":
    case "left":
    case "justify":
      return 0;
    case "center":
      return 0.5;
    case "right":
    case "end":
      return 1;
  }
}
