/** docs/presets.md has every preset and effect, with the picture that the sample model draws for it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drawWord } from "../../../scripts/draw-vocabulary.ts";
import { FOLDER, vocabularyPage, wordsShown } from "../../../scripts/vocabulary-page.ts";
import { EFFECTS } from "../../../src/contracts/models/effects.ts";
import { PRESETS } from "../../../src/contracts/models/presets.ts";

const DOCS = join(import.meta.dirname, "../../../docs");
const WORDS = wordsShown(PRESETS, EFFECTS);

test("the page is the one that the vocabulary gives", () => {
  expect(readFileSync(join(DOCS, "presets.md"), "utf8")).toBe(vocabularyPage(PRESETS, EFFECTS));
});

test("there is one picture for each preset and effect, as the sample model draws it", async () => {
  const names = WORDS.map(({ picture }) => picture.slice(FOLDER.length + 1));
  expect(readdirSync(join(DOCS, FOLDER)).toSorted()).toEqual(names.toSorted());
  for (const word of WORDS) {
    // oxlint-disable-next-line no-await-in-loop -- small pictures
    const isSame = readFileSync(join(DOCS, word.picture)).equals(await drawWord(word));
    expect([word.picture, isSame]).toEqual([word.picture, true]);
  }
});

test("no two of the same category look the same", () => {
  const seen = new Map<string, string>();
  for (const { picture } of WORDS) {
    const bytes = readFileSync(join(DOCS, picture)).toString("base64");
    expect([picture, seen.get(bytes)]).toEqual([picture, undefined]);
    seen.set(bytes, picture);
  }
});
