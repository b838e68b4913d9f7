/** Texts: fonts, lines, fit, rich text and scripts. */
import { findSystemFile } from "./system-file.ts";
import {
  elements,
  type GoldenCase,
  type GoldenCases,
  type Loose,
  variants,
} from "./golden-case.ts";

const WORDS = "Five quacking zephyrs jolt my wax bed, 12,345.67 times.";
const TEXT = {
  $type: "text",
  left: 10,
  top: 10,
  width: 140,
  height: 80,
  fontSize: 14,
  text: WORDS,
};
const NARROW = { ...TEXT, width: 60, height: 36 };
const HEBREW = "שלום עולם, 12 abc";
const ARABIC = "السلام عليكم لا إله";

export const TEXT_CASES: GoldenCases = {
  ...variants(TEXT, {
    "12 points of Noto Sans by default": { fontSize: undefined },
    "without a text": { text: undefined },
    "family by its name": { fontFamily: "Noto Serif" },
    "family without case": { fontFamily: "sOURCE cODE pRO" },
    "family that is unknown": { fontFamily: "Nowhere Sans" },
    "family of one weight": { fontFamily: "Caveat" },
    "font file that is named": { font: findSystemFile("Oswald", 400), fontFamily: "Noto Serif" },
    "fallback family by name": {
      text: "abc Ωμέγα",
      fontFamily: "Oswald",
      fallbackFonts: ["Source Code Pro"],
    },
    "fallback to the system families": { text: "abc שלום سلام สวัสดี" },
    "fallback family that is unknown": { text: "abc", fallbackFonts: ["Nowhere"] },
    "size at its least": { fontSize: 1 },
    "size at its most": { fontSize: 1_000, overflowMode: "visible" },
    "weight 100": { fontWeight: 100 },
    "weight 700": { fontWeight: 700 },
    "weight 900": { fontWeight: 900, fontStyle: "italic" },
    italic: { fontStyle: "italic" },
    upright: { fontStyle: "normal" },
    colored: { fill: "#C8553D" },
    "without a fill": { fill: null, underline: true },
    "fill of half opacity": { fillOpacity: 0.5 },
    "aligned to the start": { textAlign: "start" },
    "aligned left": { textAlign: "left" },
    "aligned to the center": { textAlign: "center" },
    "aligned right": { textAlign: "right" },
    "aligned to the end": { textAlign: "end" },
    justified: { textAlign: "justify" },
    "at the top": { verticalAlign: "top" },
    "in the middle": { verticalAlign: "middle" },
    "at the bottom": { verticalAlign: "bottom" },
    "lines at half height": { lineHeight: 0.5 },
    "lines at five times their height": { lineHeight: 5, overflowMode: "visible" },
    "letters apart": { charSpacing: 4 },
    "letters closer": { charSpacing: -2 },
    "letters at the limit": { charSpacing: -100, overflowMode: "visible" },
    padded: { padding: 12 },
    "padded by more than its box": { padding: 80 },
    underlined: { underline: true },
    "struck out": { strikethrough: true },
    "underlined and struck out": { underline: true, strikethrough: true, fontSize: 24 },
    "ligatures off": { text: "office fluffy", features: { liga: 0 } },
    "ligatures on": { text: "office fluffy" },
    "kerning off": { text: "AVATAR To", features: { kern: 0 } },
    "upper case": { textTransform: "uppercase", text: "straße ﬁne" },
    "lower case": { textTransform: "lowercase" },
    "case as it is": { textTransform: "none" },
    "upper case in Turkish": { textTransform: "uppercase", language: "tr", text: "izmir ılık" },
    rotated: { angle: 20 },
    "in a box of no size": { width: 0, height: 0 },
    "written in one language": { language: "sr-Latn" },
  }),
  ...variants(NARROW, {
    "cut as by default": {},
    "cut at whole lines": { overflowMode: "clip" },
    "cut with an ellipsis": { overflowMode: "ellipsis" },
    "printed beyond its box": { overflowMode: "visible" },
    "shrunk until it fits": { overflowMode: "shrink" },
    "shrunk to the least size and cut": { overflowMode: "shrink", minFontSize: 13 },
    "fails if it does not fit": { overflowMode: "fail" },
    "grows with its text": { fixedHeight: false },
    "of fixed height": { fixedHeight: true, verticalAlign: "bottom" },
    "at most one line": { maxLines: 1, overflowMode: "ellipsis" },
    "at most 1,000 lines": { maxLines: 1_000, fixedHeight: false },
    "grows up to its lines": { fixedHeight: false, maxLines: 2 },
    "a word that is wider than its box": { text: "Donaudampfschifffahrt", overflowMode: "visible" },
    "a box narrower than a letter": { width: 3, overflowMode: "visible", text: "abc" },
    "spaces hang at a line's end": {
      text: "aaaa     bbbbb      cccc",
      textAlign: "right",
      height: 60,
    },
    "soft hyphens": { text: "Donau\u00addampf\u00adschiff\u00adfahrt", height: 60 },
    "line feeds and tabs": { text: "a\tb\n\nc\td\r\ne", height: 90, width: 140 },
  }),
  ...variants(TEXT, {
    "Hebrew, by its first letter": { text: HEBREW },
    "Hebrew from left to right": { text: HEBREW, direction: "ltr" },
    "Latin from right to left": { direction: "rtl" },
    "direction by the text": { text: `1. ${HEBREW}`, direction: "auto" },
    "Arabic with ligatures": { text: ARABIC, fontFamily: "Noto Sans Arabic", fontSize: 20 },
    "Arabic, justified": { text: `${ARABIC} `.repeat(4), textAlign: "justify" },
    "Devanagari with conjuncts": { text: "श्रीमती ऋत्विजा क्षत्रिय", fontSize: 20 },
    "Thai without spaces": { text: "สวัสดีครับที่นี่เป็นข้อความยาว", width: 80 },
    "marks upon marks": {
      text: "Z\u0351\u0349\u0311a\u0300\u0301\u0302l g\u0323\u0307o",
      fontSize: 24,
    },
    "characters without a glyph": { text: "a \u{1f600} \ue000 b" },
    "controls of direction": { text: "abc \u202edef\u202c ghi" },
    "a character U+0000": { text: "a\u0000b" },
  }),
  ...rich({
    "runs of their own sizes": [
      { runs: [{ text: "Small " }, { text: "large ", fontSize: 24 }, { text: "small again" }] },
    ],
    "runs of their own fonts": [
      {
        runs: [
          { text: "Serif ", fontFamily: "Noto Serif" },
          { text: "bold ", fontWeight: 700 },
          { text: "italic ", fontStyle: "italic" },
          { text: "file", font: findSystemFile("Oswald", 400) },
        ],
      },
    ],
    "runs of their own colors": [
      {
        runs: [
          { text: "red ", fill: "#d00000" },
          { text: "faint", fillOpacity: 0.4 },
        ],
      },
    ],
    "runs with lines": [
      {
        runs: [
          { text: "under ", underline: true },
          { text: "through ", strikethrough: true },
          { text: "apart", charSpacing: 3 },
        ],
      },
    ],
    "runs above and below the baseline": [
      {
        runs: [
          { text: "x" },
          { text: "2", fontSize: 8, baselineShift: 6 },
          { text: "i", baselineShift: -4 },
        ],
      },
    ],
    "a run with a link": [
      {
        runs: [
          { text: "See " },
          { text: "the page", link: { type: "url", url: "https://example.com/" } },
        ],
      },
    ],
    "a kerning pair across runs": [{ runs: [{ text: "A" }, { text: "V", fill: "#d00000" }] }],
    "paragraphs with alignments": [
      { textAlign: "right", runs: [{ text: "right" }] },
      { textAlign: "center", runs: [{ text: "center" }] },
      { runs: [{ text: "as the element" }] },
    ],
    "paragraphs with space": [
      { spaceBefore: 20, spaceAfter: 5, runs: [{ text: "one" }] },
      { spaceBefore: 10, runs: [{ text: "two" }] },
    ],
    "paragraphs with line heights": [
      { lineHeight: 2, runs: [{ text: "one\ntwo" }] },
      { runs: [{ text: "three" }] },
    ],
    "paragraphs with directions": [
      { direction: "rtl", runs: [{ text: "to the left" }] },
      { direction: "ltr", runs: [{ text: HEBREW }] },
      { direction: "auto", runs: [{ text: HEBREW }] },
    ],
    "paragraphs of each alignment": ["start", "left", "justify", "end"].map((textAlign) => ({
      textAlign,
      runs: [{ text: "a b", fontSize: 9 }],
    })),
    "upright in an italic text": [
      { runs: [{ text: "up", fontStyle: "normal" }, { text: "right" }] },
    ],
    "no runs at all": [{ runs: [] }],
  }),
};

function rich(texts: Readonly<Record<string, readonly Loose[]>>): Record<string, GoldenCase> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, paragraphs]) => {
      const { text: _, ...box } = TEXT;
      const fontStyle = name.includes("italic") ? { fontStyle: "italic" } : {};
      return [`rich text: ${name}`, elements([{ ...box, ...fontStyle, richText: { paragraphs } }])];
    }),
  );
}
