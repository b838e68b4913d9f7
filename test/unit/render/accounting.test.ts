/**
 * Every character of every value is found in the PDF by pdf.js, in its order, or is counted as cut: in total, in each field and
 * for each text. A field's characters, letters and marks, occur nowhere else, so that the PDF tells whose they are.
 */
import { describe, expect, it } from "vitest";
import type { LayoutReport } from "../../../src/contracts/templates/layout-report.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { readPdfTexts } from "../../support/pdf/read-pdf-texts.ts";
import {
  type AccountedDocument,
  accountedDocuments,
  randomValues,
} from "../../support/render/accounted-documents.ts";
import { madeInNode } from "../../support/render/node-renderer.ts";
import { sizeOf } from "../../support/sizes.ts";
import { documentOf } from "../../support/templates/layout-kit.ts";

const documents = accountedDocuments();
const SETS = Math.ceil(sizeOf("accountedSets") / documents.length);
const POLICIES = ["template", "template", "fit", "clip"] as const;

/** Texts that did not print as they were authored. */
const met = { cut: 0, shrunk: 0, overflowed: 0 };

type Values = { readonly [code: string]: JsonValue };

describe("the characters of a render", () => {
  it.each(documents)(
    "are all in the PDF or counted as cut: $name",
    { timeout: 600_000 },
    async (accounted) => {
      for (let set = 0; set < SETS; set += 1) {
        const random = new SeededRandom(set * documents.length + documents.indexOf(accounted) + 1);
        const values = randomValues(accounted, random);
        const { extracted, report } = await render(accounted, values, random.pick(POLICIES));
        checkAccount(accounted, values, report, extracted);
        for (const { outcome } of report.texts) {
          met[outcome] += 1;
        }
      }
    },
  );

  it("are those of 30 documents, of which some are cut, shrunk and outside their boxes", () => {
    expect(documents).toHaveLength(30);
    expect(Math.min(...Object.values(met))).toBeGreaterThan(5);
  });

  it.each([
    ["is in the values alone", (values: Values) => ({ ...values, a: `${values["a"] as string}а` })],
    [
      "is in the PDF alone",
      (values: Values) => ({ ...values, a: (values["a"] as string).slice(1) }),
    ],
    [
      "stands at another place",
      (values: Values) => ({ ...values, a: turned(values["a"] as string) }),
    ],
    [
      "is a mark of another letter",
      (values: Values) => ({
        ...values,
        a: (values["a"] as string).replace(/(\P{M})(\p{M})/u, "$2$1"),
      }),
    ],
  ])("are not accounted for if one %s", async (_, change) => {
    const [accounted] = documents.filter(({ own }) => own !== undefined);
    if (accounted === undefined) {
      throw new Error("There is no generated document.");
    }
    const values = randomValues(accounted, new SeededRandom(1));
    const { extracted, report } = await render(accounted, values, "template");
    checkAccount(accounted, values, report, extracted);
    expect(() => {
      checkAccount(accounted, change(values), report, extracted);
    }).toThrow();
  });
});

it("marks are read as themselves in a font whose glyphs have one text each, in whatever order they were given", async () => {
  // Above and below, below and above; then each by itself.
  const text = "\u03b6\u0308\u0331\u03b7\u0331\u0308\u03b8\u0331\u03b1\u0308";
  const element = { $type: "text", width: 200, height: 40, fontFamily: "Source Code Pro", text };
  const page = { width: 400, height: 100, elements: [{ ...element, left: 10, top: 10 }] };
  const { pdf, report } = await madeInNode(documentOf([page]) as unknown as JsonValue, {});
  expect(report.missing_glyphs).toBe(0);
  expect((await readPdfTexts(pdf)).join("").normalize("NFD")).toBe(text.normalize("NFD"));
});

async function render(
  { document }: AccountedDocument,
  values: Values,
  policy: (typeof POLICIES)[number],
) {
  const { pdf, report } = await madeInNode(document, values, {
    options: { overflow_policy: policy },
  });
  return { report, extracted: (await readPdfTexts(pdf)).join("\n") };
}

function checkAccount(
  { alphabets, own }: AccountedDocument,
  values: Values,
  report: LayoutReport,
  extracted: string,
): void {
  const seen = JSON.stringify(values);
  checkSums(report, seen);
  for (const [code, alphabet] of alphabets) {
    const { text, isInOrder } = printedOf(code, values, report);
    const [found, printed] = [onlyOf(extracted, alphabet), onlyOf(text, alphabet)];
    expect(sorted(found), `${code}: ${seen}`).toBe(sorted(printed));
    if (isInOrder) {
      expect(inOrder(found), `${code}: ${seen}`).toBe(inOrder(printed));
    }
  }
  if (own !== undefined) {
    const fields = [...alphabets.values()].join("");
    expect(onlyOf(extracted, fields, false), seen).toBe(onlyOf(own, fields, false));
  }
}

function checkSums(report: LayoutReport, seen: string): void {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);
  expect(report.characters_total, seen).toBe(report.characters_printed + report.characters_cut);
  expect(sum(report.texts.map(({ characters_cut: cut }) => cut)), seen).toBe(report.characters_cut);
  for (const text of report.texts) {
    expect(text.characters, seen).toBe(text.characters_printed + text.characters_cut);
  }
  for (const { code, characters, printed, cut } of report.fields) {
    expect(characters, seen).toBe(printed + cut);
    const entries = report.texts.filter(({ field }) => field === code);
    expect(sum(entries.map(({ characters_cut }) => characters_cut)), seen).toBe(cut);
  }
}

/**
 * What a field prints according to the report: its value once for each whole text, and the start of those that are cut. The
 * order is known unless a field that is printed several times is cut somewhere.
 */
function printedOf(
  code: string,
  values: Values,
  report: LayoutReport,
): { readonly text: string; readonly isInOrder: boolean } {
  const { occurrences = 0, printed = 0 } = report.fields.find((field) => field.code === code) ?? {};
  const entries = report.texts.filter(({ field }) => field === code);
  const starts = entries.map(({ item, characters, characters_printed: count }) => {
    const text = Array.from(valueAt(code, values, item));
    expect(text).toHaveLength(characters);
    return text.slice(0, count).join("");
  });
  const isKey = code.includes(".");
  const cutRows = new Map(entries.map(({ item: [row] }, i) => [row, starts[i]]));
  const parts = isKey
    ? // Rows that print are the first ones, each once.
      Array.from(
        { length: occurrences },
        (_, row) => cutRows.get(row) ?? valueAt(code, values, [row]),
      )
    : [...starts, valueAt(code, values, []).repeat(occurrences - entries.length)];
  const text = parts.join("");
  expect(Array.from(text)).toHaveLength(printed);
  return { text, isInOrder: isKey || occurrences === 1 || entries.length === 0 };
}

function valueAt(code: string, values: Values, item: readonly number[]): string {
  const [first = "", key] = code.split(".");
  if (key === undefined) {
    return values[first] as string;
  }
  const row = (values[first] as readonly Values[])[item[0] ?? 0];
  return row?.[key] as string;
}

/** Without white space and ellipses: the characters of the alphabet, or the others. */
function onlyOf(text: string, alphabet: string, isOf = true): string {
  return Array.from(text.replaceAll(/[\s…]/gu, ""))
    .filter((character) => alphabet.includes(character) === isOf)
    .join("");
}

function sorted(text: string): string {
  return Array.from(text).toSorted().join("");
}

/** What has to be in order, in the canonical order of marks above and below, which shaping may give them. */
function inOrder(text: string): string {
  return text.normalize("NFD");
}

function turned(text: string): string {
  return Array.from(text).reverse().join("");
}
