import {
  documentWith,
  element,
  field,
  fieldText,
  guidOf,
  type Json,
  list,
  page,
} from "./documents.ts";

const MASTER = guidOf(101);
const COMPONENT = guidOf(102);
const PART = guidOf(103);
const CARDS = guidOf(108);
const TEXT_STYLE = guidOf(104);
const PAINT_STYLE = guidOf(105);
const SECOND_PAGE = guidOf(106);

const gradient = {
  type: "radial_gradient",
  cx: 0.4,
  fx: 0.3,
  stops: [
    { offset: 0, color: "#FF0000" },
    { offset: 0.5, color: "#00FF00", opacity: 0.5 },
    { offset: 1, color: "#0000ff" },
  ],
};

/** A valid document with every type of element and nearly every property. */
export function fullDocument(): Json {
  return documentWith(
    [
      fieldText("title", { required: true, format: { prefix: "» ", case: "upper" } }),
      fieldText(
        "price",
        { defaultValue: 1.5, format: { style: "currency", currency: "EUR" } },
        "number",
      ),
      fieldText("day", { format: { dateStyle: "long", timeZone: "Europe/Berlin" } }, "date"),
      element("text", {
        styleId: TEXT_STYLE,
        richText: {
          paragraphs: [
            { textAlign: "center", spaceAfter: 3, runs: [{ text: "Page {{page}}", fontSize: 9 }] },
            { runs: [{ text: "here", link: { type: "url", url: "https://example.com/" } }] },
          ],
        },
        fallbackFonts: ["Noto Sans Arabic"],
        features: { liga: 0 },
        language: "pt-BR",
        overflowMode: "shrink",
        maxLines: 3,
      }),
      element("image", {
        src: null,
        placeholder: field("image", "photo", { fitMode: "fill", alignment: "top_left" }),
        frame: { focalX: 0.2, strokeColor: "#000000", strokeWidth: 1 },
        clipPath: {
          units: "user_space",
          shapes: [{ pathData: "M0 0H10V10Z", transform: [1, 0, 0, 1, 2, 3] }],
        },
        opacityMask: {
          contentUnits: "user_space",
          shapes: [{ pathData: "M0 0L9 9z", luminance: 0.5 }],
        },
      }),
      element("rectangle", {
        rx: 3,
        cornerRadiusTopLeft: 5,
        fillPaint: gradient,
        placeholder: field("boolean", "isNew"),
        styleId: PAINT_STYLE,
      }),
      element("circle", {
        radius: 5,
        width: 10,
        height: 10,
        stroke: "#112233",
        strokeDashArray: [1, 2],
      }),
      element("ellipse", {
        rx: 5,
        ry: 4,
        width: 10,
        height: 8,
        placeholder: field("color", "tint"),
      }),
      element("line", { x1: 0, y1: 0, x2: 10, y2: 3, endMarker: "arrow", pageScope: "all" }),
      element("path", { pathData: "m0 0c1 1 2 2 3 3a1 1 0 01 5 5z", fillRule: "even_odd" }),
      element("svg_artwork", { svg: "<svg/>", replacements: { "#FF0000": "#00FF00" } }),
      element("group", {
        children: [
          element("folder", {
            children: [element("rectangle", { link: { type: "page", pageId: SECOND_PAGE } })],
          }),
          element("layout_region", {
            direction: "grid",
            columns: 3,
            gap: 2,
            children: [
              element("rectangle", {
                condition: {
                  any: [
                    { field: "price", operator: "gt", value: 3 },
                    { not: { field: "isNew", operator: "is_true" } },
                  ],
                },
              }),
            ],
          }),
        ],
      }),
      list(
        "rows",
        [
          fieldText("name"),
          list(
            "lines",
            [
              fieldText("amount", {}, "number"),
              element("rectangle", {
                condition: { field: "name", operator: "in", value: ["a", "b"] },
              }),
            ],
            { overflowMode: "grow" },
          ),
        ],
        {
          overflowMode: "continue",
          header: [element("text", { text: "Name" })],
          headerHeight: 12,
          maxItems: 50,
        },
      ),
      element("component_instance", {
        componentId: COMPONENT,
        overrides: [
          { elementId: PART, properties: { text: "mine", fontSize: 9 } },
          {
            elementId: CARDS,
            properties: { header: [element("group", { children: [fieldText("heading")] })] },
          },
        ],
      }),
    ],
    {
      metadata: { title: "T", keywords: ["a"] },
      masterPages: [
        {
          id: MASTER,
          width: 595,
          height: 842,
          backgroundColor: "#FFFFFF",
          automaticRule: "odd",
          elements: [element("text", { text: "{{pages}}" })],
        },
      ],
      sampleSets: [
        { id: guidOf(107), name: "One", values: { title: "x", rows: [{ name: "a", lines: [] }] } },
      ],
      styles: [
        { id: TEXT_STYLE, name: "Body", kind: "text", properties: { fontSize: 11 } },
        { id: PAINT_STYLE, name: "Frame", kind: "paint", properties: { stroke: "#123456" } },
      ],
      components: [
        {
          id: COMPONENT,
          name: "Card",
          width: 50,
          height: 20,
          elements: [
            element("text", { id: PART, text: "yours" }),
            list("cards", [fieldText("word")], { id: CARDS, headerHeight: 9 }),
          ],
        },
      ],
    },
  );
}

/** The same with a second page that uses the master by hand. */
export function fullDocumentOfTwoPages(): Json {
  const document = fullDocument();
  const second = page([fieldText("footer")], {
    id: SECOND_PAGE,
    masterPageId: MASTER,
    masterAssignment: "manual",
    backgroundImage: { src: "a.png", fitMode: "contain" },
    numberingStart: 3,
    numberingStyle: "roman_lower",
  });
  // A copy: test files of one process share this module, and some change what they receive.
  return structuredClone({ ...document, pages: [...(document["pages"] as Json[]), second] });
}
