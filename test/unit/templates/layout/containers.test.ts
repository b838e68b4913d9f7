import { describe, expect, test } from "vitest";
import {
  documentOf,
  draw,
  drawElement,
  field,
  guid,
  render,
} from "../../../support/templates/layout-kit.ts";

const rect = (width: number, height: number, more = {}) => ({
  $type: "rectangle",
  left: 777,
  top: 777,
  width,
  height,
  ...more,
});
/** `x,y w×h` of each rectangle. */
const boxes = (lines: readonly string[]) =>
  lines.flatMap((line) => {
    const match = /path M(-?[\d.]+),(-?[\d.]+) L(-?[\d.]+),\S+ L\S+,(-?[\d.]+) L/.exec(line);
    if (match === null) {
      return [];
    }
    const [x, y, right, bottom] = match.slice(1).map(Number) as [number, number, number, number];
    const round = (value: number) => Math.round(value * 100) / 100;
    return [`${x},${y} ${round(right - x)}×${round(bottom - y)}`];
  });
const region = (children: readonly object[], more = {}) => ({
  $type: "layout_region",
  left: 10,
  top: 20,
  width: 100,
  height: 100,
  children,
  ...more,
});
const flow = (children: readonly object[], more = {}) => boxes(drawElement(region(children, more)));
const report = (element: object, values = {}) =>
  render(documentOf([[element as Record<string, unknown>]]), { values }).facts;

describe("a layout region", () => {
  const two = [rect(20, 10), rect(30, 20)];

  test.each<[string, Record<string, unknown>, string[]]>([
    ["stacks its children", { gap: 5 }, ["10,20 20×10", "10,35 30×20"]],
    ["keeps its padding free", { padding: 3 }, ["13,23 20×10", "13,33 30×20"]],
    ["centers them", { alignItems: "center" }, ["50,20 20×10", "45,30 30×20"]],
    ["aligns them with its end", { alignItems: "end" }, ["90,20 20×10", "80,30 30×20"]],
    ["stretches them", { alignItems: "stretch", padding: 5 }, ["15,25 90×10", "15,35 90×20"]],
    ["puts them at its end", { justifyContent: "end" }, ["10,90 20×10", "10,100 30×20"]],
    ["puts them in the middle", { justifyContent: "center" }, ["10,55 20×10", "10,65 30×20"]],
    [
      "divides its space between them",
      { justifyContent: "space_between" },
      ["10,20 20×10", "10,100 30×20"],
    ],
    ["lines them up", { direction: "horizontal", gap: 5 }, ["10,20 20×10", "35,20 30×20"]],
    [
      "aligns a line",
      { direction: "horizontal", alignItems: "end" },
      ["10,110 20×10", "30,100 30×20"],
    ],
    [
      "stretches a line",
      { direction: "horizontal", alignItems: "stretch" },
      ["10,20 20×100", "30,20 30×100"],
    ],
    [
      "divides the space of a line",
      { direction: "horizontal", justifyContent: "space_between" },
      ["10,20 20×10", "80,20 30×20"],
    ],
    [
      "has no more space than its children if it fits them",
      { fitHeight: true, justifyContent: "end" },
      ["10,20 20×10", "10,30 30×20"],
    ],
  ])("%s", (_, properties, expected) => {
    expect(flow(two, properties)).toEqual(expected);
  });

  test("in a grid has cells of equal width and rows as high as their highest child", () => {
    const children = [rect(20, 10), rect(20, 30), rect(20, 5)];
    expect(flow(children, { direction: "grid", gap: 10 })).toEqual([
      "10,20 20×10",
      "65,20 20×30",
      "10,60 20×5",
    ]);
    expect(
      flow(children, { direction: "grid", gap: 10, rowGap: 2, alignItems: "stretch", columns: 2 }),
    ).toEqual(["10,20 45×10", "65,20 45×30", "10,52 45×5"]);
  });

  test("gives a hidden child no place and no gap", () => {
    expect(flow([two[0]!, rect(9, 9, { visible: false }), two[1]!], { gap: 5 })).toEqual(
      flow(two, { gap: 5 }),
    );
  });

  test("leaves out what does not fit, and counts it", () => {
    const children = [rect(20, 60), rect(20, 50), rect(20, 40)];
    expect(flow(children)).toEqual(["10,20 20×60", "10,80 20×40"]);
    expect(report(region(children))).toMatchObject({ elements_left_out: 1, status: "warnings" });
    expect(flow([rect(60, 10), rect(50, 10), rect(40, 10)], { direction: "horizontal" })).toEqual([
      "10,20 60×10",
      "70,20 40×10",
    ]);
    expect(flow([rect(10, 60), rect(10, 10), rect(10, 50)], { direction: "grid" })).toEqual([
      "10,20 10×60",
      "60,20 10×10",
    ]);
  });

  test("that fits its children has room down to the end of the page", () => {
    const children = Array.from({ length: 10 }, () => rect(10, 50));
    expect(report(region(children, { fitHeight: true }))).toMatchObject({ elements_left_out: 5 });
  });

  test("moves what follows a text that grows, which grows within the region", () => {
    const text = (length: number) => ({
      $type: "text",
      width: 50,
      height: 10,
      fontSize: 10,
      lineHeight: 1,
      fixedHeight: false,
      text: "x".repeat(length),
    });
    expect(flow([text(30), rect(9, 9)])).toEqual(["10,50 9×9"]);
    expect(report(region([text(150)])).texts).toMatchObject([
      { outcome: "cut", characters_printed: 100 },
    ]);
  });
});

describe("a group", () => {
  test("holds its children in its own coordinates and turns with them", () => {
    const group = {
      $type: "group",
      left: 10,
      top: 20,
      width: 40,
      height: 40,
      children: [rect(5, 5, { left: 1, top: 2 })],
    };
    expect(boxes(drawElement(group))).toEqual(["11,22 5×5"]);
    expect(drawElement({ ...group, angle: 180 })).toEqual([
      "group [-1 0 0 -1 50 60]",
      "  path M1,2 L6,2 L6,7 L1,7 Z fill #000000",
    ]);
  });

  test("a folder stands for its children", () => {
    const folder = {
      $type: "folder",
      left: 10,
      top: 20,
      width: 40,
      height: 40,
      angle: 45,
      opacity: 0.5,
      children: [rect(5, 5, { left: 1, top: 2 })],
    };
    expect(boxes(drawElement(folder))).toEqual(["1,2 5×5"]);
    expect(drawElement({ ...folder, visible: false })).toEqual([]);
  });
});

describe("a component", () => {
  const component = {
    id: guid(80),
    name: "Card",
    width: 50,
    height: 20,
    elements: [
      rect(50, 20, {
        left: 0,
        top: 0,
        id: guid(81),
        stroke: "#FF0000",
        nonScalingStroke: true,
        fill: null,
        strokeDashArray: [2],
      }),
      {
        $type: "text",
        id: guid(82),
        width: 50,
        height: 20,
        fontSize: 10,
        lineHeight: 1,
        text: "card",
      },
    ],
  };
  const instance = {
    $type: "component_instance",
    left: 10,
    top: 20,
    width: 50,
    height: 20,
    componentId: guid(80).toUpperCase(),
  };
  const draws = (more: object) =>
    drawElement({ ...instance, ...more }, { values: { a: "value" } }, { components: [component] });

  test("prints in the box of its instance", () => {
    expect(draws({})).toEqual([
      "path M10,20 L60,20 L60,40 L10,40 Z stroke 1 #ff0000 dashes 2",
      'text "card" 10 at 10,30 #000000',
    ]);
  });

  test("is scaled to it, and a stroke that does not scale keeps its width", () => {
    expect(draws({ width: 100, height: 40 })).toEqual([
      "group [2 0 0 2 10 20]",
      "  path M0,0 L50,0 L50,20 L0,20 Z stroke 0.5 #ff0000 dashes 1",
      '  text "card" 10 at 0,10 #000000',
    ]);
    expect(draws({ width: 100 }).slice(0, 3)).toEqual([
      "group [2 0 0 1 10 20]",
      "  group [0.5 0 0 1 0 0]",
      "    path M0,0 L100,0 L100,20 L0,20 Z stroke 1 #ff0000 dashes 2",
    ]);
  });

  test("takes the overrides of its instance", () => {
    const overrides = [
      { elementId: guid(81), properties: { visible: false } },
      {
        elementId: guid(82),
        properties: {
          placeholder: { id: guid(83), name: "a", code: "a", placeholderType: "text" },
          fontSize: 8,
        },
      },
    ];
    expect(draws({ overrides })).toEqual(['text "value" 8 at 10,28 #000000']);
  });

  test("prints the header that its instance gives a list, and its own without one", () => {
    const caption = (id: number, text: string, more = {}) => ({
      $type: "text",
      id: guid(id),
      width: 50,
      height: 10,
      fontSize: 8,
      text,
      ...more,
    });
    const rows = {
      ...component,
      elements: [
        {
          $type: "repeat_region",
          id: guid(84),
          width: 50,
          height: 20,
          itemHeight: 10,
          headerHeight: 10,
          placeholder: { id: guid(85), name: "rows", code: "rows", placeholderType: "list" },
          header: [caption(86, "yours")],
          children: [caption(87, "row")],
        },
      ],
    };
    const printed = (header: readonly object[] | undefined) =>
      drawElement(
        {
          ...instance,
          overrides: header === undefined ? [] : [{ elementId: guid(84), properties: { header } }],
        },
        { values: { a: "value", rows: [{}] } },
        { components: [rows] },
      ).flatMap((line) => /text "([^"]*)"/.exec(line)?.[1] ?? []);
    expect(printed(undefined)).toEqual(["yours", "row"]);
    expect(printed([])).toEqual(["row"]);
    const field = { id: guid(89), name: "a", code: "a", placeholderType: "text" };
    expect(
      printed([caption(88, "mine", { placeholder: field }), caption(90, "more", { left: 25 })]),
    ).toEqual(["value", "more", "row"]);
  });
});

describe("a list in one box", () => {
  const list = (more = {}) => ({
    $type: "repeat_region",
    left: 10,
    top: 20,
    width: 100,
    height: 50,
    itemHeight: 20,
    placeholder: field("rows", "list"),
    children: [rect(5, 5, { left: 0, top: 0 })],
    ...more,
  });
  const rows = (count: number) => ({ rows: Array.from({ length: count }, () => ({})) });
  const places = (count: number, more = {}) =>
    boxes(drawElement(list(more), { values: rows(count) }));

  test.each<[string, Record<string, unknown>, string[]]>([
    ["clips whole rows", {}, ["10,20 5×5", "10,40 5×5"]],
    ["has gaps between rows only", { gap: 10 }, ["10,20 5×5", "10,50 5×5"]],
    ["begins below its header", { headerHeight: 15, gap: 1 }, ["10,35 5×5"]],
    [
      "stands side by side",
      { direction: "horizontal", itemWidth: 45, gap: 10 },
      ["10,20 5×5", "65,20 5×5"],
    ],
    [
      "fills a grid row by row",
      { direction: "grid", gap: 10, rowGap: 5 },
      ["10,20 5×5", "65,20 5×5", "10,45 5×5"],
    ],
    [
      "grows down to the end of the page",
      { overflowMode: "grow", top: 250 },
      ["10,250 5×5", "10,270 5×5"],
    ],
    ["prints at most maxItems", { maxItems: 1 }, ["10,20 5×5"]],
    ["in which no row fits is empty", { itemHeight: 51 }, []],
  ])("%s", (_, properties, expected) => {
    expect(places(3, properties)).toEqual(expected);
  });

  test("says why rows are left out, and nothing where none is", () => {
    const lists = (count: number, more = {}, maxRepeat?: number) => {
      const { facts } = render(documentOf([[list(more)]]), {
        values: rows(count),
        options: { maxRepeat },
      });
      return [facts.rows_printed, facts.rows_left_out, ...facts.lists.map(({ reason }) => reason)];
    };
    expect(lists(2)).toEqual([2, 0]);
    expect(lists(3)).toEqual([2, 1, "no_room"]);
    expect(lists(3, { maxItems: 2 })).toEqual([2, 1, "max_items"]);
    expect(lists(3, { maxItems: 2 }, 1)).toEqual([1, 2, "max_repeat"]);
    expect(lists(9, { maxItems: 5 }, 4)).toEqual([2, 7, "no_room"]);
  });

  test("fails where no row may be left out", () => {
    const { problems } = render(documentOf([[list()]]), {
      values: rows(3),
      options: { overflowPolicy: "fail" },
    });
    expect(problems).toMatchObject([{ code: "LIST_OVERFLOW", field: "rows" }]);
  });

  test("grows with the texts of its rows", () => {
    const children = [
      {
        $type: "text",
        width: 50,
        height: 20,
        fontSize: 10,
        lineHeight: 1,
        fixedHeight: false,
        placeholder: field("k", "text"),
      },
      rect(5, 5, { left: 60, top: 0 }),
    ];
    const values = { rows: [{ k: "x".repeat(30) }, { k: "x" }, { k: "x" }] };
    const element = list({ fitItemHeight: true, overflowMode: "grow", children });
    expect(boxes(drawElement(element, { values }))).toEqual([
      "70,20 5×5",
      "70,50 5×5",
      "70,70 5×5",
    ]);
  });

  test("in a list looks up names in its item, the outer item, then the fields", () => {
    const line = (code: string, condition: object) => ({
      $type: "text",
      width: 50,
      height: 10,
      fontSize: 10,
      lineHeight: 1,
      text: code,
      condition,
      placeholder: field(code, "text"),
    });
    const inner = list({
      left: 0,
      top: 0,
      height: 20,
      itemHeight: 10,
      placeholder: field("inner", "list"),
      children: [
        line("k", {
          all: [
            { field: "k", operator: "is_not_empty" },
            { field: "outer", operator: "equals", value: "yes" },
            { field: "top", operator: "is_true" },
          ],
        }),
      ],
    });
    const element = list({
      children: [inner, { ...line("outer", { field: "outer", operator: "is_empty" }) }],
    });
    const page = documentOf([[element, rect(1, 1, { placeholder: field("top", "boolean") })]]);
    const values = {
      top: true,
      rows: [
        { outer: "yes", inner: [{ k: "a" }, { k: "b" }] },
        { outer: "no", inner: [{ k: "c" }] },
      ],
    };
    const { pages, facts } = render(page, { values });
    expect(draw(pages[0]).filter((line_) => line_.startsWith("text"))).toEqual([
      'text "a" 10 at 10,30 #000000',
      'text "b" 10 at 10,40 #000000',
    ]);
    expect(facts.fields).toEqual([
      { code: "rows", occurrences: 1, characters: 0, printed: 0, cut: 0 },
      { code: "rows.inner", occurrences: 2, characters: 0, printed: 0, cut: 0 },
      { code: "rows.inner.k", occurrences: 2, characters: 2, printed: 2, cut: 0 },
      { code: "rows.outer", occurrences: 0, characters: 0, printed: 0, cut: 0 },
      { code: "top", occurrences: 1, characters: 0, printed: 0, cut: 0 },
    ]);
  });
});
