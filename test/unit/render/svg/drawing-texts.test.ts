/** Texts of drawings in the PDF (docs/contract/templates.md#pictures). */
import { expect, test } from "vitest";
import { parseJson } from "../../../../src/lib/json/exact-json.ts";
import { madeInNode } from "../../../support/render/node-renderer.ts";
import { readPdfTexts } from "../../../support/pdf/read-pdf-texts.ts";
import { svgOf } from "../../../support/svg/harmless-drawings.ts";

const id = (number: number) => `0b1f4c52-6d1c-4d55-9a36-${number.toString(16).padStart(12, "0")}`;

function made(svg: string, more: object = {}) {
  const element = { $type: "svg_artwork", id: id(2), width: 200, height: 100, svg, ...more };
  const page = { id: id(1), width: 200, height: 100, elements: [element] };
  return madeInNode(parseJson(JSON.stringify({ schemaVersion: "2.0", pages: [page] })), {});
}

test("print with the system families that they name, and are read back in order", async () => {
  const svg = svgOf(
    '<text y="20" font-family="Nowhere, \'Noto Serif\'">Harbor fee</text><text y="50" font-family="monospace" font-weight="bold">No. 7</text><text y="80">سلام שלום</text>',
  );
  const { pdf, report } = await made(svg);
  const [text] = await readPdfTexts(pdf);
  expect(text?.replaceAll(/\s+/g, " ")).toContain("Harbor fee");
  expect(text).toContain("No. 7");
  expect(text).toContain("سلام");
  expect(text).toContain("שלום");
  expect(report).toMatchObject({ status: "ok", images_failed: 0 });
  // A font file for each family, and Noto Sans for the space between.
  expect(
    Buffer.from(pdf)
      .toString("latin1")
      .match(/\/Length1 |\/Subtype \/CIDFontType0C/g),
  ).toHaveLength(5);
});

test("print alike in two renders, and in other colors once these are replaced", async () => {
  const svg = svgOf(
    '<text y="40" fill="red" stroke="blue"><tspan>a</tspan><tspan fill="lime">b</tspan></text>',
  );
  const [one, again] = [await made(svg), await made(svg)];
  expect(Buffer.compare(one.pdf, again.pdf)).toBe(0);
  const replaced = await made(svg, {
    replacements: { "#ff0000": "#0b6e69", "#0000ff": "#c8553d" },
  });
  expect(Buffer.compare(one.pdf, replaced.pdf)).not.toBe(0);
  expect(await readPdfTexts(replaced.pdf)).toEqual(["ab"]);
});

test("are reported with the family that none of their list's is there for", async () => {
  const text = (y: number, family: string) =>
    `<text y="${y}" font-family="${family}">Harbor</text>`;
  const svg = svgOf(
    text(20, "Brand Sans, Brand Serif") + text(50, "Nowhere, monospace") + text(80, "serif"),
  );
  const { pdf, report } = await made(svg);
  expect(report).toMatchObject({ status: "warnings", fonts_substituted: ["Brand Sans"] });
  expect((await readPdfTexts(pdf))[0]?.match(/Harbor/g)).toHaveLength(3);
  const without = await made(svgOf('<text y="20">Harbor</text>'));
  expect(without.report).toMatchObject({ status: "ok", fonts_substituted: [] });
});
