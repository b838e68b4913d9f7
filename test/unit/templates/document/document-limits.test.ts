/** Every count that a design document may reach (docs/contract/templates.md#documents): the most is valid, one more is not. */
import { expect, test } from "vitest";
import { validateDocument } from "../../../../src/templates/document/validate-document.ts";
import {
  documentWith,
  element,
  field,
  fieldText,
  guidOf,
  type Json,
  list,
  nextGuid,
  page,
} from "../../../support/templates/documents.ts";

function problemsOf(document: Json): string[] {
  const result = validateDocument(document);
  return result.ok ? [] : result.problems.map(({ code, field: at }) => `${code} ${at}`);
}

const times = (count: number, make: (index: number) => Json): Json[] =>
  Array.from({ length: count }, (_, index) => make(index));
const rectangles = (count: number) => times(count, () => element("rectangle"));
const text = (properties: Json) => documentWith([element("text", properties)]);
const paint = (properties: Json) => documentWith([element("rectangle", properties)]);
const paragraphs = (count: number, runs: number) =>
  text({
    richText: {
      paragraphs: times(count, (index) => ({
        // The first has those that are more than a round number.
        runs: times(Math.floor(runs / count) + (index === 0 ? runs % count : 0), () => ({
          text: "a",
        })),
      })),
    },
  });
const nested = (depth: number, wrap: (inside: Json[]) => Json): Json => {
  let inside: Json[] = [];
  for (let level = 0; level < depth; level += 1) {
    inside = [wrap(inside)];
  }
  return documentWith(inside);
};
const master = (elements: Json[]) => ({ id: nextGuid(), width: 595, height: 842, elements });
const component = (elements: Json[]) => ({
  id: nextGuid(),
  name: "Card",
  width: 10,
  height: 10,
  elements,
});
const clipped = (count: number) =>
  documentWith([
    element("image", { clipPath: { shapes: times(count, () => ({ pathData: "M 0 0 L 1 1" })) } }),
  ]);
const inside = (depth: number) => `pages[0].elements[0]${".children[0]".repeat(depth)}`;

test.each<[string, number, (count: number) => Json, string]>([
  ["pages", 100, (count) => ({ schemaVersion: "2.0", pages: times(count, () => page()) }), "pages"],
  [
    "masters",
    32,
    (count) => documentWith([], { masterPages: times(count, () => master([])) }),
    "masterPages",
  ],
  ["elements of a page", 1_000, (count) => documentWith(rectangles(count)), "pages[0].elements"],
  [
    "elements of a master",
    1_000,
    (count) => documentWith([], { masterPages: [master(rectangles(count))] }),
    "masterPages[0].elements",
  ],
  [
    "elements of a document",
    10_000,
    (count) => ({
      schemaVersion: "2.0",
      pages: times(11, (index) => page(rectangles(index === 10 ? count - 9_500 : 950))),
    }),
    "pages[10].elements[500]",
  ],
  [
    "components",
    200,
    (count) => documentWith([], { components: times(count, () => component([])) }),
    "components",
  ],
  [
    "elements of a component",
    500,
    (count) => documentWith([], { components: [component(rectangles(count))] }),
    "components[0].elements",
  ],
  [
    "styles",
    200,
    (count) =>
      documentWith([], {
        styles: times(count, () => ({ id: nextGuid(), name: "s", kind: "paint", properties: {} })),
      }),
    "styles",
  ],
  [
    "sample sets",
    50,
    (count) =>
      documentWith([], {
        sampleSets: times(count, (index) => ({ id: nextGuid(), name: `${index}`, values: {} })),
      }),
    "sampleSets",
  ],
  [
    "characters of a sample set's name",
    120,
    (count) =>
      documentWith([], { sampleSets: [{ id: guidOf(1), name: "𝒳".repeat(count), values: {} }] }),
    "sampleSets[0].name",
  ],
  [
    "keywords",
    50,
    (count) =>
      documentWith([], { metadata: { keywords: Array.from({ length: count }, () => "a") } }),
    "metadata.keywords",
  ],
  [
    "characters of a keyword",
    100,
    (count) => documentWith([], { metadata: { keywords: ["𝒳".repeat(count)] } }),
    "metadata.keywords[0]",
  ],
  [
    "fields",
    500,
    (count) => documentWith(times(count, (index) => fieldText(`f${index}`))),
    "pages[0].elements[500].placeholder.code",
  ],
  [
    "groups in each other",
    16,
    (count) => nested(count, (children) => element("group", { children })),
    inside(16),
  ],
  [
    "layout regions in each other",
    8,
    (count) => nested(count, (children) => element("layout_region", { children })),
    inside(8),
  ],
  [
    "lists in each other",
    2,
    (count) =>
      nested(count, (children) => list(`l${children.length}${nextGuid().slice(-6)}`, children)),
    inside(2),
  ],
  ["paragraphs", 1_000, (count) => paragraphs(count, count), "pages[0].elements[0].richText"],
  ["runs", 10_000, (count) => paragraphs(1_000, count), "pages[0].elements[0].richText"],
  [
    "characters of a text",
    10_000,
    (count) => text({ text: "𝒳".repeat(count) }),
    "pages[0].elements[0].text",
  ],
  [
    "fallback fonts",
    8,
    (count) => text({ fallbackFonts: Array.from({ length: count }, () => "Noto Sans Thai") }),
    "pages[0].elements[0].fallbackFonts",
  ],
  [
    "lengths of dashes",
    16,
    (count) => paint({ strokeDashArray: Array.from({ length: count }, () => 1) }),
    "pages[0].elements[0].strokeDashArray",
  ],
  [
    "stops",
    32,
    (count) =>
      paint({
        fillPaint: {
          type: "linear_gradient",
          stops: times(count, (index) => ({ offset: index / count, color: "#123456" })),
        },
      }),
    "pages[0].elements[0].fillPaint.stops",
  ],
  ["shapes of a mask", 200, clipped, "pages[0].elements[0].clipPath.shapes"],
  [
    "characters of path data",
    100_000,
    (count) => documentWith([element("path", { pathData: "M0 0".padEnd(count) })]),
    "pages[0].elements[0].pathData",
  ],
  [
    "parts of a condition",
    50,
    (count) => {
      // The whole is a part of itself.
      const all = times(count - 1, () => ({ field: "a", operator: "is_true" }));
      return documentWith([fieldText("a"), element("rectangle", { condition: { all } })]);
    },
    "pages[0].elements[1].condition",
  ],
  [
    "rows of a list that print",
    100,
    (maxItems) =>
      documentWith([
        element("repeat_region", {
          placeholder: field("list", "rows"),
          itemHeight: 20,
          maxItems,
          children: [],
        }),
      ]),
    "pages[0].elements[0].maxItems",
  ],
])("%s: %i, and one more is refused", (_what, most, make, place) => {
  expect(problemsOf(make(most))).toEqual([]);
  const refused = problemsOf(make(most + 1));
  expect(refused).toHaveLength(1);
  expect(refused[0]).toMatch(/^(?:limit_exceeded|out_of_range|DESIGN_CONDITION_INVALID) /);
  expect(refused[0]!.split(" ")[1]).toBe(place);
});
