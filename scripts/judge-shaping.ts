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
import { type FontFeatures, shapeOptions } from "../src/templates/text/font-face.ts";
import { compiledPackageFile } from "../test/support/compiled-package-file.ts";
import { realFont } from "../test/support/fonts/real-fonts.ts";
import {
  FEATURES,
  type GlyphRow,
  rowsOf,
  type Script,
  SCRIPTS,
  textsOf,
} from "../test/support/render/shaping/shaped-texts.ts";
import { randomOf } from "../test/support/templates/mutate-document.ts";
import { SYSTEM_FONT_SOURCES } from "./system-font-sources.ts";

const RANDOM_TEXTS = 150;
const SHOWN = 20;
const DOTTED_CIRCLE = 0x25cc;
/** Unicode discourages them. */
const DECOMPOSED = /[\u0675-\u0678]/;

const version = hbShape("--version").split("\n")[0] ?? "";
const shaper = new Shaper({
  harfBuzz: compiledPackageFile("harfbuzzjs/dist/harfbuzz.wasm"),
  subsetter: compiledPackageFile("../src/render/shaping/harfbuzz-subset.wasm"),
});
const random = randomOf(20_261_123);
const counts = { files: 0, runs: 0, glyphs: 0, circles: 0, decomposed: 0, differing: 0 };

for (const { files } of SYSTEM_FONT_SOURCES) {
  for (const path of Object.values(files)) {
    const bytes = realFont(path);
    const face = shaper.open(createHash("sha256").update(bytes).digest("hex"), bytes);
    counts.files += 1;
    for (const script of SCRIPTS) {
      const { words, random: made } = textsOf(face, script, RANDOM_TEXTS, random);
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
  const circles = (rows: readonly GlyphRow[]) => rows.filter(([glyph]) => glyph === circle).length;
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
    const ours = rowsOf(face.shape(text, options));
    const theirs = shownRows(lines[i] ?? "");
    counts.runs += 1;
    counts.glyphs += ours.length;
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
function shownRows(line: string): GlyphRow[] {
  return [...line.matchAll(/(\d+)=(\d+)(?:@(-?\d+),(-?\d+))?\+(-?\d+)/g)].map(
    ([, glyph, cluster, x = "0", y = "0", advance]): GlyphRow => [
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
