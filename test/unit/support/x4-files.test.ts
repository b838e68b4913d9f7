/** Every PDF/X-4 file that a test makes is held to our own checker (`test/support/pdf/x4/check-x4.ts`). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Tests that name the mode and make no file, with the reason. */
const WITHOUT_FILE = new Map([
  ["unit/support/x4-files.test.ts", "this one"],
  ["unit/templates/layout/contents.test.ts", "lays out links, which such a file does not have"],
  ["unit/workers/renderer/load-pdf-mode.test.ts", "reads profiles"],
  ["unit/workflows/template-nodes.test.ts", "validates definitions"],
  ["worker/templates/direct-render.test.ts", "asks without a profile, and is refused"],
]);

const makesOne = (text: string) => /pdfx4|\bx4Options\b/.test(text);
const isChecked = (text: string) => /\bcheckX4(?:File)?\(/.test(text);

test("no test makes a PDF/X-4 file without checking it", () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => ({ name, text: readFileSync(join(ROOT, name), "utf8") }))
    .filter(({ text }) => makesOne(text));
  const unchecked = files.filter(({ text }) => !isChecked(text)).map(({ name }) => name);
  expect(unchecked.toSorted()).toEqual([...WITHOUT_FILE.keys()].toSorted());
  expect(files.length - unchecked.length).toBeGreaterThan(4);
});

test("one that does is found", () => {
  const planted = 'await render({ pdf_export_mode: "pdfx4", color_profile_guid });';
  expect([makesOne(planted), isChecked(planted)]).toEqual([true, false]);
});
