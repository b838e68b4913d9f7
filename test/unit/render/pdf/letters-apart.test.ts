/** Words whose letters stand apart are read as words, by the readers that know ActualText. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PDFiumLibrary } from "@hyzyla/pdfium";
import { expect, test } from "vitest";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { HAS_POPPLER, popplerText } from "../../../support/pdf/judges/pdf-tools.ts";
import { madeInNode } from "../../../support/render/node-renderer.ts";
import { documentOf } from "../../../support/templates/layout-kit.ts";

const APART = { $type: "text", left: 10, width: 580, height: 30, fontSize: 12 };
/** By what is printed: elements of a page, from top to bottom. */
const TEXTS: readonly (readonly [text: string, element: object])[] = [
  ["Letters apart in a line", { charSpacing: 5 }],
  ["MORE THAN A SPACE", { charSpacing: 14 }],
  ["just beyond what readers take for a space", { charSpacing: 1.3 }],
  ["nearer than that", { charSpacing: 0.5 }],
  ["हिन्दी नमस्ते", { charSpacing: 4 }],
  ["Ёжик и ёлка", { charSpacing: 6 }],
  ["shrunk letters apart", { charSpacing: 2, overflowMode: "shrink", width: 160, height: 12 }],
];
const RICH = ["Beside ", "others", " in a line"];

async function printed(): Promise<Uint8Array> {
  const elements = TEXTS.map(([text, element], i) => {
    return { ...APART, top: 10 + i * 40, text, ...element };
  });
  const runs = RICH.map((text, i) => ({ text, ...(i === 1 && { charSpacing: 5 }) }));
  const rich = { ...APART, top: 10 + TEXTS.length * 40, richText: { paragraphs: [{ runs }] } };
  const page = { width: 600, height: 400, elements: [...elements, rich] };
  const { pdf } = await madeInNode(documentOf([page]) as unknown as JsonValue, {});
  return pdf;
}

const WANTED = [...TEXTS.map(([text]) => text), RICH.join("")];

const linesOf = (text: string): string[] =>
  text
    .split(/[\r\n\f]+/)
    .map((line) => line.replaceAll("\u{2060}", "").trim())
    .filter((line) => line !== "");

test("PDFium reads words whose letters stand apart as words", async () => {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(await printed());
  const text = [...document.pages()].map((page) => page.getText()).join("\n");
  document.destroy();
  library.destroy();
  expect(linesOf(text)).toEqual(WANTED);
});

test.skipIf(!HAS_POPPLER)("poppler reads words whose letters stand apart as words", async () => {
  const folder = mkdtempSync(join(tmpdir(), "apart-"));
  const path = join(folder, "apart.pdf");
  writeFileSync(path, await printed());
  const lines = linesOf(popplerText(path));
  rmSync(folder, { recursive: true });
  expect(lines).toEqual(WANTED);
});
