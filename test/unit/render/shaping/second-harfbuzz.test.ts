/**
 * The shaper beside HarfBuzz in another build (`second-harfbuzz.ts`): every file of the system families, with words of all
 * its scripts and random sequences of their characters, in both directions, with features and languages.
 */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SYSTEM_FONT_SOURCES } from "../../../../scripts/system-font-sources.ts";
import type { ShapedFace } from "../../../../src/render/shaping/shaped-face.ts";
import { shapeOptions } from "../../../../src/templates/text/font-face.ts";
import { realFont } from "../../../support/fonts/real-fonts.ts";
import { FONT_PATHS, makeShaper, openFont } from "../../../support/fonts/shaper.ts";
import { type JudgedRun, SecondFont } from "../../../support/render/shaping/second-harfbuzz.ts";
import {
  FEATURES,
  type GlyphRow,
  rowsOf,
  SCRIPTS,
  textsOf,
} from "../../../support/render/shaping/shaped-texts.ts";
import { sizeOf } from "../../../support/sizes.ts";
import { randomOf } from "../../../support/templates/mutate-document.ts";

type Shape = (face: ShapedFace, text: string, run: JudgedRun) => GlyphRow[];

const shapeAsPrinted: Shape = (face, text, run) => rowsOf(face.shape(text, shapeOptions(run)));
const FILES = SYSTEM_FONT_SOURCES.flatMap(({ files }) => Object.values(files));

interface Compared {
  runs: number;
  glyphs: number;
  readonly scripts: Set<string>;
  readonly differing: string[];
}

/** Every run of these files, shaped by both. */
function compare(files: readonly string[], sequences: number, shape = shapeAsPrinted): Compared {
  const shaper = makeShaper();
  const random = randomOf(20_261_128);
  const compared: Compared = { runs: 0, glyphs: 0, scripts: new Set(), differing: [] };
  for (const path of files) {
    const bytes = realFont(path);
    const face = shaper.open(createHash("sha256").update(bytes).digest("hex"), bytes);
    const second = new SecondFont(bytes);
    for (const script of SCRIPTS) {
      const texts = textsOf(face, script, sequences, random);
      for (const text of [...texts.words, ...texts.random]) {
        for (const features of FEATURES) {
          const run = { ...script, features };
          const [ours, theirs] = [shape(face, text, run), second.shape(text, run)];
          compared.runs += 1;
          compared.glyphs += theirs.length;
          compared.scripts.add(`${script.script} ${script.language}`.trim());
          if (JSON.stringify(ours) !== JSON.stringify(theirs)) {
            compared.differing.push(shown(path, text, run, [ours, theirs]));
          }
        }
      }
    }
    second.close();
    shaper.drop();
  }
  return compared;
}

function shown(path: string, text: string, run: JudgedRun, rows: readonly GlyphRow[][]): string {
  const codePoints = Array.from(text, (one) => one.codePointAt(0)?.toString(16)).join(" ");
  return `${path} ${shapeOptions(run).key} ${codePoints}: ${JSON.stringify(rows)}`;
}

describe("HarfBuzz in another build", () => {
  it("shapes every word of every script in every system font to the same glyphs, clusters and places", () => {
    const compared = compare(FILES, sizeOf("judgedSequences"));
    expect(compared.differing.slice(0, 20)).toEqual([]);
    expect(FILES.length).toBeGreaterThan(20);
    expect(compared.scripts).toEqual(
      new Set(SCRIPTS.map(({ script, language }) => `${script} ${language}`.trim())),
    );
    expect(compared.glyphs).toBeGreaterThan(compared.runs);
  });

  const letters = [FONT_PATHS.sans, FONT_PATHS.serif, FONT_PATHS.arabic, FONT_PATHS.thai];
  it.each<[string, Shape]>([
    [
      "without kerning",
      (face, text, run) => shapeAsPrinted(face, text, { ...run, features: [["kern", 0]] }),
    ],
    [
      "without ligatures",
      (face, text, run) => shapeAsPrinted(face, text, { ...run, features: [["liga", 0]] }),
    ],
    [
      "without the language",
      (face, text, run) => shapeAsPrinted(face, text, { ...run, language: "" }),
    ],
    [
      "in the script of Latin",
      (face, text, run) => shapeAsPrinted(face, text, { ...run, script: "Latn" }),
    ],
    [
      "in the other direction",
      (face, text, run) =>
        shapeAsPrinted(face, text, { ...run, isRightToLeft: !run.isRightToLeft }),
    ],
    [
      "a character at a time",
      (face, text, run) => Array.from(text).flatMap((one) => shapeAsPrinted(face, one, run)),
    ],
    [
      "with one unit too much",
      (face, text, run) =>
        shapeAsPrinted(face, text, run).map(([glyph, cluster, advance, x, y], i) => [
          glyph,
          cluster,
          advance,
          x,
          i === 2 ? y + 1 : y,
        ]),
    ],
  ])("finds a shaper that shapes %s", (_fault, shape) => {
    expect(compare(letters, 0, shape).differing).not.toEqual([]);
  });

  it("reads another file as other glyphs", () => {
    const bold = new SecondFont(realFont(FONT_PATHS.bold));
    const run = { isRightToLeft: false, script: "Latn", language: "", features: [] };
    const ours = shapeAsPrinted(openFont(makeShaper(), "sans"), "AVATAR", run);
    expect(ours).not.toEqual(bold.shape("AVATAR", run));
    bold.close();
  });
});
