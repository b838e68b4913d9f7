import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readPdfTexts } from "../../support/pdf/read-pdf-texts.ts";

const DOCUMENTS = new URL("../../../bench/peers/documents/", import.meta.url);
const ROWS = 3;

interface Contender {
  readonly invoice: (model: object) => Promise<Uint8Array>;
  readonly table: (model: readonly object[]) => Promise<Uint8Array>;
}

interface Models {
  readonly invoice: (seed: number) => { readonly values: Readonly<Record<string, string>> };
  readonly table: (seed: number, rows: number) => readonly Readonly<Record<string, string>>[];
}

/** Ours, and the libraries that are installed; the browser and what starts processes are left to `npm run bench`. */
const CONTENDERS = [
  ["edgeloom", null],
  ["pdfkit", "pdfkit"],
  ["pdfmake", "pdfmake"],
  ["react-pdf", "@react-pdf/renderer"],
  ["pdfme", "@pdfme/generator"],
] as const;

const isInstalled = (name: string | null) =>
  name === null ||
  existsSync(fileURLToPath(new URL(`node_modules/${name}/package.json`, DOCUMENTS).href));

const font = readFileSync(
  createRequire(import.meta.url).resolve(
    "@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf",
  ),
);

describe.each(CONTENDERS.filter(([, name]) => isInstalled(name)))("the contender %s", (id) => {
  it("prints the invoice and the table of the bench", async () => {
    const models = (await import(new URL("models.mjs", DOCUMENTS).href)) as Models;
    const { open } = (await import(new URL(`${id}.mjs`, DOCUMENTS).href)) as {
      open: (file: Uint8Array) => Contender | Promise<Contender>;
    };
    const contender = await open(font);
    const invoice = models.invoice(1);
    const rows = models.table(1, ROWS);
    const textOf = async (pdf: Uint8Array) =>
      (await readPdfTexts(new Uint8Array(pdf))).join("\n").replaceAll(/\s+/g, " ");
    const printed = await textOf(await contender.invoice(invoice));
    for (const value of Object.values(invoice.values)) {
      expect(printed).toContain(value);
    }
    const listed = await textOf(await contender.table(rows));
    for (const { name, total } of rows) {
      expect(listed).toContain(name);
      expect(listed).toContain(total);
    }
  });
});
