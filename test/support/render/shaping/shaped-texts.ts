/** Texts of every script that the system families have, by which the shaper is compared with HarfBuzz in other builds. */
import type { ShapedFace } from "../../../../src/render/shaping/shaped-face.ts";
import {
  ADVANCE,
  CLUSTER,
  type FontFeatures,
  GLYPH,
  GLYPH_WORDS,
  OFFSET_X,
  OFFSET_Y,
  type ShapedRun,
} from "../../../../src/templates/text/font-face.ts";

export interface Script {
  readonly script: string;
  readonly isRightToLeft: boolean;
  readonly language: string;
  readonly words: string;
  /** Blocks of which random sequences are made, inclusive. */
  readonly blocks: readonly (readonly [number, number])[];
}

const LATIN: Omit<Script, "language" | "words"> = {
  script: "Latn",
  isRightToLeft: false,
  blocks: [
    [0x21, 0x7e],
    [0xa1, 0x24f],
    [0x300, 0x36f],
    [0x1e00, 0x1eff],
  ],
};
export const SCRIPTS: readonly Script[] = [
  { ...LATIN, language: "", words: "office fluffy AVATAR To Wäre Ångström naïve 1⁄2 3/4 x̂ÿ" },
  { ...LATIN, language: "tr", words: "fiil İzmir ılık ıf fı fi ffi ŞĞ şğ" },
  { ...LATIN, language: "vi", words: "Tiếng Việt Nguyễn ế ề ử Đường phố" },
  {
    script: "Grek",
    isRightToLeft: false,
    language: "el",
    words: "Ωμέγα ἀρχὴ ᾠδή Άνθρωπος ΐΰ σας",
    blocks: [
      [0x370, 0x3ff],
      [0x1f00, 0x1fff],
      [0x300, 0x345],
    ],
  },
  {
    script: "Cyrl",
    isRightToLeft: false,
    language: "sr",
    words: "Съешь ещё этих мягких булок бгдпт ћђ й ї ӂ",
    blocks: [
      [0x400, 0x52f],
      [0x300, 0x36f],
    ],
  },
  {
    script: "Arab",
    isRightToLeft: true,
    language: "ar",
    words: "السلام عليكم لا إله إلا الله مُحَمَّد ﷺ فِي ٱلْبَيْتِ لَا ١٢٣",
    blocks: [[0x600, 0x6ff]],
  },
  {
    script: "Arab",
    isRightToLeft: true,
    language: "ur",
    words: "یہ اردو ہے پاکستان ۴۵۶ ہیں گے",
    blocks: [
      [0x600, 0x6ff],
      [0x750, 0x77f],
    ],
  },
  {
    script: "Hebr",
    isRightToLeft: true,
    language: "he",
    words: "שלום עולם בְּרֵאשִׁית בָּרָא אֱלֹהִים יִשְׂרָאֵל לֹא",
    blocks: [[0x591, 0x5f4]],
  },
  {
    script: "Deva",
    isRightToLeft: false,
    language: "hi",
    words: "श्रीमती ऋत्विजा क्षत्रिय र्क कि र्कि द्ध ङ्क ज्ञ र्‍य क्‍ष हिन्दी",
    blocks: [
      [0x900, 0x97f],
      [0x200c, 0x200d],
    ],
  },
  {
    script: "Deva",
    isRightToLeft: false,
    language: "mr",
    words: "मराठी ल श ऱ्य ॲ",
    blocks: [[0x900, 0x97f]],
  },
  {
    script: "Thai",
    isRightToLeft: false,
    language: "th",
    words: "สวัสดีครับที่นี่เป็นข้อความยาว น้ำ ก่ำ ปั๊ม ฐู ญุ ป่า",
    blocks: [[0xe01, 0xe5b]],
  },
];
export const FEATURES: readonly FontFeatures[] = [[], [["kern", 0]], [["liga", 0]], [["smcp", 1]]];
const LENGTH_MAX = 12;

/** A glyph of a run, in units of the font. */
export type GlyphRow = readonly [
  glyph: number,
  cluster: number,
  advance: number,
  x: number,
  y: number,
];

export function rowsOf({ length, records }: ShapedRun): GlyphRow[] {
  return Array.from({ length }, (_, i): GlyphRow => {
    const word = (offset: number) => records[i * GLYPH_WORDS + offset] ?? 0;
    return [word(GLYPH), word(CLUSTER), word(ADVANCE), word(OFFSET_X), word(OFFSET_Y)];
  });
}

/**
 * The words that the face has, and `count` random sequences of its characters; none if it does not have the script. `random`
 * returns whole numbers below its argument.
 */
export function textsOf(
  face: ShapedFace,
  { words, blocks }: Script,
  count: number,
  random: (below: number) => number,
): { readonly words: readonly string[]; readonly random: readonly string[] } {
  const own = blocks
    .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i))
    .filter((codePoint) => face.has(codePoint));
  const all = words.split(" ");
  const printable = all.filter((word) =>
    Array.from(word).every((character) => face.has(character.codePointAt(0) ?? 0)),
  );
  if (printable.length === 0 || own.length === 0) {
    return { words: [], random: [] };
  }
  const made = Array.from({ length: count }, () =>
    Array.from({ length: 1 + random(LENGTH_MAX) }, () =>
      String.fromCodePoint(own[random(own.length)] ?? 0),
    ).join(""),
  );
  return { words: [words, ...all], random: made };
}
