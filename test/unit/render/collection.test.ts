/**
 * The PDF of `aggregate/pdf`: each character that an element prints by itself is in the whole, on the page where it was,
 * and none is counted twice or lost. `accounting.test.ts` accounts for what an element prints by itself.
 */
import { expect, test } from "vitest";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { buildEdited, type Edit } from "../../simulation/planted/build-edited.ts";
import { testInProof } from "../../support/in-proof.ts";
import { readPdfTexts } from "../../support/pdf/read-pdf-texts.ts";
import { accountedDocuments, randomValues } from "../../support/render/accounted-documents.ts";
import * as renderer from "../../support/render/node-renderer.ts";
import { sizeOf } from "../../support/sizes.ts";
import { documentOf, field } from "../../support/templates/layout-kit.ts";

type Renderer = Pick<typeof renderer, "collectInNode" | "madeInNode">;

const SETS = 10;
const all = accountedDocuments();
const documents = all.filter(
  (_, i) => i % Math.ceil(all.length / sizeOf("collectedDocuments")) === 0,
);

/** The text of each page of the whole, and of the elements' own PDFs, one after the other. */
async function pagesOf(
  document: JsonValue,
  sets: readonly JsonValue[],
  { collectInNode, madeInNode }: Renderer = renderer,
) {
  const whole = await readPdfTexts(await collectInNode(document, sets));
  const single: string[] = [];
  let characters = 0;
  for (const values of sets) {
    const { pdf, report } = await madeInNode(document, values);
    single.push(...(await readPdfTexts(pdf)));
    characters += report.characters_printed;
  }
  return { whole, single, characters };
}

test.each(documents)("has all characters of all elements: $name", async (accounted) => {
  const random = new SeededRandom(all.indexOf(accounted) + 1);
  const sets = Array.from({ length: SETS }, () => randomValues(accounted, random));
  const { whole, single, characters } = await pagesOf(accounted.document, sets);
  expect(whole).toEqual(single);
  expect(characters).toBeGreaterThan(SETS);
});

/** Elements with letters of their own, so that the whole has more glyphs than one of its documents. */
const LETTERS = documentOf([
  [
    {
      $type: "text",
      width: 180,
      height: 60,
      text: "None",
      placeholder: field("name", "text"),
    },
  ],
]) as unknown as JsonValue;
const OWN = Array.from({ length: 8 }, (_, set) => ({
  name: Array.from({ length: 20 }, (__, i) =>
    String.fromCodePoint(0x410 + ((set * 20 + i) % 160)),
  ).join(""),
}));

test("has the characters of more glyphs than one element prints", async () => {
  const { whole, single } = await pagesOf(LETTERS, OWN);
  expect(whole).toEqual(single);
});

const FAULTS: readonly (readonly [string, Edit])[] = [
  [
    "the text of one glyph in a hundred is lost",
    {
      file: "src/render/pdf/font-embedder.ts",
      from: "at += CMAP_BLOCK_MAX) {",
      to: "at += CMAP_BLOCK_MAX + 1) {",
    },
  ],
  [
    "an element is printed with the values of the first",
    {
      file: "src/workers/renderer/render-collection.ts",
      from: "      const pages = await layOutOne(place, { request: { ...request, values }, inputs }, shared, {",
      to: "      const pages = await layOutOne(place, { request: { ...request, values: (shared.first ??= values) }, inputs }, shared, {",
    },
  ],
  [
    "the last page of an element with several is left out",
    {
      file: "src/workers/renderer/render-collection.ts",
      from: "  return pages;",
      to: "  return pages.slice(0, Math.max(1, pages.length - 1));",
    },
  ],
];

testInProof.each(FAULTS)("differs if %s", async (_what, fault) => {
  const edited = await buildEdited<Renderer>("test/support/render/node-renderer.ts", fault);
  const brochure = all.find(({ name }) => name === "brochure");
  const random = new SeededRandom(1);
  const sets = Array.from({ length: SETS }, () => randomValues(brochure!, random));
  const found = [
    await pagesOf(LETTERS, OWN, edited),
    await pagesOf(brochure!.document, sets, edited),
  ];
  expect(found.some(({ whole, single }) => JSON.stringify(whole) !== JSON.stringify(single))).toBe(
    true,
  );
});
