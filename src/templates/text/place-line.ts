import type { DisplayGlyphs, DisplayItem, GlyphCluster, PlacedGlyph } from "../display-list.ts";
import {
  ADVANCE,
  CLUSTER,
  type FontFace,
  GLYPH,
  GLYPH_WORDS,
  OFFSET_X,
  OFFSET_Y,
  type ShapedRun,
} from "./font-face.ts";
import { Decorations, rgbOf } from "./decorations.ts";
import type { LinkArea } from "./laid-text.ts";
import { EPSILON, hyphenOf, type Line, piecesOf, tabWidth } from "./lines.ts";
import { isIgnorable } from "./make-sections.ts";
import type { Item, Section } from "./section.ts";
import { visualOrder } from "./visual-order.ts";

/** What printing a line adds to. */
export interface Print {
  readonly items: DisplayItem[];
  readonly missing: Map<number, number>;
  readonly links: LinkArea[];
}

/** Where a line is: the left and right edges of the box without its padding, and the line's top. */
export interface LinePlace {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly scale: number;
  /** Ends the line in place of what follows; undefined if nothing does. */
  readonly ellipsis: Ellipsis | undefined;
}

export interface Ellipsis {
  readonly item: Item;
  readonly run: ShapedRun;
  readonly width: number;
}

/** Something that is printed in one go, in visual order within itself. */
interface Part {
  readonly item: Item;
  readonly level: number;
  readonly run: ShapedRun;
  readonly firstGlyph: number;
  readonly endGlyph: number;
  /** The text of the cluster that begins at an index of the run; undefined outside a section's text. */
  readonly textOf: (cluster: number, next: number) => string;
  /** The part's first character and the one after its last, as indices of the run's text. */
  readonly startCluster: number;
  readonly endCluster: number;
  /** Position in the section of the run's cluster 0. */
  readonly origin: number;
  readonly isHanging: boolean;
  readonly hasOwnText: boolean;
}

/** The baseline below the line's top. */
export function baselineOf(
  { tallest, height }: Pick<Line, "tallest" | "height">,
  scale: number,
): number {
  const { first } = tallest.chain;
  const unit = (tallest.run.fontSize * scale) / first.unitsPerEm;
  return (height - (first.ascent + first.descent) * unit) / 2 + first.ascent * unit;
}

/**
 * Prints a line up to `line.end`: placed in visual order, and written in the order of the text, in which readers of the
 * PDF find it.
 */
export function placeLine(line: Line, place: LinePlace, print: Print): void {
  const { section } = line;
  const { scale } = place;
  const parts = partsOf(line, place);
  const widths = new Map<Part, number>();
  let logical = 0;
  let hanging = 0;
  // Tabs are measured from the line's start, in the order of the text.
  for (const part of parts) {
    const width = part.item.isTab ? tabWidth(part.item, logical, scale) : partWidth(part, scale);
    widths.set(part, width);
    logical += width;
    hanging += part.isHanging ? width : 0;
  }
  const isRightToLeft = section.baseLevel % 2 === 1;
  const visible = logical - hanging;
  const room = place.right - place.left - visible;
  const gap = gapOf(line, room, place.ellipsis !== undefined);
  const spaces = gap === 0 ? 0 : spacesIn(section, line.start, line.visibleEnd);
  const shift = (room - gap * spaces) * shareOf(line);
  let x = place.left + shift - (isRightToLeft ? hanging : 0);
  const baseline = place.top + baselineOf(line, scale);
  const decorations = new Decorations();
  const places = new Map<Part, PartPlace>();
  for (const part of visualOrder(parts, ({ level }) => level)) {
    const width = (widths.get(part) ?? 0) + (gap === 0 ? 0 : gap * spacesOf(part, line));
    const at = { line, x, baseline, scale, gap, width };
    places.set(part, at);
    decorate(part, at, decorations);
    x += width;
  }
  for (const part of parts) {
    const at = places.get(part);
    if (at !== undefined) {
      printPart(part, at, print);
    }
  }
  decorations.addTo(print.items);
}

/** The parts of a line in the order of the text. Spaces that hang have the paragraph's level (UAX 9, L1). */
function partsOf(line: Line, { ellipsis }: LinePlace): Part[] {
  const { section, start, end, visibleEnd } = line;
  const { baseLevel } = section;
  const parts: Part[] = [];
  const add = (from: number, to: number, isHanging: boolean) => {
    for (const piece of piecesOf(section, from, to)) {
      const { item, run, firstGlyph, endGlyph, origin } = piece;
      parts.push({
        item,
        level: isHanging || item.isTab ? baseLevel : item.level,
        run,
        firstGlyph,
        endGlyph,
        textOf: (cluster, next) => section.text.slice(origin + cluster, origin + next),
        startCluster: piece.start - origin,
        // A soft hyphen that shows has a glyph of its own.
        endCluster: piece.end - origin - (line.hasHyphen && piece.end === line.end ? 1 : 0),
        origin,
        isHanging,
        hasOwnText: true,
      });
    }
  };
  add(start, visibleEnd, false);
  const last = section.items[section.itemOf[Math.max(start, visibleEnd - 1)] ?? 0];
  if (line.hasHyphen && last !== undefined) {
    parts.push(
      loosePart(last, last.face.shape(hyphenOf(last), last.options), last.level, "\u00ad"),
    );
  }
  if (ellipsis !== undefined) {
    parts.push(loosePart(ellipsis.item, ellipsis.run, baseLevel, "…"));
  }
  add(visibleEnd, end, true);
  return parts;
}

/** Something that the text does not have at this place. */
function loosePart(item: Item, run: ShapedRun, level: number, text: string): Part {
  return {
    item,
    level,
    run,
    firstGlyph: 0,
    endGlyph: run.length,
    textOf: () => text,
    startCluster: 0,
    endCluster: 1,
    origin: 0,
    isHanging: false,
    hasOwnText: false,
  };
}

function partWidth({ item, run, firstGlyph, endGlyph }: Part, scale: number): number {
  let [units, clusters, last] = [0, 0, -1];
  for (let glyph = firstGlyph; glyph < endGlyph; glyph++) {
    const cluster = run.records[glyph * GLYPH_WORDS + CLUSTER] ?? 0;
    units += run.records[glyph * GLYPH_WORDS + ADVANCE] ?? 0;
    clusters += cluster === last ? 0 : 1;
    last = cluster;
  }
  const { fontSize, charSpacing } = item.style.run;
  return (units * fontSize * scale) / item.face.unitsPerEm + clusters * charSpacing;
}

/** How much of the free room is left of the line. */
function shareOf({ section }: Line): number {
  const isRightToLeft = section.baseLevel % 2 === 1;
  switch (section.paragraph.textAlign) {
    case "left":
      return 0;
    case "right":
      return 1;
    case "center":
      return 0.5;
    case "end":
      return isRightToLeft ? 0 : 1;
    default:
      return isRightToLeft ? 1 : 0;
  }
}

/** What is added to each space of a justified line. */
function gapOf(line: Line, room: number, isCut: boolean): number {
  const { section, isForced, start, visibleEnd } = line;
  if (section.paragraph.textAlign !== "justify" || isForced || isCut || room <= EPSILON) {
    return 0;
  }
  const spaces = spacesIn(section, start, visibleEnd);
  return spaces === 0 ? 0 : room / spaces;
}

function isGap(unit: number): boolean {
  return unit === 0x20 || unit === 0xa0;
}

function spacesIn({ text, clusters }: Section, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    count += clusters[at] === 1 && isGap(text.charCodeAt(at)) ? 1 : 0;
  }
  return count;
}

function spacesOf(part: Part, line: Line): number {
  let count = 0;
  let last = -1;
  for (let glyph = part.firstGlyph; glyph < part.endGlyph; glyph++) {
    const cluster = part.run.records[glyph * GLYPH_WORDS + CLUSTER] ?? 0;
    count += cluster !== last && isGapAt(part, cluster, line) ? 1 : 0;
    last = cluster;
  }
  return count;
}

/** Whether a cluster is a space that a justified line widens. */
function isGapAt({ hasOwnText, origin }: Part, cluster: number, line: Line): boolean {
  const at = origin + cluster;
  return hasOwnText && at < line.visibleEnd && isGap(line.section.text.charCodeAt(at));
}

interface PartPlace {
  readonly line: Line;
  readonly x: number;
  readonly baseline: number;
  readonly scale: number;
  readonly gap: number;
  readonly width: number;
}

/** Notes the underline and the strike-out of a part; call it in visual order. */
function decorate(part: Part, place: PartPlace, decorations: Decorations): void {
  const { style } = part.item;
  const { x, scale, width } = place;
  if (style.run.fill !== null && isVisible(part, place)) {
    decorations.note(style, x, width, place.baseline - style.run.baselineShift * scale, scale);
  }
}

function isVisible({ isHanging }: Part, { width }: PartPlace): boolean {
  return width !== 0 && !isHanging;
}

function printPart(part: Part, place: PartPlace, print: Print): void {
  const { style, face } = part.item;
  const { run } = style;
  const { line, x, scale, width } = place;
  const y = place.baseline - run.baselineShift * scale;
  if (run.link !== undefined && isVisible(part, place)) {
    const top = place.baseline - baselineOf(line, scale);
    print.links.push({ link: run.link, box: { x, y: top, width, height: line.height } });
  }
  countMissing(part, print.missing);
  if (run.fill === null) {
    return;
  }
  if (part.endGlyph === part.firstGlyph && !part.item.isTab) {
    return;
  }
  const { glyphs, clusters } = part.item.isTab ? tabGlyph(face) : glyphsOf(part, place);
  print.items.push({
    kind: "glyphs",
    face: face.key,
    size: run.fontSize * scale,
    fill: { kind: "color", rgb: rgbOf(run.fill) },
    opacity: run.fillOpacity,
    x,
    y,
    glyphs,
    clusters,
    isRightToLeft: part.item.options.isRightToLeft,
    ...(run.charSpacing !== 0 && { charSpacing: run.charSpacing }),
  });
}

/** A space, so that extraction of text finds the tab. */
function tabGlyph(face: FontFace): Pick<DisplayGlyphs, "glyphs" | "clusters"> {
  return {
    glyphs: [{ glyph: face.glyphOf(0x20), x: 0, y: 0, cluster: 0 }],
    clusters: [{ text: "\t" }],
  };
}

function glyphsOf(part: Part, place: PartPlace): Pick<DisplayGlyphs, "glyphs" | "clusters"> {
  const { item, run, firstGlyph, endGlyph } = part;
  const { scale, gap, line } = place;
  const { fontSize, charSpacing } = item.style.run;
  const unit = (fontSize * scale) / item.face.unitsPerEm;
  const { isRightToLeft } = item.options;
  const sorted = clusterStarts(part);
  const count = sorted.length;
  const clusters = sorted.map((start, i): GlyphCluster => {
    // Ignorable characters, which have no glyph, stay with the cluster before them; leading ones with the first.
    return {
      text: part.textOf(i === 0 ? part.startCluster : start, sorted[i + 1] ?? part.endCluster),
    };
  });
  const glyphs: PlacedGlyph[] = [];
  let pen = 0;
  /** Clusters from the left, of which a right-to-left run has the last one first. */
  let seen = 0;
  for (let glyph = firstGlyph; glyph < endGlyph; glyph++) {
    const at = glyph * GLYPH_WORDS;
    const cluster = run.records[at + CLUSTER] ?? 0;
    const next = run.records[at + GLYPH_WORDS + CLUSTER];
    const isLastOfCluster = glyph + 1 === endGlyph || next !== cluster;
    const isFirstOfCluster =
      glyph === firstGlyph || run.records[at - GLYPH_WORDS + CLUSTER] !== cluster;
    const isWide = gap !== 0 && isGapAt(part, cluster, line);
    const spacing = charSpacing + (isWide ? gap : 0);
    // After the cluster in the order of reading.
    pen += isRightToLeft && isFirstOfCluster ? spacing : 0;
    seen += isFirstOfCluster ? 1 : 0;
    glyphs.push({
      glyph: run.records[at + GLYPH] ?? 0,
      x: pen + (run.records[at + OFFSET_X] ?? 0) * unit,
      // From 0, so that none is -0.
      y: 0 - (run.records[at + OFFSET_Y] ?? 0) * unit,
      cluster: isRightToLeft ? count - seen : seen - 1,
    });
    pen +=
      (run.records[at + ADVANCE] ?? 0) * unit + (!isRightToLeft && isLastOfCluster ? spacing : 0);
  }
  return { glyphs, clusters };
}

/** Where the clusters of a part begin in its run's text, in the order of the text. */
function clusterStarts({ run, firstGlyph, endGlyph, item }: Part): number[] {
  const starts: number[] = [];
  for (let glyph = firstGlyph; glyph < endGlyph; glyph++) {
    const cluster = run.records[glyph * GLYPH_WORDS + CLUSTER] ?? 0;
    if (starts.at(-1) !== cluster) {
      starts.push(cluster);
    }
  }
  return item.options.isRightToLeft ? starts.reverse() : starts;
}

/** Counts the characters of clusters that printed glyph 0. */
function countMissing(part: Part, missing: Map<number, number>): void {
  const { run, firstGlyph, endGlyph, item } = part;
  let hasMissing = false;
  for (let glyph = firstGlyph; glyph < endGlyph && !hasMissing; glyph++) {
    hasMissing = run.records[glyph * GLYPH_WORDS + GLYPH] === 0;
  }
  if (!hasMissing || !part.hasOwnText) {
    return;
  }
  const sorted = clusterStarts(part);
  sorted.forEach((start, i) => {
    for (const character of part.textOf(start, sorted[i + 1] ?? part.endCluster)) {
      const codePoint = character.codePointAt(0) ?? 0;
      if (!item.face.has(codePoint) && !isIgnorable(codePoint)) {
        missing.set(codePoint, (missing.get(codePoint) ?? 0) + 1);
      }
    }
  });
}
