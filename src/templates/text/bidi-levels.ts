import bidiFactory from "bidi-js";
import type { TextDirection } from "./text-spec.ts";
import { classOf, flagsOf, MARK } from "./unicode/character-classes.ts";

const bidi = bidiFactory();

/** Letters of right-to-left scripts, and the controls of UAX 9. Other texts have one level. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const SUPPLEMENTARY = /[\u{10000}-\u{10ffff}]/gu;

export interface BidiLevels {
  readonly baseLevel: number;
  /** For each UTF-16 unit; undefined if all have the base level. */
  readonly levels: Uint8Array | undefined;
}

/** The embedding levels of one paragraph by UAX 9, before the rules for lines. */
export function bidiLevels(text: string, direction: TextDirection): BidiLevels {
  const isPlain = !RIGHT_TO_LEFT.test(text);
  if (isPlain && direction !== "rtl") {
    return { baseLevel: 0, levels: undefined };
  }
  // bidi-js knows no code points above U+FFFF: each is replaced by two characters of its class.
  const basic = text.replace(SUPPLEMENTARY, (character) =>
    standIn(character.codePointAt(0) ?? 0).repeat(2),
  );
  const { levels, paragraphs } = bidi.getEmbeddingLevels(basic, direction);
  return { baseLevel: paragraphs[0]?.level ?? (direction === "rtl" ? 1 : 0), levels };
}

const LETTER = "a";
const MARK_SIGN = "\u0301";
const HEBREW_LETTER = "\u05d0";
const ARABIC_LETTER = "\u0627";
const SYMBOL = "\u2603";

/** Blocks of Arabic and its neighbors, whose letters have the class AL. */
const ARABIC_BLOCKS: readonly (readonly [first: number, last: number])[] = [
  [0x1_0d00, 0x1_0d3f],
  [0x1_0ec0, 0x1_0eff],
  [0x1_0f30, 0x1_0f6f],
  [0x1_ec70, 0x1_ecbf],
  [0x1_ed00, 0x1_ed4f],
  [0x1_ee00, 0x1_eeff],
];

/** A character below U+10000 with the class of the code point, by the blocks of Unicode 17. */
function standIn(codePoint: number): string {
  const isRightToLeft =
    (codePoint >= 0x1_0800 && codePoint <= 0x1_0fff) ||
    (codePoint >= 0x1_e800 && codePoint <= 0x1_efff);
  if (codePoint >= 0xe_0000) {
    return MARK_SIGN;
  }
  if (!isRightToLeft) {
    return codePoint >= 0x1_f300 && codePoint <= 0x1_faff ? SYMBOL : LETTER;
  }
  if ((flagsOf(classOf(codePoint)) & MARK) !== 0) {
    return MARK_SIGN;
  }
  return ARABIC_BLOCKS.some(([first, last]) => codePoint >= first && codePoint <= last)
    ? ARABIC_LETTER
    : HEBREW_LETTER;
}
