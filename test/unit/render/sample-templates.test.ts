/** The sample templates print what they promise: each with each of its sample sets, through the whole renderer. */
import { describe, expect, it } from "vitest";
import { plainNumbers } from "../../../src/contracts/workflows/plain-numbers.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { validateDocument } from "../../../src/templates/document/validate-document.ts";
import { readPdfTexts } from "../../support/pdf/read-pdf-texts.ts";
import { madeInNode } from "../../support/render/node-renderer.ts";
import { readSample, SAMPLE_NAMES } from "../../support/render/read-sample.ts";

/** Pages of each sample with each of its sample sets. */
const PAGES = {
  "airport-card": { Denver: 1, "A long name": 1, "Only what is required": 1 },
  brochure: { "As designed": 2 },
  certificate: { Latin: 1, Arabic: 1, Devanagari: 1 },
  flyer: { "Night market": 1, "Flea market": 1 },
  invoice: { "Three pages": 3, "One item": 1, "No items": 1 },
  logo: { Default: 1 },
} as const satisfies Record<(typeof SAMPLE_NAMES)[number], Record<string, number>>;

const samples = SAMPLE_NAMES.map((name) => ({ name, ...readSample(name) }));
const renders = samples.flatMap(({ name, document, sets }) =>
  sets.map((set) => ({
    sample: name,
    set: set.name,
    values: set.values,
    document,
  })),
);

describe("sample templates", () => {
  it.each(samples)("$name is a valid document with the sample sets that are known", (sample) => {
    expect(validateDocument(plainNumbers(sample.document))).toMatchObject({ ok: true });
    expect(sample.sets.map(({ name }) => name)).toEqual(Object.keys(PAGES[sample.name]));
  });

  it.each(renders)("$sample prints $set whole", async ({ sample, set, document, values }) => {
    const { report, pageCount, pdf } = await madeInNode(document, values);
    expect(report).toMatchObject({ status: "ok", characters_cut: 0, missing_glyphs: 0 });
    expect(pageCount).toBe((PAGES[sample] as Record<string, number>)[set]);
    const text = withoutSpace((await readPdfTexts(pdf)).join(""));
    const missing = textsIn(values).filter((value) => !text.includes(withoutSpace(value)));
    expect(missing).toEqual([]);
  });

  it("repeats the invoice's header on each page, and prints its totals on the last", async () => {
    const { document, sets } = readSample("invoice");
    const values = sets.find(({ name }) => name === "Three pages")?.values ?? {};
    const texts = await readPdfTexts((await madeInNode(document, values)).pdf);
    expect(texts.map((text) => text.includes("Unit price"))).toEqual([true, true, true]);
    expect(texts.map((text) => text.includes("Subtotal"))).toEqual([false, false, true]);
    expect(texts.map((text) => /Page (\d) of 3/.exec(text)?.[1])).toEqual(["1", "2", "3"]);
  });
});

/** Texts that print as they are: no dates, colors and pictures. */
function textsIn(value: JsonValue): string[] {
  if (typeof value === "string") {
    return /^(?:data:|\d{4}-\d\d-\d\d)/.test(value) ? [] : [value];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/gu, "");
}
