/**
 * Draws a picture for each preset and effect with the model `sample-image`, and writes the page that shows them. The pictures
 * are the same on every machine, so `test/unit/docs/vocabulary.test.ts` compares them:
 *
 * node scripts/draw-vocabulary.ts
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EFFECTS } from "../src/contracts/models/effects.ts";
import { PRESETS } from "../src/contracts/models/presets.ts";
import { drawSamplePicture } from "../src/providers/sample/picture/draw-sample-picture.ts";
import { compiledPackageFile } from "../test/support/compiled-package-file.ts";
import { FOLDER, type ShownWord, vocabularyPage, wordsShown } from "./vocabulary-page.ts";

const DOCS = join(import.meta.dirname, "../docs");
const PIXELS = compiledPackageFile("../src/images/pixels/pixels.wasm");
const SIDE = 160;
/** Of effects with degrees: strong ones are seen best. */
const INTENSITY = 90;

/** The picture of a preset or an effect, as a PNG. */
export async function drawWord({ kind, category, code }: ShownWord): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of drawSamplePicture(PIXELS, {
    prompt: "Teapot",
    seed: 7,
    width: SIDE,
    height: SIDE,
    accent: "auto",
    preset: kind === "preset" ? { category, code } : null,
    effect: kind === "effect" ? { code, intensity: INTENSITY } : null,
    images: [],
  })) {
    pieces.push(piece.slice());
  }
  return Buffer.concat(pieces);
}

if (process.argv[1] === import.meta.filename) {
  const folder = join(DOCS, FOLDER);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const word of wordsShown(PRESETS, EFFECTS)) {
    await writeFile(join(DOCS, word.picture), await drawWord(word));
  }
  await writeFile(join(DOCS, "presets.md"), vocabularyPage(PRESETS, EFFECTS));
}
