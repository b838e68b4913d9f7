import type { FontResolver } from "./font-resolver.ts";
import type { LaidText, TextOutcome } from "./laid-text.ts";
import { breakSection, EPSILON, type Line, piecesOf, pieceEnd, runWidth } from "./lines.ts";
import { makeSections } from "./make-sections.ts";
import { type Ellipsis, placeLine, type Print } from "./place-line.ts";
import { layOutPlainLine } from "./plain-line.ts";
import type { Section } from "./section.ts";
import type { OverflowMode, TextSpec } from "./text-spec.ts";

/** Lines may be this much higher than the box. */
const TOLERANCE = 0.01;
const SIZE_STEP = 0.25;
const ELLIPSIS = "…";

/** Lines of a text at one size. */
interface Broken {
  readonly scale: number;
  readonly lines: readonly Line[];
  /** Top of each line below the first one's top. */
  readonly tops: readonly number[];
  /** Number of lines that fit, from the first. */
  readonly fitting: number;
}

/**
 * Lays out a text in its box (docs/contract/templates.md#lines). Takes time in proportion to the text's length, whatever
 * its characters are.
 */
export function layOutText(spec: TextSpec, fonts: FontResolver): LaidText {
  return layOutPlainLine(spec, fonts) ?? layOutParagraphs(spec, fonts);
}

/** The layout of any text. */
export function layOutParagraphs(spec: TextSpec, fonts: FontResolver): LaidText {
  const sections = isEmpty(spec) ? [] : makeSections(spec, fonts);
  const mode = modeOf(spec);
  const broken = mode === "shrink" ? shrink(sections, spec) : breakAll(sections, spec, 1);
  const { lines, tops, scale } = broken;
  const printed = mode === "visible" ? lines.length : broken.fitting;
  const ellipsis =
    mode === "ellipsis" && printed > 0 && printed < lines.length
      ? cutForEllipsis(lines[printed - 1], spec, scale)
      : undefined;
  const shown = lines.slice(0, printed);
  if (ellipsis !== undefined) {
    shown[printed - 1] = ellipsis.line;
  }
  const last = lines[printed - 1];
  const block = last === undefined ? 0 : (tops[printed - 1] ?? 0) + last.height;
  const contentHeight = block + 2 * spec.padding;
  const height = spec.fixedHeight ? spec.height : Math.max(spec.height, contentHeight);
  const print: Print = { items: [], missing: new Map(), links: [] };
  const top = spec.padding + (height - contentHeight) * shareAbove(spec);
  shown.forEach((line, i) => {
    placeLine(
      line,
      {
        left: spec.padding,
        right: spec.width - spec.padding,
        top: top + (tops[i] ?? 0),
        scale,
        ellipsis: i === printed - 1 ? ellipsis?.sign : undefined,
      },
      print,
    );
  });
  const characters = sum(lines.map(countOf));
  const charactersPrinted = sum(shown.map(countOf));
  const charactersCut = characters - charactersPrinted;
  const contentWidth = shown.reduce((widest, { width }) => Math.max(widest, width), 0);
  const isOutside =
    contentWidth > spec.width - 2 * spec.padding + TOLERANCE ||
    (mode === "visible" && broken.fitting < lines.length);
  const outcome = outcomeOf(charactersCut > 0, isOutside, scale < 1);
  return {
    items: print.items,
    height,
    contentHeight,
    contentWidth: contentWidth + 2 * spec.padding,
    outcome,
    isForbidden:
      (outcome === "cut" || outcome === "overflowed") &&
      (spec.overflowPolicy === "fail" || mode === "fail"),
    fontSize: spec.fontSize * scale,
    authoredFontSize: spec.fontSize,
    smallestFontSize: smallestSize(shown, scale) ?? spec.fontSize,
    lines: lines.length,
    linesCut: lines.length - printed,
    characters,
    charactersPrinted,
    charactersCut,
    missingGlyphs: print.missing,
    substitutedFonts: [
      ...new Set(sections.flatMap(({ items, style }) => substitutesOf(items, style))),
    ],
    linkAreas: print.links,
  };
}

function isEmpty({ paragraphs }: TextSpec): boolean {
  return (
    paragraphs.length <= 1 && paragraphs.every(({ runs }) => runs.every(({ text }) => text === ""))
  );
}

/** What happens to lines that do not fit, by the document and the render's policy together. */
function modeOf({ overflowPolicy, overflowMode, fixedHeight }: TextSpec): OverflowMode {
  if (overflowPolicy === "clip") {
    return "clip";
  }
  return overflowPolicy === "fit" && fixedHeight ? "shrink" : overflowMode;
}

function breakAll(sections: readonly Section[], spec: TextSpec, scale: number): Broken {
  const available = Math.max(0, spec.width - 2 * spec.padding);
  const room = spec.fixedHeight
    ? spec.height - 2 * spec.padding + TOLERANCE
    : Number.POSITIVE_INFINITY;
  const lines: Line[] = [];
  const tops: number[] = [];
  let [y, fitting, isFull] = [0, 0, false];
  sections.forEach((section, i) => {
    y += section.isFirst && i > 0 ? section.paragraph.spaceBefore : 0;
    for (const line of breakSection(section, available, scale)) {
      tops.push(y);
      lines.push(line);
      y += line.height;
      isFull ||= y > room + EPSILON || lines.length > (spec.maxLines ?? Number.POSITIVE_INFINITY);
      fitting += isFull ? 0 : 1;
    }
    y += section.isLast ? section.paragraph.spaceAfter : 0;
  });
  return { scale, lines, tops, fitting };
}

/** The largest size of the steps at which all lines fit, else the smallest one. A smaller size never needs more lines. */
function shrink(sections: readonly Section[], spec: TextSpec): Broken {
  const whole = breakAll(sections, spec, 1);
  if (whole.fitting === whole.lines.length || spec.minFontSize >= spec.fontSize) {
    return whole;
  }
  const steps = Math.floor((spec.fontSize - spec.minFontSize) / SIZE_STEP + EPSILON);
  const at = (step: number) =>
    breakAll(sections, spec, (spec.fontSize - step * SIZE_STEP) / spec.fontSize);
  let [tooLarge, small] = [0, steps];
  let best = at(steps);
  if (steps === 0 || best.fitting < best.lines.length) {
    // At minFontSize itself, which need not be one of the steps.
    return breakAll(sections, spec, spec.minFontSize / spec.fontSize);
  }
  while (small - tooLarge > 1) {
    const middle = (small + tooLarge) >> 1;
    const tried = at(middle);
    if (tried.fitting === tried.lines.length) {
      [small, best] = [middle, tried];
    } else {
      tooLarge = middle;
    }
  }
  return best;
}

/** The line with `…` in place of what it needs: grapheme clusters from its end. */
function cutForEllipsis(
  line: Line | undefined,
  spec: TextSpec,
  scale: number,
): { readonly line: Line; readonly sign: Ellipsis } | undefined {
  const available = spec.width - 2 * spec.padding + EPSILON;
  if (line === undefined) {
    return undefined;
  }
  const { section, start, visibleEnd } = line;
  let end = visibleEnd;
  for (;;) {
    const item = section.items[section.itemOf[Math.max(start, end - 1)] ?? 0];
    if (item === undefined) {
      return undefined;
    }
    const face = item.style.chain.faceFor([0x2026]) ?? item.style.chain.first;
    const host = { ...item, face, isTab: false };
    const run = face.shape(ELLIPSIS, item.options);
    const width = runWidth(run, host, scale);
    const kept = widthOf(section, start, end, scale);
    if (kept + width <= available || end === start) {
      const isWhole = end === visibleEnd && !line.hasHyphen;
      return {
        line: {
          ...line,
          end: isWhole ? line.end : end,
          visibleEnd: end,
          width: kept + width,
          hasHyphen: false,
        },
        sign: { item: host, run, width },
      };
    }
    end = Math.max(start, graphemeBefore(section, end));
  }
}

function graphemeBefore({ graphemes }: Section, end: number): number {
  let at = end - 1;
  while (at > 0 && graphemes[at] === 0) {
    at--;
  }
  return at;
}

function widthOf(section: Section, start: number, end: number, scale: number): number {
  return piecesOf(section, start, end).reduce((x, piece) => pieceEnd(piece, x, scale), 0);
}

/** How much of the free height is above the lines. */
function shareAbove({ verticalAlign }: TextSpec): number {
  return verticalAlign === "top" ? 0 : verticalAlign === "middle" ? 0.5 : 1;
}

function outcomeOf(isCut: boolean, isOutside: boolean, isShrunk: boolean): TextOutcome {
  if (isCut) {
    return "cut";
  }
  if (isOutside) {
    return "overflowed";
  }
  return isShrunk ? "shrunk" : "printed";
}

/** Code points of a line, with the spaces and line feeds at its end. */
function countOf({ section: { text }, start, end }: Line): number {
  let count = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    count += unit >= 0xdc00 && unit <= 0xdfff ? 0 : 1;
  }
  return count;
}

function smallestSize(lines: readonly Line[], scale: number): number | undefined {
  let smallest: number | undefined;
  for (const { section, start, visibleEnd } of lines) {
    for (let at = start; at < visibleEnd;) {
      const item = section.items[section.itemOf[at] ?? 0];
      if (item === undefined) {
        break;
      }
      smallest = Math.min(smallest ?? Number.POSITIVE_INFINITY, item.style.run.fontSize * scale);
      at = item.end;
    }
  }
  return smallest;
}

function substitutesOf(items: Section["items"], style: Section["style"]): string[] {
  return [style, ...items.map((item) => item.style)].flatMap(
    ({ chain }) => chain.substituted ?? [],
  );
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
