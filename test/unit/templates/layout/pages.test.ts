import { describe, expect, test } from "vitest";
import { layOut, startLayout } from "../../../../src/templates/layout/lay-out.ts";
import { withoutPauses } from "../../../../src/templates/layout/slices.ts";
import { RenderTooLargeError } from "../../../../src/templates/layout/options.ts";
import type { PictureResource } from "../../../../src/templates/layout/resources/layout-resources.ts";
import {
  documentOf,
  draw,
  field,
  guid,
  layoutInput,
  render,
} from "../../../support/templates/layout-kit.ts";

const text = (content: string, more = {}) => ({
  $type: "text",
  width: 100,
  height: 10,
  fontSize: 10,
  lineHeight: 1,
  text: content,
  ...more,
});
const items = (count: number, code = "k") =>
  Array.from({ length: count }, (_, i) => ({ [code]: `row ${i}` }));
const table = (more = {}) => ({
  $type: "repeat_region",
  left: 0,
  top: 20,
  width: 100,
  height: 50,
  itemHeight: 10,
  overflowMode: "continue",
  placeholder: field("rows", "list"),
  children: [text("-", { placeholder: field("k", "text") })],
  ...more,
});
/** The texts of each page, in order of paint. */
const texts = (result: ReturnType<typeof render>) =>
  result.pages.map((page) =>
    draw(page).flatMap((line) => /text "(.*?)"/.exec(line)?.slice(1) ?? []),
  );

describe("a page", () => {
  test("paints color, gradient, picture, underlay master, elements and overlay master in this order", () => {
    const masters = [
      {
        id: guid(50),
        width: 200,
        height: 300,
        backgroundColor: "#111111",
        elements: [text("master {{page}}")],
      },
    ];
    const background = {
      backgroundColor: "#222222",
      backgroundPaint: {
        type: "linear_gradient",
        stops: [
          { offset: 0, color: "#000000" },
          { offset: 1, color: "#FFFFFF" },
        ],
      },
      backgroundImage: { src: "p", fitMode: "contain" },
      elements: [text("own")],
    };
    const picture: PictureResource = { kind: "raster", key: "p", width: 100, height: 100 };
    const { pages } = render(
      documentOf(
        [background, { ...background, masterLayer: "overlay", useMasterBackground: true }],
        {
          masterPages: masters,
        },
      ),
      { pictures: { p: picture } },
    );
    const whole = "path M0,0 L200,0 L200,300 L0,300 Z fill";
    expect(draw(pages[0])).toEqual([
      `${whole} #222222`,
      `${whole} linear 0,0,1,0 [200 0 0 300 0 0] 0#000000 1#ffffff`,
      "picture p [200 0 0 200 0 50]",
      'text "master 1" 10 at 0,10 #000000',
      'text "own" 10 at 0,10 #000000',
    ]);
    expect(draw(pages[1])).toEqual([
      `${whole} #111111`,
      'text "own" 10 at 0,10 #000000',
      'text "master 2" 10 at 0,10 #000000',
    ]);
  });

  test("crops a covering background by its focal point and scales about it", () => {
    const picture: PictureResource = { kind: "raster", key: "p", width: 300, height: 300 };
    const { pages } = render(documentOf([{ backgroundImage: { src: "p", focalX: 1, scale: 2 } }]), {
      pictures: { p: picture },
    });
    expect(draw(pages[0])).toEqual([
      "group clip M0,0 L200,0 L200,300 L0,300 Z",
      "  picture p [600 0 0 600 -400 -150]",
    ]);
  });

  test("takes the first master of its size whose rule fits the number of the output page", () => {
    const master = (n: number, automaticRule: string, more = {}) => ({
      id: guid(n),
      width: 200,
      height: 300,
      automaticRule,
      elements: [text(automaticRule)],
      ...more,
    });
    const masterPages = [
      master(50, "odd", { width: 210 }),
      master(51, "even", { height: 300.009 }),
      master(52, "all"),
      master(53, "odd"),
    ];
    const result = render(
      documentOf(
        [
          {},
          {},
          { masterAssignment: "none" },
          { masterAssignment: "manual", masterPageId: guid(53) },
        ],
        { masterPages },
      ),
    );
    expect(texts(result)).toEqual([["all"], ["even"], [], ["odd"]]);
  });

  test("that fits its height ends below its lowest element, however it is turned", () => {
    const at = (more: object) =>
      render(
        documentOf([
          {
            fitHeight: true,
            bottomMargin: 5,
            elements: [{ $type: "rectangle", top: 400, width: 20, height: 10, ...more }],
          },
        ]),
      ).pages[0]?.height;
    expect(at({})).toBe(415);
    expect(at({ angle: 90 })).toBeCloseTo(420, 9);
    expect(at({ visible: false })).toBe(10);
  });

  test("notes texts that leave it and what lies outside of it", () => {
    const elements = [
      text("partly", { id: guid(1), left: 150 }),
      { $type: "rectangle", id: guid(2), left: 190, width: 20, height: 10 },
      { $type: "rectangle", id: guid(3), left: 200, width: 20, height: 10 },
      text("tiny", { id: guid(4), fontSize: 4 }),
    ];
    expect(render(documentOf([elements])).notes).toEqual([
      { code: "outside_page", element_id: guid(1), page_number: 1 },
      { code: "outside_page", element_id: guid(3), page_number: 1 },
      { code: "text_small", element_id: guid(4), page_number: 1 },
    ]);
  });
});

describe("a list that goes on", () => {
  test("fills page after page, with its header on each", () => {
    const header = { header: [text("head")], headerHeight: 20 };
    const page = [
      text("first", { pageScope: "first" }),
      text("again", { pageScope: "continuation" }),
      text("total {{page}}/{{pages}}", { pageScope: "last" }),
      text("all", { pageScope: "all" }),
      table(header),
    ];
    const rows = (from: number, to: number) =>
      items(to)
        .slice(from)
        .map((_, i) => `row ${from + i}`);
    const result = (count: number) =>
      texts(render(documentOf([page]), { values: { rows: items(count) } }));
    expect(result(7)).toEqual([
      ["first", "all", "head", ...rows(0, 3)],
      ["again", "all", "head", ...rows(3, 6)],
      ["again", "total 3/3", "all", "head", "row 6"],
    ]);
    expect(result(3)).toEqual([["first", "total 1/1", "all", "head", ...rows(0, 3)]]);
    expect(result(0)).toEqual([["first", "total 1/1", "all", "head"]]);
  });

  test("has more room on later pages if its header is not repeated", () => {
    const region = table({ header: [text("head")], headerHeight: 20, repeatHeader: false });
    expect(texts(render(documentOf([[region]]), { values: { rows: items(9) } }))).toEqual([
      ["head", "row 0", "row 1", "row 2"],
      ["row 3", "row 4", "row 5", "row 6", "row 7"],
      ["row 8"],
    ]);
  });

  test("leaves out a row that fits nowhere, and waits with one that fits on the next page only", () => {
    const region = table({
      header: [text("head")],
      headerHeight: 20,
      repeatHeader: false,
      fitItemHeight: true,
      children: [text("", { width: 50, fixedHeight: false, placeholder: field("k", "text") })],
    });
    const lines = (count: number) => ({ k: "0123456789".repeat(count) });
    const result = render(documentOf([[region]]), {
      values: { rows: [lines(4), lines(6), lines(1), lines(5)] },
    });
    expect(texts(result).map((page) => page.length)).toEqual([1, 5, 5]);
    expect(result.facts).toMatchObject({ rows_printed: 3, rows_left_out: 1, texts_total: 4 });
    expect(result.facts.lists).toMatchObject([{ rows: 4, reason: "no_room", item: [] }]);
  });

  test("is not there if its condition is false, and then the page prints once", () => {
    const region = table({ condition: { field: "on", operator: "is_true" } });
    const page = [region, text("end", { pageScope: "last", placeholder: field("on", "boolean") })];
    expect(texts(render(documentOf([page]), { values: { on: false, rows: items(20) } }))).toEqual([
      [],
    ]);
  });

  test("of more than 200 pages is refused before a page is laid out", () => {
    const region = table({ height: 10 });
    const start = (pages: number, rows: number) =>
      withoutPauses(
        startLayout(
          layoutInput(documentOf(Array.from({ length: pages }, () => [region])), {
            values: { rows: items(rows) },
          }),
        ),
      );
    expect(start(2, 100)).toMatchObject({ ok: true, pageCount: 200 });
    expect(start(3, 67)).toMatchObject({ ok: false, kind: "too_large" });
  });
});

describe("page numbers", () => {
  test("run over the output pages of all pages, in sequences", () => {
    const number = text("{{page}} of {{sequencePages}}, {{pages}}", {
      pageScope: "all",
      width: 200,
    });
    const result = render(
      documentOf([
        { numberingStyle: "roman_lower", elements: [number] },
        { numberingStart: 5, elements: [number, table()] },
        { hidePageNumber: true, elements: [number] },
      ]),
      { values: { rows: items(6) } },
    );
    expect(texts(result).map(([first]) => first)).toEqual([
      "i of i, 4",
      "5 of 3, 4",
      "6 of 3, 4",
      " of 3, 4",
    ]);
    expect(result.pages.map(({ label }) => label)).toEqual(["i", "5", "6", ""]);
  });

  test("in rows whose height depends on them are found by repeating the layout", () => {
    // Ten pages need two digits, so that every row becomes two lines high, so that there are twenty.
    const region = table({
      height: 20,
      fitItemHeight: true,
      children: [text("{{pages}}", { width: 5, fixedHeight: false })],
    });
    const result = render(documentOf([[region]]), { values: { rows: items(20) } });
    expect(result.pages).toHaveLength(20);
    expect(new Set(texts(result).map((page) => page.join("")))).toEqual(new Set(["20"]));
  });
});

describe("a selection of pages", () => {
  test("keeps the numbers of the whole, and the report is about the whole", () => {
    const page = [text("{{page}}/{{pages}}", { pageScope: "all" }), table()];
    const options = { pageSelection: [{ first: 2, last: 2 }] };
    const result = render(documentOf([page]), { values: { rows: items(11) }, options });
    expect(texts(result)).toEqual([["2/3", "row 5", "row 6", "row 7", "row 8", "row 9"]]);
    expect(result.facts).toMatchObject({ page_count: 3, rows_printed: 11 });
  });

  test("drops links to pages that are not selected", () => {
    const link = (n: number) => ({
      $type: "rectangle",
      width: 1,
      height: 1,
      link: { type: "page", pageId: guid(n) },
    });
    const document = documentOf([{ id: guid(1), elements: [link(1), link(2)] }, { id: guid(2) }]);
    const options = { pageSelection: [{ first: 1, last: 1 }] };
    expect(render(document, { options }).pages[0]?.links.map(({ target }) => target)).toEqual([
      { kind: "page", pageNumber: 1 },
    ]);
  });

  test("of a page that is not there does not begin", () => {
    const options = { pageSelection: [{ first: 1, last: 2 }] };
    expect(layOut(layoutInput(documentOf([[]]), { options }))).toEqual({
      ok: false,
      kind: "selection",
      pageCount: 1,
    });
  });
});

describe("a render", () => {
  test("of more than 25,000 elements is refused", () => {
    const inner = {
      $type: "repeat_region",
      width: 100,
      height: 1000,
      itemHeight: 1,
      placeholder: field("inner", "list"),
      children: Array.from({ length: 3 }, () => ({ $type: "rectangle", width: 1, height: 1 })),
    };
    const region = table({ height: 1000, children: [inner] });
    const values = (rows: number) => ({
      rows: Array.from({ length: rows }, () => ({ inner: items(100) })),
    });
    const run = (rows: number) => () => render(documentOf([[region]]), { values: values(rows) });
    // A row is 1 region and 300 rectangles, the list itself is one more.
    expect(run(83)().facts.rows_printed).toBe(83 * 101);
    expect(run(84)).toThrow(RenderTooLargeError);
  });

  test("makes its pages one after another", () => {
    const document = documentOf(Array.from({ length: 5 }, () => [table({ height: 10 })]));
    const started = withoutPauses(
      startLayout(layoutInput(document, { values: { rows: items(40) } })),
    );
    if (!started.ok) {
      throw new Error("The layout did not begin.");
    }
    const pages = started.pages();
    expect(pages.next().value).toMatchObject({ pageNumber: 1 });
    expect(pages.next().value).toMatchObject({ pageNumber: 2 });
    expect(started.pageCount).toBe(200);
  });

  test("gives equal pages for equal inputs, from one prepared document", () => {
    const input = layoutInput(documentOf([[table()]]), { values: { rows: items(12) } });
    expect(layOut(input)).toStrictEqual(layOut(input));
  });
});
