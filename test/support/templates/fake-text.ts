import type { DisplayItem } from "../../../src/templates/display-list.ts";
import type { FontResolver } from "../../../src/templates/text/font-resolver.ts";
import type { LaidText, LinkArea, TextOutcome } from "../../../src/templates/text/laid-text.ts";
import type { TextSpec } from "../../../src/templates/text/text-spec.ts";

/** Fonts that the plain layout of texts below never asks. */
export const NO_FONTS: FontResolver = {
  chainOf() {
    throw new Error("The plain layout of texts has no fonts.");
  },
};

interface Line {
  readonly text: string;
  readonly links: readonly (number | undefined)[];
}

/**
 * A plain layout of texts for tests of what is around them: every character is half a font size wide, words do not
 * matter, and only `shrink`, `visible` and `fail` differ from `clip`. The character ¤ has no glyph.
 */
export function layOutPlainText(spec: TextSpec): LaidText {
  const policy = spec.overflowPolicy;
  const mode = modeOf(spec);
  const authored = spec.fontSize;
  let size = authored;
  let set = setAt(spec, size);
  while (mode === "shrink" && spec.fixedHeight && set.fitting < set.lines.length) {
    if (size - 0.25 < spec.minFontSize) {
      break;
    }
    size -= 0.25;
    set = setAt(spec, size);
  }
  const fits = set.fitting >= set.lines.length;
  const isShown = fits || mode === "visible";
  const printed = isShown ? set.lines : set.lines.slice(0, set.fitting);
  const characters = count(set.lines);
  const charactersPrinted = count(printed);
  const outcome: TextOutcome =
    characters > charactersPrinted
      ? "cut"
      : isShown && !fits
        ? "overflowed"
        : size < authored
          ? "shrunk"
          : "printed";
  const contentHeight = printed.length * set.lineHeight + 2 * spec.padding;
  const missing = Array.from(printed.map(({ text }) => text).join("")).filter(
    (c) => c === "¤",
  ).length;
  return {
    items: printed.flatMap((line, i) => lineItem(spec, line, size, i * set.lineHeight)),
    height: spec.fixedHeight ? spec.height : Math.max(spec.height, contentHeight),
    contentHeight,
    outcome,
    isForbidden:
      outcome !== "printed" && outcome !== "shrunk" && (mode === "fail" || policy === "fail"),
    fontSize: size,
    authoredFontSize: authored,
    contentWidth: Math.max(0, ...printed.map(({ text }) => (text.length * size) / 2)),
    smallestFontSize: size,
    lines: set.lines.length,
    linesCut: set.lines.length - printed.length,
    characters,
    charactersPrinted,
    charactersCut: characters - charactersPrinted,
    missingGlyphs: new Map(missing === 0 ? [] : [[0xa4, missing]]),
    substitutedFonts: spec.paragraphs.some(({ runs }) =>
      runs.some((r) => r.fontFamily === "Nowhere"),
    )
      ? ["Nowhere"]
      : [],
    linkAreas: printed.flatMap((line, i) => linkAreas(spec, line, size, i * set.lineHeight)),
  };
}

function modeOf({ overflowPolicy, fixedHeight, overflowMode }: TextSpec): TextSpec["overflowMode"] {
  if (!fixedHeight) {
    return overflowMode;
  }
  return overflowPolicy === "fit" ? "shrink" : overflowPolicy === "clip" ? "clip" : overflowMode;
}

function count(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + Array.from(text).length, 0);
}

function setAt(spec: TextSpec, size: number) {
  const lineHeight = size * spec.paragraphs[0]!.lineHeight;
  const perLine = Math.max(1, Math.floor((spec.width - 2 * spec.padding) / (size / 2) + 1e-9));
  const lines: Line[] = [];
  for (const { runs } of spec.paragraphs) {
    const all = runs.flatMap(({ text, link }) =>
      Array.from(text).map((character) => ({ character: transform(character, spec), link })),
    );
    let line: typeof all = [];
    const flush = () => {
      lines.push({
        text: line.map(({ character }) => character).join(""),
        links: line.map(({ link }) => link),
      });
      line = [];
    };
    for (const one of all) {
      if (line.length === perLine && one.character !== "\n") {
        flush();
      }
      line.push(one);
      if (one.character === "\n") {
        flush();
      }
    }
    flush();
  }
  const room = spec.fixedHeight ? spec.height - 2 * spec.padding + 0.01 : Infinity;
  const fitting = Math.min(Math.floor(room / lineHeight), spec.maxLines ?? Infinity);
  return { lines, lineHeight, fitting: Math.max(0, Math.min(fitting, lines.length)) };
}

function transform(character: string, spec: TextSpec): string {
  switch (spec.textTransform) {
    case "none":
      return character;
    case "uppercase":
      return character.toUpperCase();
    case "lowercase":
      return character.toLowerCase();
  }
}

function lineItem(spec: TextSpec, line: Line, size: number, y: number): DisplayItem[] {
  const { fill, fillOpacity } = spec.paragraphs[0]!.runs[0]!;
  const text = line.text.replace("\n", "");
  if (text === "" || fill === null) {
    return [];
  }
  const value = Number.parseInt(fill.slice(1), 16);
  return [
    {
      kind: "glyphs",
      face: "plain",
      size,
      fill: { kind: "color", rgb: [value >> 16, (value >> 8) & 255, value & 255] },
      opacity: fillOpacity,
      x: spec.padding,
      y: spec.padding + y + size,
      glyphs: Array.from(text).map((character, cluster) => ({
        glyph: character.codePointAt(0)!,
        x: (cluster * size) / 2,
        y: 0,
        cluster,
      })),
      clusters: Array.from(text).map((character) => ({ text: character })),
      isRightToLeft: false,
    },
  ];
}

function linkAreas(spec: TextSpec, line: Line, size: number, y: number): LinkArea[] {
  const from = line.links.findIndex((link) => link !== undefined);
  if (from === -1) {
    return [];
  }
  const length = line.links.filter((link) => link !== undefined).length;
  const box = {
    x: spec.padding + (from * size) / 2,
    y: spec.padding + y,
    width: (length * size) / 2,
    height: size,
  };
  return [{ link: line.links[from]!, box }];
}
