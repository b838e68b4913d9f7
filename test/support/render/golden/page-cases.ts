/** Pages: backgrounds, growth, masters, numbers, metadata and sizes. */
import { PNG } from "./golden-pictures.ts";
import { type GoldenCase, type GoldenCases, type Loose, pages, sheet } from "./golden-case.ts";

const MASTER_ID = "00000000-0000-4000-8000-000000000008";
const NUMBER = {
  $type: "text",
  left: 10,
  top: 10,
  width: 140,
  height: 16,
  text: "{{page}} of {{pages}}, {{sequencePages}}",
};
const BOX = { $type: "rectangle", left: 40, top: 30, width: 60, height: 30, fill: "#2a9d8f" };
const GRADIENT = {
  type: "linear_gradient",
  y2: 1,
  stops: [
    { offset: 0, color: "#ffffff" },
    { offset: 1, color: "#8ecae6" },
  ],
};

const image = (more: Loose): Loose => ({ backgroundImage: { src: PNG, ...more } });

export const PAGE_CASES: GoldenCases = {
  ...single({
    empty: { elements: undefined },
    "has a name and a format": { name: "Front", pageFormat: "A4" },
    "has the format Letter": { pageFormat: "Letter" },
    "has the format Custom": { pageFormat: "Custom" },
    "background of a color": { backgroundColor: "#e9c46a" },
    "background of no color": { backgroundColor: null },
    "background of a gradient": { backgroundPaint: GRADIENT },
    "background with a picture that covers": image({}),
    "background with a picture that covers, named": image({ fitMode: "cover" }),
    "background with a whole picture": image({ fitMode: "contain" }),
    "background with a stretched picture": image({ fitMode: "stretch" }),
    "background about a focal point": image({ focalX: 0, focalY: 1 }),
    "background at a quarter": image({ scale: 0.25 }),
    "background at four times": image({ scale: 4 }),
    "background of all kinds": {
      backgroundColor: "#d00000",
      backgroundPaint: GRADIENT,
      ...image({ fitMode: "contain", scale: 0.5 }),
    },
    "as high as its lowest element": { fitHeight: true },
    "as high as its lowest element, with a margin": { fitHeight: true, bottomMargin: 12 },
    "higher than stated, for its elements": {
      fitHeight: true,
      elements: [{ ...BOX, height: 150 }],
    },
    "smallest page": { width: 10, height: 10 },
    "largest page": { width: 14_400, height: 14_400 },
    "number and count": { elements: [NUMBER] },
    "number in upper Roman": {
      elements: [NUMBER],
      numberingStyle: "roman_upper",
      numberingStart: 9,
    },
    "number in lower Roman": {
      elements: [NUMBER],
      numberingStyle: "roman_lower",
      numberingStart: 4,
    },
    "number in Arabic": { elements: [NUMBER], numberingStyle: "arabic", numberingStart: 0 },
    "number that is hidden": { elements: [NUMBER], hidePageNumber: true },
  }),
  "numbers in two sequences": pages([
    sheet([NUMBER], { numberingStyle: "roman_lower" }),
    sheet([NUMBER]),
    sheet([NUMBER], { numberingStart: 1 }),
  ]),
  "numbers are not read in values": pages(
    [
      sheet([
        { ...NUMBER, text: "", placeholder: { name: "t", code: "t", placeholderType: "text" } },
      ]),
    ],
    { values: { t: "{{page}}" } },
  ),
  ...mastered({
    "master under its page": [{}, {}],
    "master under its page, named": [{ masterLayer: "underlay" }, {}],
    "master over its page": [{ masterLayer: "overlay" }, {}],
    "master with a background": [
      { useMasterBackground: true, backgroundColor: "#d00000" },
      { backgroundColor: "#e9c46a", backgroundPaint: GRADIENT, ...image({ fitMode: "contain" }) },
    ],
    "master whose background does not count": [
      { backgroundColor: "#e9c46a" },
      { backgroundColor: "#d00000" },
    ],
    "master by hand": [
      { masterAssignment: "manual", masterPageId: MASTER_ID },
      { automaticRule: "even" },
    ],
    "master by rule": [{ masterAssignment: "automatic" }, { automaticRule: "all", name: "All" }],
    "no master": [{ masterAssignment: "none" }, {}],
    "master of odd pages": [{}, { automaticRule: "odd" }],
    "master of even pages": [{}, { automaticRule: "even" }],
    "master of another size": [{}, { width: 100 }],
    "master with a format": [{}, { pageFormat: "A4" }],
  }),
  metadata: pages([sheet([BOX])], {
    root: {
      metadata: {
        title: "Prices (2026) — «été»",
        author: "A. Author",
        subject: "Paper",
        keywords: ["paper", "ink"],
      },
    },
  }),
  "sample sets are not printed": pages([sheet([BOX])], {
    root: {
      sampleSets: [{ id: "00000000-0000-4000-8000-000000000009", name: "One", values: {} }],
    },
  }),
};

function single(changes: Readonly<Record<string, Loose>>): GoldenCases {
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]): [string, GoldenCase] => {
      const entries = Object.entries(sheet([BOX], change)).filter(
        ([, value]) => value !== undefined,
      );
      return [name, pages([Object.fromEntries(entries)])];
    }),
  );
}

/** Two equal pages, so that rules for odd and even pages show. */
function mastered(
  changes: Readonly<Record<string, readonly [page: Loose, master: Loose]>>,
): GoldenCases {
  return Object.fromEntries(
    Object.entries(changes).map(([name, [page, master]]): [string, GoldenCase] => [
      name,
      pages([sheet([BOX], page), sheet([BOX], page)], {
        root: {
          masterPages: [
            sheet([{ ...NUMBER, top: 40, fill: "#d00000" }], { id: MASTER_ID, ...master }),
          ],
        },
      }),
    ]),
  );
}
