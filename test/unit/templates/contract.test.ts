import { expect, test } from "vitest";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { contractOf } from "../../../src/templates/contract/contract-of.ts";
import { sampleCoverage } from "../../../src/templates/contract/sample-coverage.ts";
import { validateDocument } from "../../../src/templates/document/validate-document.ts";
import {
  documentWith,
  element,
  field,
  fieldText,
  guidOf,
  type Json,
  list,
} from "../../support/templates/documents.ts";

function valid(document: Json) {
  const result = validateDocument(document);
  if (!result.ok) {
    throw new Error(JSON.stringify(result.problems));
  }
  return result;
}

const COMPONENT = guidOf(1);
const PART = guidOf(2);

test("fields and conditions of an overridden header count at each instance that has it", () => {
  const header = (code: string) => [
    fieldText(code),
    element("rectangle", { condition: { field: code, operator: "is_not_empty" } }),
  ];
  const instance = (properties: Json) =>
    element("component_instance", {
      componentId: COMPONENT,
      overrides: [{ elementId: PART, properties }],
    });
  const { document, fields } = valid(
    documentWith([instance({ header: header("one") }), instance({ header: header("two") })], {
      components: [
        {
          id: COMPONENT,
          name: "",
          width: 1,
          height: 1,
          elements: [list("rows", [], { id: PART, header: [fieldText("own")] })],
        },
      ],
      sampleSets: [
        { id: guidOf(3), name: "A", values: { one: "x", rows: [] } },
        { id: guidOf(4), name: "B", values: { two: "x", rows: [{}, {}] } },
      ],
    }),
  );
  expect(contractOf(document, fields).fields.map(({ code }) => code)).toEqual([
    "rows",
    "one",
    "two",
  ]);
  expect(sampleCoverage(document, fields)).toEqual([]);
  const [first] = document.sampleSets ?? [];
  const only = { ...document, sampleSets: first === undefined ? [] : [first] };
  expect(sampleCoverage(only, fields).map(({ code, message }) => `${code} ${message}`)).toEqual([
    expect.stringContaining('field_not_exercised No sample set gives the field "two"'),
    expect.stringContaining("list_not_exercised"),
    "condition_not_exercised The condition is true in every sample set.",
    "condition_not_exercised The condition is false in every sample set.",
  ]);
});

test("fields stand in order of first occurrence, with keys of items and what overrides bring", () => {
  const { document, fields } = valid(
    documentWith(
      [
        fieldText("title", { required: true }),
        element("text", { text: "Own", placeholder: field("text", "subtitle") }),
        list(
          "rows",
          [
            fieldText("price", { format: { style: "percent" } }, "number"),
            list("lines", [fieldText("k")]),
          ],
          { maxItems: 7, header: [fieldText("caption")] },
        ),
        list("rows", [fieldText("name")], { maxItems: 5 }),
        element("component_instance", {
          componentId: COMPONENT,
          overrides: [{ elementId: PART, properties: { placeholder: field("color", "tint") } }],
        }),
        fieldText("title", { required: true, defaultValue: "x" }),
      ],
      {
        components: [
          {
            id: COMPONENT,
            name: "",
            width: 1,
            height: 1,
            elements: [element("rectangle", { id: PART, fill: "#112233" })],
          },
        ],
      },
    ),
  );
  const contract = contractOf(document, fields);
  expect(contract).toMatchObject({
    page_count: 1,
    pages: [{ width: 595, height: 842, name: "", fit_height: false }],
  });
  expect(contract.fields.map(({ code }) => code)).toEqual([
    "title",
    "subtitle",
    "rows",
    "caption",
    "tint",
  ]);
  const [title, subtitle, rows, caption, tint] = contract.fields;
  expect([title?.default, subtitle?.default, caption?.default, tint?.default]).toEqual([
    "x",
    "Own",
    "",
    "#112233",
  ]);
  expect(rows).toMatchObject({
    items_max: 5,
    default: null,
    item_keys: [
      { code: "price", format: { locale: "en-US", style: "percent", useGrouping: true } },
      { code: "lines", item_keys: [{ code: "k" }] },
      { code: "name" },
    ],
  });
});

function coverage(elements: JsonValue[], sets: Json[]): string[] {
  const { document, fields } = valid(
    documentWith(elements, {
      sampleSets: sets.map((values, i) => ({ id: guidOf(50 + i), name: `${i}`, values })),
    }),
  );
  return sampleCoverage(document, fields).map(
    ({ code, field: at, element_id: id }) => `${code} ${at ?? id ?? ""}`,
  );
}

const SHAPE = guidOf(30);
const elements = () => [
  fieldText("title", { required: true }),
  fieldText("note"),
  element("rectangle", { id: SHAPE, condition: { field: "note", operator: "is_not_empty" } }),
  list("rows", [
    fieldText("name"),
    element("rectangle", {
      id: guidOf(31),
      condition: { field: "name", operator: "equals", value: "a" },
    }),
  ]),
];

test("sample sets that show everything leave no check", () => {
  expect(
    coverage(elements(), [
      { title: "a", note: "b", rows: [{ name: "a" }, { name: "b" }] },
      { title: "a", rows: [] },
    ]),
  ).toEqual([]);
});

test("what no sample set shows is named", () => {
  expect(coverage(elements(), [])).toEqual(["no_sample_sets "]);
  expect(coverage(elements(), [{ titel: 1, rows: [{ name: "a", x: 1 }] }])).toEqual([
    "sample_value_unknown titel",
    "sample_value_unknown rows[0].x",
    "required_field_not_exercised title",
    "field_not_exercised note",
    "list_not_exercised rows",
    `condition_not_exercised ${SHAPE}`,
    `condition_not_exercised ${guidOf(31)}`,
  ]);
});
