import { ADVANCE, CLUSTER, GLYPH_WORDS, type ShapedRun } from "./font-face.ts";
import { shapePart } from "./make-sections.ts";
import type { Item, Section, Style } from "./section.ts";
import { MUST_BREAK, NO_BREAK } from "./unicode/line-breaks.ts";

/** A line of a section; lengths in points, for the scale that it was broken at. */
export interface Line {
  readonly section: Section;
  /** UTF-16 positions in the section's text. */
  readonly start: number;
  readonly end: number;
  /** Before the spaces that hang at the end, and what ends the line. */
  readonly visibleEnd: number;
  /** Without hanging spaces, with the hyphen. */
  readonly width: number;
  readonly hasHyphen: boolean;
  /** Whether the text demands the break after it, or ends. */
  readonly isForced: boolean;
  readonly height: number;
  /** The style of its largest size, from which its baseline is. */
  readonly tallest: Style;
}

/** A part of an item in a line, with the shaped run that has its glyphs. */
export interface Piece {
  readonly item: Item;
  readonly start: number;
  readonly end: number;
  readonly run: ShapedRun;
  /** Position of the run's cluster 0. */
  readonly origin: number;
  /** The glyphs of the run that belong to the part. */
  readonly firstGlyph: number;
  readonly endGlyph: number;
}

/** Lengths that differ by less are equal: sums of advances are rounded. */
export const EPSILON = 0.001;
const TAB_SPACES = 8;
const SOFT_HYPHEN = 0xad;
const HYPHEN = 0x2010;
const HYPHEN_MINUS = 0x2d;

/** Spaces that hang at a line's end, and what ends lines. */
function hangs(unit: number): boolean {
  return (
    unit === 0x20 ||
    (unit >= 0x09 && unit <= 0x0d) ||
    unit === 0x85 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a && unit !== 0x2007) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x205f ||
    unit === 0x3000
  );
}

/** The width of a tab that begins `x` points after the line's start. */
export function tabWidth({ style }: Item, x: number, scale: number): number {
  const { first } = style.chain;
  const space = first.advance(first.glyphOf(0x20)) / first.unitsPerEm;
  const stop = TAB_SPACES * space * style.run.fontSize * scale;
  return stop <= 0 ? 0 : (Math.floor(x / stop + EPSILON) + 1) * stop - x;
}

/** The character that shows where a word is hyphenated. */
export function hyphenOf({ face }: Item): string {
  return String.fromCodePoint(face.has(HYPHEN) ? HYPHEN : HYPHEN_MINUS);
}

/** The width of a run that stands alone, such as a hyphen. */
export function runWidth({ records }: ShapedRun, item: Item, scale: number): number {
  let units = 0;
  for (let at = 0; at < records.length; at += GLYPH_WORDS) {
    units += records[at + ADVANCE] ?? 0;
  }
  return (
    (units * item.style.run.fontSize * scale) / item.face.unitsPerEm + item.style.run.charSpacing
  );
}

function hyphenWidth(item: Item, scale: number): number {
  return runWidth(item.face.shape(hyphenOf(item), item.options), item, scale);
}

/** Where a line may end, with what is visible before. */
interface Candidate {
  readonly end: number;
  readonly visibleEnd: number;
  readonly width: number;
  readonly hasHyphen: boolean;
}

/** Breaks a section into lines of at most `available` points. `scale` is the printed size over the authored one. */
export function* breakSection(
  section: Section,
  available: number,
  scale: number,
): Generator<Line, void> {
  const { length } = section.text;
  for (let start = 0; start < length || (start === 0 && length === 0);) {
    const line = nextLine(section, start, available + EPSILON, scale);
    yield line;
    if (line.end === start) {
      return;
    }
    start = line.end;
  }
}

function nextLine(section: Section, start: number, available: number, scale: number): Line {
  const { text, breaks } = section;
  const candidates: Candidate[] = [];
  let [x, width, visibleEnd] = [0, 0, start];
  for (let at = start; at < text.length; at++) {
    const rule = at === start ? NO_BREAK : breaks[at];
    if (rule === MUST_BREAK) {
      return finish(section, start, { end: at, visibleEnd, width, hasHyphen: false }, true, scale);
    }
    if (rule !== NO_BREAK) {
      const hasHyphen = text.charCodeAt(at - 1) === SOFT_HYPHEN;
      const whole = width + (hasHyphen ? hyphenAt(section, at, scale) : 0);
      if (!hasHyphen || whole <= available) {
        candidates.push({ end: at, visibleEnd, width: whole, hasHyphen });
      }
    }
    x += widthAt(section, at, x, scale);
    if (hangs(text.charCodeAt(at))) {
      continue;
    }
    if (x > available && at > start) {
      const found = settle(section, start, candidates, available, scale);
      return finish(
        section,
        start,
        found ?? overlong(section, start, at, available, scale),
        false,
        scale,
      );
    }
    [width, visibleEnd] = [x, at + 1];
  }
  candidates.push({ end: text.length, visibleEnd, width, hasHyphen: false });
  const found =
    settle(section, start, candidates, available, scale) ??
    overlong(section, start, text.length, available, scale);
  return finish(section, start, found, found.end === text.length, scale);
}

/** The last candidate that still fits with the glyphs that it has as a line's end. */
function settle(
  section: Section,
  start: number,
  candidates: readonly Candidate[],
  available: number,
  scale: number,
): Candidate | undefined {
  for (let i = candidates.length - 1; i >= 0; i--) {
    const candidate = candidates[i];
    if (candidate === undefined || !isReshaped(section, start, candidate.end)) {
      return candidate;
    }
    const hyphen = candidate.hasHyphen ? hyphenAt(section, candidate.end, scale) : 0;
    const width = exactWidth(section, start, candidate.visibleEnd, scale) + hyphen;
    if (width <= available) {
      return { ...candidate, width };
    }
  }
  return undefined;
}

function hyphenAt(section: Section, end: number, scale: number): number {
  const item = section.items[section.itemOf[end - 1] ?? 0];
  return item === undefined ? 0 : hyphenWidth(item, scale);
}

/** Ends a line within a word: after as many grapheme clusters before `limit` as fit, and after one at least. */
function overlong(
  section: Section,
  start: number,
  limit: number,
  available: number,
  scale: number,
): Candidate {
  const { graphemes, text } = section;
  let end = limit;
  for (; end > start; end--) {
    if (end < text.length && graphemes[end] === 0) {
      continue;
    }
    const width = exactWidth(section, start, end, scale);
    if (width <= available) {
      return { end, visibleEnd: end, width, hasHyphen: false };
    }
  }
  end = start + 1;
  while (end < text.length && graphemes[end] === 0) {
    end++;
  }
  const width = exactWidth(section, start, end, scale);
  // Spaces that follow hang.
  let after = end;
  while (
    after < text.length &&
    hangs(text.charCodeAt(after)) &&
    section.breaks[after] !== MUST_BREAK
  ) {
    after++;
  }
  return { end: after, visibleEnd: end, width, hasHyphen: false };
}

function isReshaped(section: Section, start: number, end: number): boolean {
  return changesGlyphs(section, start) || changesGlyphs(section, end);
}

/** Whether a line's end at this place changes glyphs: it is in an item, within a cluster or where glyphs depend on others. */
function changesGlyphs({ items, itemOf, unsafe, clusters }: Section, at: number): boolean {
  const item = items[itemOf[at] ?? 0];
  const isInside = item?.shaped !== undefined && at > item.start && at < item.end;
  return isInside && (unsafe[at] === 1 || clusters[at] === 0);
}

/** The width of `[start, end)` with the glyphs that it has as a line. */
function exactWidth(section: Section, start: number, end: number, scale: number): number {
  let x = 0;
  if (isReshaped(section, start, end)) {
    for (const piece of piecesOf(section, start, end)) {
      x = pieceEnd(piece, x, scale);
    }
    return x;
  }
  for (let at = start; at < end; at++) {
    x += widthAt(section, at, x, scale);
  }
  return x;
}

/** What the unit adds to a line that is `x` points wide before it: the width of its cluster, at the cluster's first unit. */
function widthAt(section: Section, at: number, x: number, scale: number): number {
  const { items, itemOf, advances, clusters } = section;
  const item = items[itemOf[at] ?? 0];
  if (item === undefined || item.shaped === undefined) {
    return item?.isTab === true ? tabWidth(item, x, scale) : 0;
  }
  return clusters[at] === 1 ? (advances[at] ?? 0) * scale + item.style.run.charSpacing : 0;
}

/** Where a piece ends that begins at `x`. */
export function pieceEnd(piece: Piece, x: number, scale: number): number {
  const { item, run, firstGlyph, endGlyph } = piece;
  if (item.shaped === undefined) {
    return item.isTab ? x + tabWidth(item, x, scale) : x;
  }
  const { records } = run;
  let [units, clusters, last] = [0, 0, -1];
  for (let glyph = firstGlyph; glyph < endGlyph; glyph++) {
    const cluster = records[glyph * GLYPH_WORDS + CLUSTER] ?? 0;
    units += records[glyph * GLYPH_WORDS + ADVANCE] ?? 0;
    clusters += cluster === last ? 0 : 1;
    last = cluster;
  }
  const { fontSize, charSpacing } = item.style.run;
  return x + (units * fontSize * scale) / item.face.unitsPerEm + clusters * charSpacing;
}

/** The parts of items in `[start, end)`, in the order of the text, shaped again where the line's ends change glyphs. */
export function piecesOf(section: Section, start: number, end: number): Piece[] {
  const { items, itemOf, text } = section;
  const pieces: Piece[] = [];
  for (let at = start; at < end;) {
    const item = items[itemOf[at] ?? 0];
    if (item === undefined) {
      break;
    }
    const to = Math.min(item.end, end);
    const isShapedAgain = isReshaped(section, at, to) && item.shaped !== undefined;
    const run = isShapedAgain ? shapePart(text, item, at, to) : (item.shaped ?? NO_RUN);
    const origin = isShapedAgain ? at : item.start;
    const [firstGlyph, endGlyph] = glyphsBetween(run, item, at - origin, to - origin);
    pieces.push({ item, start: at, end: to, run, origin, firstGlyph, endGlyph });
    at = to;
  }
  return pieces;
}

/** The glyphs whose clusters are in `[from, to)`: clusters rise from left to right, or fall if the run is right to left. */
function glyphsBetween(
  { length, records }: ShapedRun,
  { options: { isRightToLeft } }: Item,
  from: number,
  to: number,
): [first: number, end: number] {
  /** The number of glyphs at the left whose clusters are below the limit, or not below it in a right-to-left run. */
  const countTo = (limit: number): number => {
    let [low, high] = [0, length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const cluster = records[middle * GLYPH_WORDS + CLUSTER] ?? 0;
      if (cluster < limit === isRightToLeft) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  };
  return isRightToLeft ? [countTo(to), countTo(from)] : [countTo(from), countTo(to)];
}

const NO_RUN: ShapedRun = { length: 0, records: new Int32Array(0) };

function finish(
  section: Section,
  start: number,
  { end, visibleEnd, width, hasHyphen }: Candidate,
  isForced: boolean,
  scale: number,
): Line {
  let tallest = section.style;
  const first = section.itemOf[start] ?? 0;
  const last = end > start ? (section.itemOf[end - 1] ?? 0) : first;
  let size = 0;
  for (let number = first; number <= last; number++) {
    const style = section.items[number]?.style;
    if (style !== undefined && style.run.fontSize > size) {
      size = style.run.fontSize;
      tallest = style;
    }
  }
  const height = section.paragraph.lineHeight * tallest.run.fontSize * scale;
  return { section, start, end, visibleEnd, width, hasHyphen, isForced, height, tallest };
}
