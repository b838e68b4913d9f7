import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { applyEdit } from "../../../src/templates/edits/apply-edit.ts";
import type { EditCommand } from "../../../src/templates/edits/edit-command.ts";
import { validateDocument } from "../../../src/templates/document/validate-document.ts";
import {
  element,
  fieldText,
  guidOf,
  type Json,
  list,
  page,
} from "../../support/templates/documents.ts";
import { fullDocumentOfTwoPages } from "../../support/templates/full-document.ts";

const [FIRST, SECOND, MASTER, SET] = [1, 2, 3, 4].map(guidOf) as [string, string, string, string];
const [TEXT, GROUP, INNER, SHAPE] = [11, 12, 13, 14].map(guidOf) as [
  string,
  string,
  string,
  string,
];

function base(): Json {
  return {
    schemaVersion: "2.0",
    pages: [
      page(
        [
          element("text", { id: TEXT, text: "a", fontSize: 9 }),
          element("group", { id: GROUP, children: [element("rectangle", { id: INNER })] }),
          element("rectangle", { id: SHAPE }),
        ],
        { id: FIRST },
      ),
      page([], { id: SECOND, numberingStyle: "roman_upper" }),
    ],
    masterPages: [{ id: MASTER, width: 595, height: 842, elements: [] }],
    sampleSets: [{ id: SET, name: "One", values: { some_key: 1 } }],
  };
}

interface Element extends Json {
  id: string;
}
interface Sheet {
  id: string;
  elements: Element[];
}
interface Edited {
  document: { pages: Sheet[]; masterPages: Sheet[]; sampleSets: Json[] };
  entry: Element & { children: (Element & { placeholder: Element })[] };
}

let made = 0;
function edit(command: EditCommand, document: JsonValue = base()) {
  return applyEdit(document, command, () => guidOf(900 + (made += 1)));
}

function edited(command: EditCommand, document: JsonValue = base()) {
  const result = edit(command, document);
  if (!result.ok) {
    throw new Error(JSON.stringify(result));
  }
  return result as unknown as Edited;
}

/** Ids of the elements, with those of children in brackets. */
function tree(elements: Element[]): string {
  return elements
    .map(({ id, children }) => {
      const name = Number(id.slice(-3));
      return children === undefined ? `${name}` : `${name}[${tree(children as Element[])}]`;
    })
    .join(" ");
}

const onFirst = (result: Edited) => tree(result.document.pages[0]!.elements);

describe("edits", () => {
  test("an element is made at the front, in the document's form, with ids for it, its field and its children", () => {
    const { entry, document } = edited({
      kind: "create_element",
      pageId: FIRST.toUpperCase(),
      properties: {
        type: "group",
        width: 10,
        height: 10,
        children: [
          {
            type: "text",
            width: 1,
            height: 1,
            font_size: 7,
            features: { liga: 0 },
            placeholder: { name: "A", code: "a_b", placeholder_type: "text", default_value: "x_y" },
          },
          {
            type: "rectangle",
            width: 1,
            height: 1,
            corner_radius_top_left: 3,
            paint_order: "stroke_fill",
            fill_paint: {
              type: "linear_gradient",
              spread_method: "pad",
              stops: [
                { offset: 0, color: "#000000" },
                { offset: 1, color: "#FFFFFF" },
              ],
            },
          },
        ],
      },
    });
    expect(document.pages[0]!.elements.at(-1)).toEqual(entry);
    expect(entry).toMatchObject({
      $type: "group",
      children: [
        {
          $type: "text",
          fontSize: 7,
          features: { liga: 0 },
          placeholder: { code: "a_b", placeholderType: "text", defaultValue: "x_y" },
        },
        {
          cornerRadiusTopLeft: 3,
          paintOrder: "stroke_then_fill",
          fillPaint: { type: "linear_gradient", spreadMethod: "pad" },
        },
      ],
    });
    expect(new Set([entry.id, entry.children[0]!.id, entry.children[0]!.placeholder.id]).size).toBe(
      3,
    );
  });

  test("elements that an instance overrides are made like others, in its overrides' overrides too", () => {
    const caption = { type: "text", width: 9, height: 9, font_size: 7 };
    const inner = {
      element_id: guidOf(43),
      properties: { header: [caption], repeat_header: false },
    };
    const { entry } = edited(
      {
        kind: "create_element",
        pageId: FIRST,
        properties: {
          type: "component_instance",
          width: 9,
          height: 9,
          component_id: guidOf(40),
          overrides: [
            {
              element_id: guidOf(42),
              properties: {
                overrides: [inner],
                placeholder: { name: "A", code: "a", placeholder_type: "boolean" },
              },
            },
          ],
        },
      },
      {
        ...base(),
        components: [
          {
            id: guidOf(40),
            name: "Outer",
            width: 9,
            height: 9,
            elements: [element("component_instance", { id: guidOf(42), componentId: guidOf(41) })],
          },
          {
            id: guidOf(41),
            name: "Inner",
            width: 9,
            height: 9,
            elements: [list("rows", [], { id: guidOf(43) })],
          },
        ],
      },
    );
    const id = expect.stringMatching(/^00000000-0000-4000-8000-0000000009\d\d$/);
    expect(entry["overrides"]).toEqual([
      {
        elementId: guidOf(42),
        properties: {
          overrides: [
            {
              elementId: guidOf(43),
              properties: {
                header: [{ id, $type: "text", width: 9, height: 9, fontSize: 7 }],
                repeatHeader: false,
              },
            },
          ],
          placeholder: { id, name: "A", code: "a", placeholderType: "boolean" },
        },
      },
    ]);
  });

  test("an element is made at an index of its parent, and on a master page", () => {
    const properties = { id: guidOf(20), type: "rectangle", width: 1, height: 1 };
    const at = (more: object) =>
      edited({ kind: "create_element", pageId: FIRST, properties, ...more });
    expect(onFirst(at({ index: 1 }))).toBe("11 20 12[13] 14");
    expect(onFirst(at({ index: 99 }))).toBe("11 12[13] 14 20");
    expect(onFirst(at({ parentId: GROUP, index: 0 }))).toBe("11 12[20 13] 14");
    expect(tree(at({ pageId: MASTER }).document.masterPages[0]!.elements)).toBe("20");
  });

  test("a patch replaces properties whole, null removes one, and the rest stays", () => {
    const patch = (properties: Json) => edited({ kind: "change_element", id: TEXT, properties });
    expect(
      patch({ font_size: null, text: "b", link: { type: "page", page_id: SECOND } }).entry,
    ).toEqual({
      $type: "text",
      id: TEXT,
      width: 100,
      height: 20,
      text: "b",
      link: { type: "page", pageId: SECOND },
    });
    expect(
      edited({
        kind: "change",
        target: "page",
        id: SECOND,
        properties: { style: "roman_lower" },
      }).entry,
    ).toMatchObject({ numberingStyle: "roman_lower" });
  });

  test("elements move by index, parent and page with their numbers", () => {
    const move = (id: string, to: object) =>
      edited({ kind: "change_element", id, properties: {}, ...to });
    expect(onFirst(move(TEXT, { index: 2 }))).toBe("12[13] 14 11");
    expect(onFirst(move(TEXT, { parentId: GROUP }))).toBe("12[13 11] 14");
    expect(onFirst(move(INNER, { parentId: null, index: 0 }))).toBe("13 11 12[] 14");
    const { document } = move(GROUP, { pageId: SECOND });
    expect([tree(document.pages[0]!.elements), tree(document.pages[1]!.elements)]).toEqual([
      "11 14",
      "12[13]",
    ]);
    expect(
      edit({ kind: "change_element", id: GROUP, parentId: INNER, properties: {} }),
    ).toMatchObject({ kind: "envelope", field: "parent_id" });
    expect(
      edit({ kind: "change_element", id: GROUP, parentId: SHAPE, properties: {} }),
    ).toMatchObject({ kind: "envelope", field: "parent_id" });
  });

  test("pages, master pages and sample sets are made, moved, changed and removed", () => {
    const third = { id: guidOf(5), width: 100, height: 100, bottom_margin: 3 };
    const inserted = edited({ kind: "create", target: "page", index: 1, properties: third });
    expect(inserted.document.pages.map(({ id }) => id)).toEqual([FIRST, third.id, SECOND]);
    expect(inserted.entry["bottomMargin"]).toBe(3);
    const moved = edited({ kind: "change", target: "page", id: SECOND, index: 0, properties: {} });
    expect(moved.document.pages.map(({ id }) => id)).toEqual([SECOND, FIRST]);
    expect(edited({ kind: "remove", target: "page", id: SECOND }).document.pages).toHaveLength(1);
    expect(edited({ kind: "remove", target: "master", id: MASTER }).document.masterPages).toEqual(
      [],
    );
    expect(
      edited({ kind: "remove", target: "element", id: INNER }).document.pages[0]!.elements[1]![
        "children"
      ],
    ).toEqual([]);
    const values = { some_key: { inner_key: 1 } };
    const set = edited({
      kind: "create",
      target: "sample_set",
      properties: { name: "Two", values },
    });
    expect(set.entry).toMatchObject({ name: "Two", values });
    const { sampleSets: _sets, ...without } = base();
    expect(
      edited(
        { kind: "create", target: "sample_set", properties: { name: "a", values: {} } },
        without,
      ).document.sampleSets,
    ).toHaveLength(1);
  });

  test.each<[string, EditCommand, object]>([
    ["no page", { kind: "remove", target: "page", id: guidOf(77) }, { code: "page_not_found" }],
    [
      "no master page",
      { kind: "change", target: "master", id: FIRST, properties: {} },
      { code: "master_not_found" },
    ],
    [
      "no sample set",
      { kind: "remove", target: "sample_set", id: guidOf(77) },
      { code: "sample_set_not_found" },
    ],
    ["no element", { kind: "change_element", id: FIRST, properties: {} }, { code: "not_found" }],
    [
      "no page for an element",
      { kind: "create_element", pageId: guidOf(77), properties: {} },
      { code: "page_not_found" },
    ],
    [
      "no page for an element that moves, before its properties",
      { kind: "change_element", id: TEXT, pageId: guidOf(77), properties: { type: "image" } },
      { kind: "missing", code: "page_not_found" },
    ],
    [
      "itself as the parent, before its properties",
      { kind: "change_element", id: GROUP, parentId: INNER, properties: { fontSize: 3 } },
      { kind: "envelope", field: "parent_id" },
    ],
    [
      "a parent on another page",
      { kind: "create_element", pageId: SECOND, parentId: GROUP, properties: {} },
      { code: "not_found" },
    ],
    [
      "the type",
      { kind: "change_element", id: TEXT, properties: { type: "image" } },
      { problems: [{ field: "pages[0].elements[0].$type", code: "unknown_property" }] },
    ],
    [
      "children",
      { kind: "change_element", id: GROUP, properties: { children: [] } },
      { problems: [{ field: "pages[0].elements[1].children", code: "unknown_property" }] },
    ],
    [
      "elements of a page",
      { kind: "change", target: "page", id: FIRST, properties: { elements: [] } },
      { problems: [{ field: "pages[0].elements", code: "unknown_property" }] },
    ],
    [
      "a name of the document",
      { kind: "change_element", id: TEXT, properties: { fontSize: 3 } },
      {
        problems: [
          {
            field: "pages[0].elements[0].fontSize",
            message: 'In commands this property is "font_size".',
          },
        ],
      },
    ],
    [
      "the last property that an element needs",
      { kind: "change_element", id: TEXT, properties: { width: null } },
      { problems: [{ field: "pages[0].elements[0].width", code: "missing_property" }] },
    ],
    [
      "a value beyond",
      { kind: "change_element", id: TEXT, properties: { font_size: 0 } },
      { problems: [{ field: "pages[0].elements[0].fontSize", code: "out_of_range" }] },
    ],
    [
      "another set's name",
      { kind: "create", target: "sample_set", properties: { name: "ONE", values: {} } },
      { problems: [{ field: "sampleSets[1].name", code: "duplicate_name" }] },
    ],
  ])("refuses %s, and nothing changes", (_name, command, expected) => {
    const document = base();
    expect(edit(command, document)).toMatchObject({ ok: false, ...expected });
    expect(document).toEqual(base());
  });

  test("what an edit leaves is as valid as the whole says, for edits at random", () => {
    let document: JsonValue = fullDocumentOfTwoPages();
    const pages = (document as unknown as Edited["document"]).pages;
    const ids = pages.flatMap(({ elements }) => elements.map(({ id }) => id));
    for (const [i, id] of ids.entries()) {
      const target = pages[i % 2]!.id;
      const result = edit(
        { kind: "change_element", id, pageId: target, index: i % 3, properties: { name: "n" } },
        document,
      );
      if (result.ok) {
        document = result.document;
      }
      expect(validateDocument(document).ok).toBe(true);
    }
    expect(JSON.stringify(document)).toContain('"name":"n"');
  });

  test("an element among 10,000 is changed without a copy of the others", () => {
    const full = {
      schemaVersion: "2.0",
      pages: Array.from({ length: 10 }, () =>
        page(Array.from({ length: 999 }, () => element("rectangle"))),
      ),
    };
    (full.pages[9]!["elements"] as Json[]).push(fieldText("a", { id: guidOf(30) }));
    const id = (full.pages[9] as unknown as Sheet).elements[999]!.id;
    const result = edited({ kind: "change_element", id, properties: { left: 3 } }, full);
    expect(result.entry["left"]).toBe(3);
    expect(result.document.pages[3]).toBe(full.pages[3]);
  });
});
