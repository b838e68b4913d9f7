import { expect, test } from "vitest";
import { parseJson, stringifyJson } from "../../../src/lib/json/exact-json.ts";
import { mapResources } from "../../../src/templates/resources/map-resources.ts";

const marked = {
  picture: (source: string) => `P:${source}`,
  family: (name: string) => `F:${name}`,
  font: <T extends { familyGuid: string }>(reference: T) => ({ ...reference, familyGuid: "new" }),
};

test("fonts and pictures are replaced at every level, and nothing else", () => {
  const font = {
    schema: "svc.font-reference/v1",
    familyGuid: "old",
    versionGuid: "v",
    fileGuid: "f",
    variant: "400",
    sha256: "0",
  };
  const document = {
    metadata: { title: "src" },
    styles: [{ properties: { fontFamily: "A", fallbackFonts: ["B"] } }],
    components: [{ elements: [{ src: "c" }] }],
    pages: [
      {
        backgroundImage: { src: "b" },
        elements: [
          { overrides: [{ properties: { src: "o" } }] },
          { condition: { field: "src", operator: "equals", value: "src" } },
          { richText: { paragraphs: [{ runs: [{ text: "src", fontFamily: "C", font }] }] } },
          { src: null, placeholder: { placeholderType: "image", code: "i", defaultValue: "d" } },
          { placeholder: { placeholderType: "text", code: "t", defaultValue: "d" } },
        ],
      },
    ],
    sampleSets: [
      { values: { i: "s", t: "s", src: "s", rows: [{ i: "r", fontFamily: "r" }, 1], gone: null } },
    ],
  };
  const image = { code: "i", type: "image" };
  const fields = [
    image,
    { code: "t", type: "text" },
    { code: "rows", type: "list", item_keys: [image] },
  ];
  const expected = JSON.parse(
    JSON.stringify(document)
      .replace(
        '"fontFamily":"A","fallbackFonts":["B"]',
        '"fontFamily":"F:A","fallbackFonts":["F:B"]',
      )
      .replaceAll(/"src":"([cbo])"/g, '"src":"P:$1"')
      .replace('"fontFamily":"C"', '"fontFamily":"F:C"')
      .replace('"familyGuid":"old"', '"familyGuid":"new"')
      .replace('"defaultValue":"d"', '"defaultValue":"P:d"')
      .replace('"i":"s"', '"i":"P:s"')
      .replace('"i":"r"', '"i":"P:r"'),
  );
  expect(mapResources(document, fields, marked)).toEqual(expected);
});

test("numbers keep their digits", () => {
  const text = '{"pages":[{"width":1.50,"elements":[{"src":"a","left":1e2}]}]}';
  expect(stringifyJson(mapResources(parseJson(text), [], marked))).toBe(
    text.replace('"a"', '"P:a"'),
  );
});
