import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { describe, expect, it } from "vitest";
import { writePdf } from "../../../../src/render/pdf/write-pdf.ts";
import type { DisplayItem } from "../../../../src/templates/display-list.ts";
import { makeShaper, openFont } from "../../../support/fonts/shaper.ts";
import { NO_RESOURCES, PLAIN_OPTIONS, joined, pageOf } from "../../../support/pdf/plain-options.ts";
import { runOf } from "../../../support/pdf/run-of.ts";

const shaper = makeShaper();
const [sans, arabic, hebrew, thai, code] = (
  ["sans", "arabic", "hebrew", "thai", "code"] as const
).map((name) => openFont(shaper, name));

async function write(items: readonly DisplayItem[]): Promise<Uint8Array> {
  const resources = {
    ...NO_RESOURCES,
    face: (key: string) => shaper.find(key) ?? NO_RESOURCES.face(key),
  };
  return joined(writePdf([pageOf(items, { width: 500 })], resources, PLAIN_OPTIONS));
}

/** The text that a reader extracts from the only page, its lines joined. */
async function extracted(items: readonly DisplayItem[]): Promise<string> {
  const data = new Uint8Array(await write(items));
  const page = await (await getDocument({ data, verbosity: 0 }).promise).getPage(1);
  const { items: found } = await page.getTextContent();
  return found.map((item) => ("str" in item ? item.str : "")).join("");
}

describe("text in PDFs", () => {
  it.each([
    [
      "Latin with ligatures and kerning",
      sans,
      "Latn",
      false,
      "Office fluffy AVATAR To, 1,234.50 €",
    ],
    ["decomposed accents", sans, "Latn", false, "Cafe\u0301 e\u0323\u0302 naïve"],
    ["Greek and Cyrillic", sans, "Cyrl", false, "Ёжик Ωmega"],
    ["Devanagari, reordered and joined", sans, "Deva", false, "हिन्दी त्रिकोण कीमत"],
    ["Thai with stacked marks", thai, "Thai", false, "สวัสดีครับ ที่นี่"],
    ["Arabic with ligatures and split letters", arabic, "Arab", true, "السلام عليكم لا إله"],
    ["Hebrew", hebrew, "Hebr", true, "שלום עולם"],
    ["CFF outlines", code, "Latn", false, "const x = 1; // fi"],
  ])("gives back %s in logical order", async (_, face, script, isRightToLeft, text) => {
    if (face === undefined) {
      throw new Error("The font is missing.");
    }
    const run = runOf(face, text, [20, 50], { script, isRightToLeft });
    expect((await extracted([run])).trim()).toBe(text);
  });

  it.each([
    ["TrueType", sans],
    ["CFF", code],
  ])("reads one glyph as different texts where it stands for them, in %s", async (_, face) => {
    if (face === undefined) {
      throw new Error("The font is missing.");
    }
    const run = runOf(face, "ABBA", [20, 50]);
    const other = { ...run, x: 80, clusters: Array.from("АВBA", (text) => ({ text })) };
    const third = { ...run, y: 80, clusters: Array.from("ΑΒВA", (text) => ({ text })) };
    expect(await extracted([run, other, third])).toMatch(/^ABBA ?АВBA ?ΑΒВA$/);
  });

  it("turns right-to-left letters with marks around in CFF, as in TrueType", async () => {
    if (code === undefined) {
      throw new Error("The font is missing.");
    }
    // The font has no Hebrew: its glyphs stand for letters with two marks, and for the same letters without.
    const { glyphs, ...run } = runOf(code, "ABC", [20, 50]);
    const clusters = ["בְּ", "שָׁ", "ב"].map((text) => ({ text }));
    const [first, second] = [glyphs[0], glyphs[1]];
    if (first === undefined || second === undefined) {
      throw new Error("The glyphs are missing.");
    }
    // Of each glyph of 12 pt.
    const width = 7.2;
    const placed = [2, 1, 0].map((cluster, i) => ({
      ...(cluster === 1 ? second : first),
      cluster,
      x: i * width,
    }));
    const line = { ...run, isRightToLeft: true, glyphs: placed, clusters };
    expect((await extracted([line])).normalize("NFD")).toBe("בְּשָׁב".normalize("NFD"));
  });

  it("embeds a subset under its tag and PostScript name, the same for the same glyphs", async () => {
    if (sans === undefined) {
      throw new Error("The font is missing.");
    }
    const one = await write([runOf(sans, "Hello", [20, 50])]);
    expect(one.length).toBeLessThan(9_000);
    expect(await write([runOf(sans, "Hello", [20, 50])])).toEqual(one);
  });
});
