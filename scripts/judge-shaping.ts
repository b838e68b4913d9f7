/**
 * Compares the shaper with `hb-shape`, HarfBuzz in another build, where it is installed: every file of the system families
 * with words of all its scripts and random sequences of their characters, in both directions, with features and languages.
 * Prints the runs that differ. In random sequences that no word has, versions of HarfBuzz differ in where they insert a dotted
 * circle, and where they place marks upon letters that decompose into a letter and a hamza; these are only counted:
 *
 * node scripts/judge-shaping.ts
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { Shaper } from "../src/render/shaping/shaper.ts";
import type { ShapedFace } from "../src/render/shaping/shaped-face.ts";
import {
  ADVANCE,
  CLUSTER,
  type FontFeatures,
  GLYPH,
  GLYPH_WORDS,
  OFFSET_X,
  OFFSET_Y,
  shapeOptions,
} from "../src/templates/text/font-face.ts";
import { compiledPackageFile } from "../test/support/compiled-package-file.ts";
import { realFont } from "../test/support/fonts/real-fonts.ts";
import { randomOf } from "../test/support/templates/mutate-document.ts";
import { SYSTEM_FONT_SOURCES } from "./system-font-sources.ts";

interface Script {
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
const SCRIPTS: readonly Script[] = [
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
const FEATURES: readonly FontFeatures[] = [[], [["kern", 0]], [["liga", 0]], [["smcp", 1]]];
const RANDOM_TEXTS = 150;
const LENGTH_MAX = 12;
const SHOWN = 20;

type Row = readonly [glyph: number, cluster: number, advance: number, x: number, y: number];

const version = hbShape("--version").split("\n")[0] ?? "";
const shaper = new Shaper({
  harfBuzz: compiledPackageFile("harfbuzzjs/dist/harfbuzz.wasm"),
  subsetter: compiledPackageFile("../src/render/shaping/harfbuzz-subset.wasm"),
});
const random = randomOf(20_261_123);
const counts = { files: 0, runs: 0, glyphs: 0, circles: 0, decomposed: 0, differing: 0 };
const DOTTED_CIRCLE = 0x25cc;
/** Unicode discourages them. */
const DECOMPOSED = /[\u0675-\u0678]/;

for (const { files } of SYSTEM_FONT_SOURCES) {
  for (const path of Object.values(files)) {
    const bytes = realFont(path);
    const face = shaper.open(createHash("sha256").update(bytes).digest("hex"), bytes);
    counts.files += 1;
    for (const script of SCRIPTS) {
      const { words, random: made } = textsOf(face, script);
      for (const features of words.length === 0 ? [] : FEATURES) {
        compare(path, face, script, words, features, false);
        compare(path, face, script, made, features, true);
      }
    }
    shaper.drop();
  }
}
console.log(
  `${version}: ${counts.files} files, ${counts.runs} runs, ${counts.glyphs} glyphs; ${counts.circles} random sequences have another count of dotted circles, ${counts.decomposed} other marks upon decomposed letters, ${counts.differing} other runs differ`,
);
process.exitCode = counts.differing === 0 && counts.runs > 0 ? 0 : 1;

/** The words, and random sequences of characters that the face has; none if it does not have the script. */
function textsOf(
  face: ShapedFace,
  { words, blocks }: Script,
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
  const made = Array.from({ length: RANDOM_TEXTS }, () =>
    Array.from({ length: 1 + random(LENGTH_MAX) }, () =>
      String.fromCodePoint(own[random(own.length)] ?? 0),
    ).join(""),
  );
  return { words: [words, ...all], random: made };
}

function compare(
  path: string,
  face: ShapedFace,
  { script, isRightToLeft, language }: Script,
  texts: readonly string[],
  features: FontFeatures,
  isRandom: boolean,
): void {
  const options = shapeOptions({ isRightToLeft, script, language, features });
  const circle = face.glyphOf(DOTTED_CIRCLE);
  const circles = (rows: readonly Row[]) => rows.filter(([glyph]) => glyph === circle).length;
  const lines = hbShape(
    fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url).href),
    "--text-file=-",
    "--shapers=ot",
    "--no-glyph-names",
    "--remove-default-ignorables",
    `--direction=${isRightToLeft ? "rtl" : "ltr"}`,
    `--script=${script}`,
    ...(language === "" ? [] : [`--language=${language}`]),
    ...features.map(([tag, value]) => `--features=${tag}=${value}`),
    { input: `${texts.join("\n")}\n` },
  ).split("\n");
  for (const [i, text] of texts.entries()) {
    const { length, records } = face.shape(text, options);
    const ours = Array.from({ length }, (_, glyph): Row => {
      const word = (offset: number): number => records[glyph * GLYPH_WORDS + offset] ?? 0;
      return [word(GLYPH), word(CLUSTER), word(ADVANCE), word(OFFSET_X), word(OFFSET_Y)];
    });
    const theirs = rowsOf(lines[i] ?? "");
    counts.runs += 1;
    counts.glyphs += length;
    if (JSON.stringify(ours) === JSON.stringify(theirs)) {
      continue;
    }
    if (isRandom && circles(ours) !== circles(theirs)) {
      counts.circles += 1;
    } else if (isRandom && DECOMPOSED.test(text)) {
      counts.decomposed += 1;
    } else {
      counts.differing += 1;
      if (counts.differing <= SHOWN) {
        const codePoints = Array.from(text, (one) => one.codePointAt(0)?.toString(16)).join(" ");
        console.log(
          `${path} ${options.key}: ${codePoints}\n  ours   ${JSON.stringify(ours)}\n  theirs ${JSON.stringify(theirs)}`,
        );
      }
    }
  }
}

/** `[glyph=cluster@x,y+advance|…]`; clusters count characters, of which all here are of one UTF-16 unit. */
function rowsOf(line: string): Row[] {
  return [...line.matchAll(/(\d+)=(\d+)(?:@(-?\d+),(-?\d+))?\+(-?\d+)/g)].map(
    ([, glyph, cluster, x = "0", y = "0", advance]): Row => [
      Number(glyph),
      Number(cluster),
      Number(advance),
      Number(x),
      Number(y),
    ],
  );
}

function hbShape(...args: readonly (string | { readonly input: string })[]): string {
  const words = args.filter((arg) => typeof arg === "string");
  const [given] = args.filter((arg) => typeof arg !== "string");
  const { status, stdout, stderr, error } = spawnSync("hb-shape", words, {
    encoding: "utf8",
    input: given?.input ?? "",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined || status !== 0) {
    throw new Error(`hb-shape ${words.join(" ")}: ${error?.message ?? stderr}`);
  }
  return stdout;
}
