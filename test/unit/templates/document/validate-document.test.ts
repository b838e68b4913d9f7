import { describe, expect, test } from "vitest";
import { parseJson, type JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { OPERATORS } from "../../../../src/templates/document/condition.ts";
import { DesignDocument } from "../../../../src/templates/document/design-document.ts";
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

function problemsOf(document: unknown): string[] {
  const result = validateDocument(document);
  return result.ok ? [] : result.problems.map(({ code, field: at }) => `${code} ${at}`);
}

const stops = (count: number, properties: Json = {}) =>
  Array.from({ length: count }, (_, i) => ({
    offset: i / count,
    color: "#123456",
    ...properties,
  }));
const linear = (properties: Json = {}) => ({
  type: "linear_gradient",
  stops: stops(2),
  ...properties,
});
const rectangle = (properties: Json = {}) => element("rectangle", properties);
const inGroups = (depth: number, innermost: JsonValue[] = []): Json =>
  Array.from({ length: depth }).reduce<Json>(
    (inside) => element("group", { children: [inside] }),
    element("group", { children: innermost }),
  );
const conditionOf = (depth: number): JsonValue =>
  Array.from({ length: depth - 1 }).reduce<JsonValue>((inner) => ({ not: inner }), {
    field: "a",
    operator: "is_true",
  });
const shown = (condition: JsonValue) => [
  fieldText("a"),
  list("rows", [fieldText("k")]),
  rectangle({ condition }),
];
const COMPARISONS = OPERATORS.filter((operator) => !operator.startsWith("is_"));
const COMPONENT = guidOf(1);
const PART = guidOf(2);
const component = (elements: JsonValue[], properties: Json = {}): Json => ({
  id: COMPONENT,
  name: "Card",
  width: 10,
  height: 10,
  elements,
  ...properties,
});
const instanceOf = (componentId: string, properties: Json = {}) =>
  element("component_instance", { componentId, ...properties });
const instance = (properties: Json = {}) => instanceOf(COMPONENT, properties);
/** An instance whose list has another header, in a document with its component. */
const withHeader = (header: JsonValue[], components: JsonValue[] = []): Json =>
  documentWith([instance({ overrides: [{ elementId: PART, properties: { header } }] })], {
    components: [
      component([list("rows", [], { id: PART, header: [fieldText("was")] })]),
      ...components,
    ],
  });
const OVERRIDDEN = "pages[0].elements[0].overrides[0].properties.header";
const master = (elements: JsonValue[], properties: Json = {}) => ({
  id: guidOf(9),
  width: 595,
  height: 842,
  elements,
  ...properties,
});

describe("valid documents", () => {
  test.each<[string, Json]>([
    ["an empty page", documentWith([])],
    [
      "a field at two elements with one id",
      documentWith([
        element("text", { placeholder: field("text", "a", { id: guidOf(5) }) }),
        element("text", { placeholder: field("text", "a", { id: guidOf(5) }) }),
      ]),
    ],
    [
      "a nested list that reads outer keys",
      documentWith([
        fieldText("top"),
        list("rows", [
          fieldText("name"),
          list("lines", [
            rectangle({ condition: { field: "name", operator: "equals", value: "x" } }),
            rectangle({ link: { type: "field", field: "top" } }),
          ]),
        ]),
      ]),
    ],
    [
      "an instance with overrides",
      documentWith(
        [instance({ overrides: [{ elementId: PART, properties: { text: "b", fontSize: 9 } }] })],
        { components: [component([element("text", { id: PART, text: "a" })])] },
      ),
    ],
    [
      "an instance whose list has another header",
      withHeader(
        [
          fieldText("title"),
          rectangle({ condition: { field: "title", operator: "is_not_empty" } }),
          element("group", { children: [instanceOf(guidOf(4))] }),
        ],
        [{ ...component([rectangle()]), id: guidOf(4) }],
      ),
    ],
    [
      "comparisons with null, and a value that is not read",
      documentWith(
        shown({
          any: [
            ...["equals", "not_equals", "gt", "contains"].map((operator) => ({
              field: "a",
              operator,
              value: null,
            })),
            { field: "a", operator: "is_empty", value: 1 },
          ],
        }),
      ),
    ],
    [
      "ids and references in different letter case",
      documentWith([rectangle({ styleId: "ABCDEF00-0000-4000-8000-000000000000" })], {
        styles: [
          { id: "abcdef00-0000-4000-8000-000000000000", name: "s", kind: "paint", properties: {} },
        ],
      }),
    ],
    [
      "a title of 500 characters beyond the first plane",
      documentWith([], { metadata: { title: "𝒳".repeat(500) } }),
    ],
    ["16 groups", documentWith([inGroups(15)])],
    ["conditions 8 deep", documentWith(shown(conditionOf(8)))],
    ["32 stops", documentWith([rectangle({ fillPaint: linear({ stops: stops(32) }) })])],
    [
      "a page scope in a folder of the page",
      documentWith([element("folder", { children: [rectangle({ pageScope: "all" })] })]),
    ],
    [
      "a master of another size that is not chosen by hand",
      documentWith([], {
        masterPages: [master([], { width: 100 })],
      }),
    ],
  ])("%s", (_name, document) => {
    expect(problemsOf(document)).toEqual([]);
  });

  test("numbers with all their digits are numbers, and the document is returned as it was sent", () => {
    const sent = parseJson(
      JSON.stringify(documentWith([rectangle()])).replace('"width":100', '"width":1.50e2'),
    );
    const result = validateDocument(sent);
    expect(result.ok && result.document).toBe(sent);
  });
});

describe("problems have the code of their rule and the path of their place", () => {
  test.each<[string, unknown, string[]]>([
    ["no object", null, ["invalid_value "]],
    ["a list", [], ["invalid_value "]],
    ["another version", { schemaVersion: "1.0", x: 1 }, ["invalid_value schemaVersion"]],
    [
      "an unknown property",
      documentWith([rectangle({ fontSize: 3 })]),
      ["unknown_property pages[0].elements[0].fontSize"],
    ],
    [
      "an unknown property of the prototype",
      JSON.parse('{"schemaVersion":"2.0","pages":[],"__proto__":1,"constructor":1}'),
      ["limit_exceeded pages", "unknown_property __proto__", "unknown_property constructor"],
    ],
    [
      "a missing property",
      documentWith([{ $type: "circle", id: guidOf(3) }]),
      ["missing_property pages[0].elements[0].radius"],
    ],
    ["no type", documentWith([{ id: guidOf(3) }]), ["missing_property pages[0].elements[0].$type"]],
    [
      "an unknown type",
      documentWith([element("video")]),
      ["invalid_value pages[0].elements[0].$type"],
    ],
    [
      "a text for a number",
      documentWith([rectangle({ left: "12" })]),
      ["invalid_value pages[0].elements[0].left"],
    ],
    [
      "a coordinate beyond",
      documentWith([rectangle({ left: 14_401 })]),
      ["out_of_range pages[0].elements[0].left"],
    ],
    [
      "Infinity",
      parseJson(
        JSON.stringify(documentWith([rectangle()])).replace('"width":100', '"width":1e999'),
      ),
      ["out_of_range pages[0].elements[0].width"],
    ],
    [
      "a turn without end",
      parseJson(
        JSON.stringify(documentWith([rectangle({ angle: 7 })])).replace(
          '"angle":7',
          '"angle":1e999',
        ),
      ),
      ["out_of_range pages[0].elements[0].angle"],
    ],
    [
      "a fraction for a whole number",
      documentWith([element("text", { fontWeight: 400.5 })]),
      ["invalid_value pages[0].elements[0].fontWeight"],
    ],
    [
      "half of a surrogate pair",
      documentWith([element("text", { text: "\ud800" })]),
      ["invalid_value pages[0].elements[0].text"],
    ],
    [
      "an id that is not a GUID",
      documentWith([rectangle({ id: "r1" })]),
      ["invalid_value pages[0].elements[0].id"],
    ],
    [
      "one id twice, in another case",
      documentWith([
        rectangle({ id: "abcdef00-0000-4000-8000-000000000000" }),
        rectangle({ id: "ABCDEF00-0000-4000-8000-000000000000" }),
      ]),
      ["duplicate_id pages[0].elements[1].id"],
    ],
    [
      "an id of two fields",
      documentWith([
        element("text", { placeholder: field("text", "a", { id: guidOf(5) }) }),
        element("text", { placeholder: field("text", "b", { id: guidOf(5) }) }),
      ]),
      ["duplicate_id pages[0].elements[1].placeholder.id"],
    ],
    [
      "sample sets of one name",
      documentWith([], {
        sampleSets: [
          { id: guidOf(1), name: "A", values: {} },
          { id: guidOf(2), name: "a", values: {} },
        ],
      }),
      ["duplicate_name sampleSets[1].name"],
    ],
    [
      "a field code",
      documentWith([fieldText("1a")]),
      ["invalid_field_code pages[0].elements[0].placeholder.code"],
    ],
    [
      "a reserved code",
      documentWith([fieldText("data_12")]),
      ["invalid_field_code pages[0].elements[0].placeholder.code"],
    ],
    [
      "occurrences that differ",
      documentWith([fieldText("a"), fieldText("a", { required: true })]),
      ["field_conflict pages[0].elements[1].placeholder.required"],
    ],
    [
      "occurrences of two types",
      documentWith([fieldText("a"), fieldText("a", {}, "number")]),
      ["field_conflict pages[0].elements[1].placeholder.placeholderType"],
    ],
    [
      "a condition on no field",
      documentWith([rectangle({ condition: { field: "b", operator: "is_true" } })]),
      ["unknown_field pages[0].elements[0].condition.field"],
    ],
    [
      "a condition on a key outside of its list",
      documentWith(shown({ field: "k", operator: "is_true" })),
      ["list_key_outside_list pages[0].elements[2].condition.field"],
    ],
    [
      "a condition 9 deep",
      documentWith(shown(conditionOf(9))),
      ["DESIGN_CONDITION_INVALID pages[0].elements[2].condition"],
    ],
    [
      "a condition of 51 parts",
      documentWith(
        shown({ all: Array.from({ length: 50 }, () => ({ field: "a", operator: "is_true" })) }),
      ),
      ["DESIGN_CONDITION_INVALID pages[0].elements[2].condition"],
    ],
    [
      "an operator",
      documentWith(shown({ field: "a", operator: "like", value: 1 })),
      ["DESIGN_CONDITION_INVALID pages[0].elements[2].condition.operator"],
    ],
    [
      "comparisons with nothing",
      documentWith(shown({ all: COMPARISONS.map((operator) => ({ field: "a", operator })) })),
      COMPARISONS.map(
        (_, i) => `DESIGN_CONDITION_INVALID pages[0].elements[2].condition.all[${i}].value`,
      ),
    ],
    [
      "a comparison that is not a list",
      documentWith(shown({ field: "a", operator: "in", value: 1 })),
      ["DESIGN_CONDITION_INVALID pages[0].elements[2].condition.value"],
    ],
    [
      "a style that is not there",
      documentWith([rectangle({ styleId: guidOf(7) })]),
      ["unknown_reference pages[0].elements[0].styleId"],
    ],
    [
      "a style of another kind",
      documentWith([rectangle({ styleId: guidOf(7) })], {
        styles: [{ id: guidOf(7), name: "", kind: "text", properties: {} }],
      }),
      ["unknown_reference pages[0].elements[0].styleId"],
    ],
    [
      "a component that is not there",
      documentWith([instance()]),
      ["unknown_reference pages[0].elements[0].componentId"],
    ],
    [
      "an override of no element",
      documentWith([instance({ overrides: [{ elementId: guidOf(8), properties: {} }] })], {
        components: [component([])],
      }),
      ["unknown_reference pages[0].elements[0].overrides[0].elementId"],
    ],
    [
      "an override of another type's property",
      documentWith(
        [
          instance({
            overrides: [{ elementId: PART, properties: { fontSize: 3, id: guidOf(8) } }],
          }),
        ],
        { components: [component([rectangle({ id: PART })])] },
      ),
      [
        "unknown_property pages[0].elements[0].overrides[0].properties.fontSize",
        "unknown_property pages[0].elements[0].overrides[0].properties.id",
      ],
    ],
    [
      "an override with a bad value",
      documentWith([instance({ overrides: [{ elementId: PART, properties: { fill: "red" } }] })], {
        components: [component([rectangle({ id: PART })])],
      }),
      ["invalid_value pages[0].elements[0].overrides[0].properties.fill"],
    ],
    [
      "an override of the children",
      documentWith([instance({ overrides: [{ elementId: PART, properties: { children: [] } }] })], {
        components: [component([list("rows", [], { id: PART })])],
      }),
      ["unknown_property pages[0].elements[0].overrides[0].properties.children"],
    ],
    [
      "an overridden header that is not a list",
      documentWith([instance({ overrides: [{ elementId: PART, properties: { header: {} } }] })], {
        components: [component([list("rows", [], { id: PART })])],
      }),
      [`invalid_value ${OVERRIDDEN}`],
    ],
    [
      "elements of an overridden header as elements anywhere",
      withHeader([
        element("text", { id: PART, fontSize: 0 }),
        element("path", { pathData: "M x" }),
        element("text", { placeholder: field("text", "page") }),
        rectangle({ condition: { field: "was", operator: "is_empty" } }),
        rectangle({ pageScope: "all" }),
        rectangle({ styleId: guidOf(7) }),
        rectangle({ link: { type: "page", pageId: guidOf(8) } }),
        element("group", { children: [rectangle({ corner: 1 })] }),
      ]),
      [
        `duplicate_id ${OVERRIDDEN}[0].id`,
        `out_of_range ${OVERRIDDEN}[0].fontSize`,
        `unknown_property ${OVERRIDDEN}[7].children[0].corner`,
        `invalid_path_data ${OVERRIDDEN}[1].pathData`,
        `invalid_field_code ${OVERRIDDEN}[2].placeholder.code`,
        `unknown_property ${OVERRIDDEN}[4].pageScope`,
        `unknown_reference ${OVERRIDDEN}[5].styleId`,
        `DESIGN_LINK_INVALID ${OVERRIDDEN}[6].link.pageId`,
        `unknown_field ${OVERRIDDEN}[3].condition.field`,
      ],
    ],
    [
      "an id that a header of an instance in a component has too",
      documentWith([instance()], {
        components: [
          component([
            element("component_instance", {
              id: guidOf(5),
              componentId: guidOf(4),
              overrides: [
                {
                  elementId: PART,
                  properties: { header: [rectangle({ id: guidOf(6), pageScope: "all" })] },
                },
              ],
            }),
            rectangle({ id: guidOf(6) }),
          ]),
          { ...component([list("rows", [], { id: PART })]), id: guidOf(4) },
        ],
      }),
      [
        "duplicate_id components[0].elements[0].overrides[0].properties.header[0].id",
        "unknown_property components[0].elements[0].overrides[0].properties.header[0].pageScope",
      ],
    ],
    [
      "an instance that its own overridden header holds",
      withHeader([instance()]),
      [`component_cycle ${OVERRIDDEN}[0].componentId`],
    ],
    [
      "a component in itself",
      documentWith([instance()], { components: [component([instance()])] }),
      ["component_cycle components[0].elements[0].componentId"],
    ],
    [
      "a manual page without a master",
      documentWith([], { pages: [page([], { masterAssignment: "manual" })] }),
      ["missing_property pages[0].masterPageId"],
    ],
    [
      "a master that is not there",
      documentWith([], { pages: [page([], { masterPageId: guidOf(9) })] }),
      ["unknown_reference pages[0].masterPageId"],
    ],
    [
      "a master of another size",
      documentWith([], {
        pages: [page([], { masterAssignment: "manual", masterPageId: guidOf(9) })],
        masterPages: [master([], { width: 595.02 })],
      }),
      ["master_size_mismatch pages[0].masterPageId"],
    ],
    [
      "a field on a master",
      documentWith([], { masterPages: [master([fieldText("a")])] }),
      ["master_not_static masterPages[0].elements[0].placeholder"],
    ],
    [
      "a condition on a master",
      documentWith([fieldText("a")], {
        masterPages: [master([rectangle({ condition: { field: "a", operator: "is_true" } })])],
      }),
      ["master_not_static masterPages[0].elements[0].condition"],
    ],
    [
      "a component with a field on a master",
      documentWith([], {
        masterPages: [master([instance()])],
        components: [component([fieldText("a")])],
      }),
      ["master_not_static masterPages[0].elements[0].componentId"],
    ],
    [
      "a text field on a shape",
      documentWith([rectangle({ placeholder: field("text", "a") })]),
      ["field_type_mismatch pages[0].elements[0].placeholder.placeholderType"],
    ],
    [
      "a list that is not a list",
      documentWith([
        element("repeat_region", { placeholder: field("text", "a"), itemHeight: 1, children: [] }),
      ]),
      ["field_type_mismatch pages[0].elements[0].placeholder.placeholderType"],
    ],
    [
      "a color on a picture",
      documentWith([element("image", { placeholder: field("color", "a") })]),
      ["field_type_mismatch pages[0].elements[0].placeholder.placeholderType"],
    ],
    [
      "a stroke that shows through",
      documentWith([rectangle({ strokePaint: linear({ stops: stops(2, { opacity: 0.5 }) }) })]),
      [
        "stroke_gradient_not_opaque pages[0].elements[0].strokePaint.stops[0].opacity",
        "stroke_gradient_not_opaque pages[0].elements[0].strokePaint.stops[1].opacity",
      ],
    ],
    [
      "offsets that fall",
      documentWith([rectangle({ fillPaint: linear({ stops: stops(2).toReversed() }) })]),
      ["invalid_value pages[0].elements[0].fillPaint.stops[1].offset"],
    ],
    [
      "path data",
      documentWith([element("path", { pathData: "M 0 0 L NaN 1" })]),
      ["invalid_path_data pages[0].elements[0].pathData"],
    ],
    [
      "path data of a mask",
      documentWith([element("image", { clipPath: { shapes: [{ pathData: "L 1 1" }] } })]),
      ["invalid_path_data pages[0].elements[0].clipPath.shapes[0].pathData"],
    ],
    [
      "a link to a script",
      documentWith([rectangle({ link: { type: "url", url: "javascript:alert(1)" } })]),
      ["DESIGN_LINK_INVALID pages[0].elements[0].link.url"],
    ],
    [
      "a link to no page",
      documentWith([rectangle({ link: { type: "page", pageId: guidOf(8) } })]),
      ["DESIGN_LINK_INVALID pages[0].elements[0].link.pageId"],
    ],
    [
      "a link to no field",
      documentWith([
        element("text", {
          richText: {
            paragraphs: [{ runs: [{ text: "a", link: { type: "field", field: "x" } }] }],
          },
        }),
      ]),
      ["DESIGN_LINK_INVALID pages[0].elements[0].richText.paragraphs[0].runs[0].link.field"],
    ],
    [
      "text and rich text",
      documentWith([element("text", { text: "a", richText: { paragraphs: [] } })]),
      ["invalid_value pages[0].elements[0].richText"],
    ],
    [
      "a circle and its width",
      documentWith([element("circle", { radius: 3, width: 7, height: 6 })]),
      ["invalid_value pages[0].elements[0].width"],
    ],
    [
      "rows side by side without a width",
      documentWith([list("a", [], { direction: "horizontal" })]),
      ["missing_property pages[0].elements[0].itemWidth"],
    ],
    [
      "two lists that continue",
      documentWith([
        list("a", [], { overflowMode: "continue" }),
        list("b", [], { overflowMode: "continue" }),
      ]),
      ["limit_exceeded pages[0].elements[1].overflowMode"],
    ],
    [
      "a page scope in a group",
      documentWith([element("group", { children: [rectangle({ pageScope: "all" })] })]),
      ["unknown_property pages[0].elements[0].children[0].pageScope"],
    ],
    [
      "a default of another type",
      documentWith([fieldText("a", { defaultValue: "x" }, "number")]),
      ["invalid_value pages[0].elements[0].placeholder.defaultValue"],
    ],
    [
      "a default with an unknown key",
      documentWith([
        element("repeat_region", {
          itemHeight: 1,
          placeholder: field("list", "rows", { defaultValue: [{ k: "x", l: 1 }] }),
          children: [fieldText("k")],
        }),
      ]),
      ["invalid_value pages[0].elements[0].placeholder.defaultValue[0].l"],
    ],
    [
      "a time zone that is not there",
      documentWith([fieldText("a", { format: { timeZone: "Mars/Base" } }, "date")]),
      ["invalid_value pages[0].elements[0].placeholder.format.timeZone"],
    ],
    [
      "money without a currency",
      documentWith([fieldText("a", { format: { style: "currency" } }, "number")]),
      ["missing_property pages[0].elements[0].placeholder.format.currency"],
    ],
    ["no pages", { schemaVersion: "2.0", pages: [] }, ["limit_exceeded pages"]],
    [
      "1,001 elements of a page",
      documentWith([
        element("group", { children: Array.from({ length: 1_000 }, () => rectangle()) }),
      ]),
      ["limit_exceeded pages[0].elements"],
    ],
  ])("%s", (_name, document, expected) => {
    expect(problemsOf(document)).toEqual(expected);
  });

  test("messages say how to keep the rule", () => {
    const result = validateDocument(
      documentWith([rectangle({ opacty: 1, opacity: 2, fill: "red" })]),
    );
    expect(result.ok ? [] : result.problems.map(({ message }) => message)).toEqual([
      'Unknown property. Did you mean "opacity"?',
      "Must be a number from 0 to 1, and is 2.",
      'Must be a color such as #1A2B3C, and is "red".',
    ]);
  });
});

test("what is valid is filled with defaults, long texts too", () => {
  const title = "𝒳".repeat(500);
  const filled = DesignDocument.parse(documentWith([rectangle()], { metadata: { title } }));
  expect(filled.metadata).toEqual({ title, author: "", subject: "", keywords: [] });
  expect(filled.pages[0]?.elements[0]).toMatchObject({ fill: "#000000", stroke: null, left: 0 });
  expect(problemsOf(documentWith([], { metadata: { title: `${title}x` } }))).toEqual([
    "limit_exceeded metadata.title",
  ]);
});

describe("hostile documents", () => {
  test("of 2,000 problems 1,000 are reported", () => {
    expect(problemsOf(documentWith(Array.from({ length: 900 }, () => ({}))))).toHaveLength(900);
    expect(
      problemsOf(documentWith(Array.from({ length: 900 }, () => rectangle({ a: 1, b: 2 })))),
    ).toHaveLength(1_000);
  });

  test.each([200, 20_000])("%i nested groups are refused and overflow no stack", (depth) => {
    expect(problemsOf(documentWith([inGroups(depth)]))).toEqual([
      expect.stringMatching(/^limit_exceeded pages\[0\]\.elements\[0\]/),
    ]);
  });

  test("a deep condition, value and default overflow no stack", () => {
    const deep = Array.from({ length: 400 }).reduce<JsonValue>((inner) => [inner], 1);
    expect(problemsOf(documentWith(shown(conditionOf(450))))).toHaveLength(1);
    expect(
      problemsOf(
        documentWith([], { sampleSets: [{ id: nextGuid(), name: "a", values: { deep } }] }),
      ),
    ).toEqual(["limit_exceeded sampleSets[0].values.deep"]);
  });

  test("components that double at each level are counted, not expanded without end", () => {
    const ids = Array.from({ length: 14 }, () => nextGuid());
    const components = ids.map((id, i) => ({
      id,
      name: "c",
      width: 1,
      height: 1,
      elements:
        ids[i + 1] === undefined
          ? []
          : Array.from({ length: 2 }, () =>
              element("component_instance", { componentId: ids[i + 1] as string }),
            ),
    }));
    const problems = problemsOf(
      documentWith([element("component_instance", { componentId: ids[0] as string })], {
        components,
      }),
    );
    expect(problems).toContain("limit_exceeded pages[0].elements");
    expect(problems).toContain("limit_exceeded components[0].elements");
  });

  test("a cycle through an override is found", () => {
    const other = nextGuid();
    const problems = problemsOf(
      documentWith(
        [instance({ overrides: [{ elementId: PART, properties: { componentId: COMPONENT } }] })],
        {
          components: [
            component([element("component_instance", { id: PART, componentId: other })]),
            { ...component([]), id: other },
          ],
        },
      ),
    );
    expect(problems).toEqual([
      "component_cycle pages[0].elements[0].overrides[0].properties.componentId",
    ]);
  });
});
