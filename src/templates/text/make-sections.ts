import { bidiLevels } from "./bidi-levels.ts";
import {
  ADVANCE,
  CLUSTER,
  type FontFace,
  type FontFeatures,
  GLYPH_WORDS,
  shapeOptions,
  type ShapeOptions,
  UNSAFE_TO_BREAK,
} from "./font-face.ts";
import type { FontResolver } from "./font-resolver.ts";
import type { Item, Section, Style } from "./section.ts";
import type { TextParagraph, TextRun, TextSpec } from "./text-spec.ts";
import {
  classOf,
  flagsOf,
  IGNORABLE,
  LB,
  lineBreakOf,
  scriptOf,
} from "./unicode/character-classes.ts";
import { graphemeStarts } from "./unicode/grapheme-clusters.ts";
import { lineBreaks } from "./unicode/line-breaks.ts";

/** Longer items are shaped in parts, so that the shaper's memory stays small. */
const ITEM_LENGTH_MAX = 2_048;
/** Characters around an item that decide how its letters join. */
const CONTEXT = 4;
/** Scripts whose letters join; the shapes of others do not depend on letters of other items. */
const JOINING = new Set(
  "Arab Syrc Nkoo Mong Mand Mani Phag Phlp Adlm Rohg Sogd Sogo Chrs Ougr".split(" "),
);
const TAB = 9;
const COMMON = "Zyyy";

/** Splits a text into paragraphs of UAX 9 and shapes them. */
export function makeSections(spec: TextSpec, fonts: FontResolver): Section[] {
  const sections: Section[] = [];
  for (const paragraph of spec.paragraphs) {
    const parts = paragraph.runs.map((run) => ({
      style: styleOf(run, spec, fonts),
      text: transform(run.text.toWellFormed(), spec),
    }));
    const whole = parts.map(({ text }) => text).join("");
    const ends = sectionEnds(whole);
    let start = 0;
    ends.forEach((end, i) => {
      sections.push(
        makeSection(paragraph, whole.slice(start, end), spansIn(parts, start, end), {
          isFirst: i === 0,
          isLast: i === ends.length - 1,
        }),
      );
      start = end;
    });
  }
  return sections;
}

/** A run's style, with the fonts that it asks for. */
export function styleOf(run: TextRun, spec: TextSpec, fonts: FontResolver): Style {
  return {
    run,
    chain: fonts.chainOf({
      font: run.font,
      fontFamily: run.fontFamily,
      fontWeight: run.fontWeight,
      fontStyle: run.fontStyle,
      fallbackFonts: spec.fallbackFonts,
    }),
    language: spec.language,
    features: featuresOf(spec.features),
  };
}

/** Sorted, once for all texts of an element. */
const SORTED_FEATURES = new WeakMap<TextSpec["features"], FontFeatures>();

function featuresOf(given: TextSpec["features"]): FontFeatures {
  let features = SORTED_FEATURES.get(given);
  if (features === undefined) {
    features = Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1));
    SORTED_FEATURES.set(given, features);
  }
  return features;
}

/** What texts with the same features share, by direction, script and language. */
const OPTIONS = new WeakMap<FontFeatures, Map<string, ShapeOptions>>();

/** `level` is that of UAX 9, `script` of ISO 15924. */
export function optionsOf(
  { language, features }: Style,
  level: number,
  script: string,
): ShapeOptions {
  const isRightToLeft = level % 2 === 1;
  const key = `${isRightToLeft ? "R" : "L"}${script}${language}`;
  let all = OPTIONS.get(features);
  if (all === undefined) {
    all = new Map();
    OPTIONS.set(features, all);
  }
  let options = all.get(key);
  if (options === undefined) {
    options = shapeOptions({ isRightToLeft, script, language, features });
    all.set(key, options);
  }
  return options;
}

function transform(text: string, { textTransform, language }: TextSpec): string {
  if (textTransform === "none") {
    return text;
  }
  const locale = /^(?:tr|az|lt|el)\b/i.exec(language)?.[0] ?? "en";
  return textTransform === "uppercase"
    ? text.toLocaleUpperCase(locale)
    : text.toLocaleLowerCase(locale);
}

/** Ends of the paragraphs of UAX 9; an empty text is one. */
function sectionEnds(text: string): number[] {
  if (!/[\n\r\u0085\u2029]/.test(text)) {
    return [text.length];
  }
  const ends = Array.from(
    text.matchAll(/\r\n|[\n\r\u0085\u2029]/g),
    (found) => found.index + found[0].length,
  );
  if (ends.at(-1) !== text.length) {
    ends.push(text.length);
  }
  return ends;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly style: Style;
}

/** The styles of a section, by its own positions; at least one. */
function spansIn(
  parts: readonly { readonly style: Style; readonly text: string }[],
  start: number,
  end: number,
): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const { style, text } of parts) {
    const [from, to] = [Math.max(at, start), Math.min(at + text.length, end)];
    at += text.length;
    if (from < to || (start === end && spans.length === 0 && at >= start)) {
      spans.push({ start: from - start, end: Math.max(to, from) - start, style });
    }
  }
  return spans;
}

function makeSection(
  paragraph: TextParagraph,
  text: string,
  spans: readonly Span[],
  place: { readonly isFirst: boolean; readonly isLast: boolean },
): Section {
  const style = spans[0]?.style;
  if (style === undefined) {
    throw new Error("A paragraph has no run.");
  }
  const { baseLevel, levels } = bidiLevels(text, paragraph.direction);
  const graphemes = graphemeStarts(text);
  const items = new Itemizer(text, baseLevel, levels, graphemes).itemize(spans);
  const section: Section = {
    paragraph,
    ...place,
    text,
    baseLevel,
    items,
    itemOf: new Uint32Array(text.length),
    breaks: lineBreaks(text),
    graphemes,
    advances: new Float64Array(text.length),
    clusters: new Uint8Array(text.length),
    unsafe: new Uint8Array(text.length),
    style,
  };
  items.forEach((item, number) => {
    if (number > 0) {
      section.itemOf.fill(number, item.start, item.end);
    }
    measureItem(section, item);
  });
  return section;
}

function measureItem({ advances, clusters, unsafe }: Section, item: Item): void {
  const { shaped, start, face, style } = item;
  if (shaped === undefined) {
    return;
  }
  const scale = style.run.fontSize / face.unitsPerEm;
  const { records } = shaped;
  for (let at = 0; at < records.length; at += GLYPH_WORDS) {
    const unit = start + (records[at + CLUSTER] ?? 0);
    advances[unit] = (advances[unit] ?? 0) + (records[at + ADVANCE] ?? 0) * scale;
    clusters[unit] = 1;
    unsafe[unit] = (unsafe[unit] ?? 0) | (records[at + UNSAFE_TO_BREAK] ?? 0);
  }
}

/** Finds the items of a section: it goes from one grapheme cluster to the next and begins an item where something changes. */
class Itemizer {
  readonly #text: string;
  readonly #baseLevel: number;
  readonly #levels: Uint8Array | undefined;
  readonly #graphemes: Uint8Array;
  readonly #items: Item[] = [];

  constructor(
    text: string,
    baseLevel: number,
    levels: Uint8Array | undefined,
    graphemes: Uint8Array,
  ) {
    this.#text = text;
    this.#baseLevel = baseLevel;
    this.#levels = levels;
    this.#graphemes = graphemes;
  }

  itemize(spans: readonly Span[]): Item[] {
    let script = this.#firstScript();
    for (const { start, end, style } of spans) {
      let from = start;
      let [face, level, kind, itemScript] = [style.chain.first, -1, "", script];
      const finish = (to: number) => {
        if (to > from) {
          this.#push(from, to, style, face, level, itemScript, kind);
        }
        from = to;
      };
      for (let at = start; at < end;) {
        const cluster = this.#clusterEnd(at, end);
        const first = this.#text.codePointAt(at) ?? 0;
        const classes = classOf(first);
        const own = scriptOf(classes);
        script = isCommon(own) ? script : own;
        const nextKind = kindOf(first, classes);
        const nextLevel = this.#levels?.[at] ?? this.#baseLevel;
        const nextFace = nextKind === "text" ? this.#faceOf(style, at, cluster) : style.chain.first;
        const isSame =
          nextKind === kind &&
          nextKind !== "tab" &&
          nextLevel === level &&
          nextFace === face &&
          (script === itemScript || isCommon(own)) &&
          at - from < ITEM_LENGTH_MAX;
        if (!isSame) {
          finish(at);
          [face, level, kind, itemScript] = [nextFace, nextLevel, nextKind, script];
        }
        at = cluster;
      }
      finish(end);
    }
    return this.#items;
  }

  /** The script of leading characters that all scripts use: that of the first other one. */
  #firstScript(): string {
    for (let at = 0; at < this.#text.length; at++) {
      const script = scriptOf(classOf(this.#text.codePointAt(at) ?? 0));
      if (!isCommon(script)) {
        return script;
      }
    }
    return COMMON;
  }

  #clusterEnd(from: number, end: number): number {
    let at = from + 1;
    while (at < end && this.#graphemes[at] === 0) {
      at++;
    }
    return at;
  }

  #faceOf({ chain }: Style, start: number, end: number): FontFace {
    const { first } = chain;
    let isWhole = true;
    for (let at = start; at < end && isWhole; at++) {
      const codePoint = this.#text.codePointAt(at) ?? 0;
      at += codePoint > 0xffff ? 1 : 0;
      isWhole = first.has(codePoint) || isIgnorable(codePoint);
    }
    if (isWhole) {
      return first;
    }
    const all = Array.from(
      this.#text.slice(start, end),
      (character) => character.codePointAt(0) ?? 0,
    );
    return chain.faceFor([...new Set(all.filter((codePoint) => !isIgnorable(codePoint)))]) ?? first;
  }

  #push(
    start: number,
    end: number,
    style: Style,
    face: FontFace,
    level: number,
    script: string,
    kind: string,
  ): void {
    const options = optionsOf(style, level, script);
    const shaped =
      kind === "text" ? shapePart(this.#text, { face, options }, start, end) : undefined;
    this.#items.push({ start, end, style, level, face, options, isTab: kind === "tab", shaped });
  }
}

/** Shapes a part of an item by itself, with the letters around it in view. */
export function shapePart(
  text: string,
  { face, options }: Pick<Item, "face" | "options">,
  start: number,
  end: number,
) {
  const part = text.slice(start, end);
  return JOINING.has(options.script)
    ? face.shape(
        part,
        options,
        text.slice(Math.max(0, start - CONTEXT), start).toWellFormed(),
        text.slice(end, end + CONTEXT).toWellFormed(),
      )
    : face.shape(part, options);
}

function isCommon(script: string): boolean {
  return script === "Zyyy" || script === "Zinh" || script === "Zzzz";
}

export function isIgnorable(codePoint: number): boolean {
  return codePoint > 0x7f && (flagsOf(classOf(codePoint)) & IGNORABLE) !== 0;
}

function kindOf(codePoint: number, classes: number): "text" | "tab" | "end" {
  if (codePoint === TAB) {
    return "tab";
  }
  const lineBreak = lineBreakOf(classes);
  const isEnd =
    lineBreak === LB.LF || lineBreak === LB.CR || lineBreak === LB.BK || lineBreak === LB.NL;
  return isEnd ? "end" : "text";
}
