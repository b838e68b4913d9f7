/** Vowel marks of Arabic and Hebrew are read with their letters, by each reader. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PDFiumLibrary } from "@hyzyla/pdfium";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import {
  HAS_MUPDF,
  HAS_POPPLER,
  mupdfText,
  popplerText,
} from "../../../support/pdf/judges/pdf-tools.ts";
import { readPdfTexts } from "../../../support/pdf/read-pdf-texts.ts";
import { madeInNode } from "../../../support/render/node-renderer.ts";
import { documentOf } from "../../../support/templates/layout-kit.ts";

const WORDS = [
  "كِتَابٌ",
  "مُحَمَّدٌ",
  "سَلَامٌ",
  "الْحَمْدُ",
  "لِلَّهِ",
  // A mark below the dots of a letter, a madda, and a ligature of lam and alef between marks.
  "بِيَدَيْهِ",
  "آمَنَ",
  "الْإِسْلَامُ",
  "שָׁלוֹם",
  "בְּרֵאשִׁית",
  "לַיְלָה",
];

interface Printed {
  readonly word: string;
  readonly pdf: Uint8Array;
  readonly path: string;
}

let folder = "";
const printed: Printed[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "marks-"));
  for (const [number, word] of WORDS.entries()) {
    const element = { $type: "text", left: 10, top: 10, width: 280, height: 50, fontSize: 24 };
    const page = { width: 300, height: 80, elements: [{ ...element, text: word }] };
    const made = await madeInNode(documentOf([page]) as unknown as JsonValue, {});
    expect(made.report.missing_glyphs, word).toBe(0);
    const path = join(folder, `${String(number)}.pdf`);
    writeFileSync(path, made.pdf);
    printed.push({ word, pdf: made.pdf, path });
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** What a reader gives back of each word, without white space, joiners and directions. */
async function read(reader: (one: Printed) => Promise<string> | string): Promise<string[]> {
  const texts: string[] = [];
  for (const one of printed) {
    texts.push((await reader(one)).replaceAll(/[\s\p{Cf}]/gu, "").normalize("NFC"));
  }
  return texts;
}

const words = () => printed.map(({ word }) => word.normalize("NFC"));

describe("a word with vowel marks", () => {
  test("is read by pdf.js as it was written", async () => {
    expect(await read(async ({ pdf }) => (await readPdfTexts(pdf)).join(""))).toEqual(words());
  });

  test("is read by PDFium as it was written", async () => {
    const library = await PDFiumLibrary.init();
    const texts = await read(async ({ pdf }) => {
      const document = await library.loadDocument(pdf);
      const text = [...document.pages()].map((page) => page.getText()).join("");
      document.destroy();
      return text;
    });
    library.destroy();
    expect(texts).toEqual(words());
  });

  test.skipIf(!HAS_POPPLER)("is read by poppler as it was written", async () => {
    expect(await read(({ path }) => popplerText(path))).toEqual(words());
  });

  // It has right-to-left text in the order of the page, with marks or without.
  test.skipIf(!HAS_MUPDF)("is read by mupdf from left to right", async () => {
    const turned = (text: string) => Array.from(text).toReversed().join("");
    const texts = await read(({ path }) => turned(mupdfText(path)));
    expect(texts).toEqual(words());
  });
});
