import { describe, expect, test } from "vitest";
import { drawElement, field } from "../../../support/templates/layout-kit.ts";

const BOX = { left: 10, top: 20, width: 40, height: 30 };
const RECT = { $type: "rectangle", ...BOX };
const RECT_PATH = "path M10,20 L50,20 L50,50 L10,50 Z";
const STOPS = [
  { offset: 0, color: "#000000" },
  { offset: 1, color: "#FFFFFF", opacity: 0.5 },
];

describe("a shape", () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ["prints black without properties", {}, [`${RECT_PATH} fill #000000`]],
    [
      "prints its fill and its opacity",
      { fill: "#12aBcD", fillOpacity: 0.5 },
      [`${RECT_PATH} fill #12abcd 0.5`],
    ],
    ["without paint prints nothing", { fill: null }, []],
    [
      "has a stroke with dashes, caps and joins",
      {
        fill: null,
        stroke: "#FF0000",
        strokeWidth: 2,
        strokeDashArray: [3, 1],
        strokeLineCap: "round",
        strokeLineJoin: "bevel",
        strokeOpacity: 0.25,
      },
      [`${RECT_PATH} stroke 2 #ff0000 0.25 dashes 3,1 round join bevel`],
    ],
    [
      "with a stroke of width 0 has none",
      { stroke: "#FF0000", strokeWidth: 0 },
      [`${RECT_PATH} fill #000000`],
    ],
    [
      "may print its stroke first",
      { stroke: "#FF0000", paintOrder: "stroke_then_fill" },
      [`${RECT_PATH} fill #000000 stroke 1 #ff0000 stroke first`],
    ],
    ["keeps its fill rule", { fillRule: "even_odd" }, [`${RECT_PATH} even_odd fill #000000`]],
    ["that is hidden prints nothing", { visible: false }, []],
    [
      "is made transparent as one",
      { opacity: 0.5, stroke: "#FF0000" },
      ["group opacity 0.5", `  ${RECT_PATH} fill #000000 stroke 1 #ff0000`],
    ],
    [
      "turns clockwise about the center of its box",
      { angle: 90 },
      ["group [0 1 -1 0 45 15]", "  path M0,0 L40,0 L40,30 L0,30 Z fill #000000"],
    ],
    [
      "that is turned by a full circle is not turned",
      { angle: 720 },
      [`${RECT_PATH} fill #000000`],
    ],
    [
      "flips about the center of its box",
      { flipX: true },
      ["group [-1 0 0 1 50 20]", "  path M0,0 L40,0 L40,30 L0,30 Z fill #000000"],
    ],
    [
      "is flipped before it is turned",
      { flipY: true, angle: 90 },
      ["group [0 1 1 0 15 15]", "  path M0,0 L40,0 L40,30 L0,30 Z fill #000000"],
    ],
    [
      "spans its box with a linear gradient from left to right, which wins over the color",
      { fill: "#FF0000", fillPaint: { type: "linear_gradient", stops: STOPS } },
      [`${RECT_PATH} fill linear 0,0,1,0 [40 0 0 30 10 20] 0#000000 1#ffffff/0.5`],
    ],
    [
      "has a radial gradient about its center, with its focus there",
      { fillPaint: { type: "radial_gradient", stops: STOPS } },
      [`${RECT_PATH} fill radial 0.5,0.5,0.5,0.5,0.5 [40 0 0 30 10 20] 0#000000 1#ffffff/0.5`],
    ],
    [
      "moves a focus outside the circle into it",
      { fillPaint: { type: "radial_gradient", cx: 0, cy: 0, r: 1, fx: 2, fy: 0, stops: STOPS } },
      [`${RECT_PATH} fill radial 0,0,1,0.999,0 [40 0 0 30 10 20] 0#000000 1#ffffff/0.5`],
    ],
    [
      "transforms a gradient within the box",
      {
        fillPaint: {
          type: "linear_gradient",
          gradientTransform: [0.5, 0, 0, 1, 0.25, 0],
          stops: STOPS,
        },
      },
      [`${RECT_PATH} fill linear 0,0,1,0 [20 0 0 30 20 20] 0#000000 1#ffffff/0.5`],
    ],
  ])("%s", (_, properties, expected) => {
    expect(drawElement({ ...RECT, ...properties })).toEqual(expected);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    [
      "a circle's box begins at its left and top",
      { $type: "circle", left: 10, top: 20, radius: 10 },
      [
        "path M30,30 C30,35.523,25.523,40,20,40 C14.477,40,10,35.523,10,30 C10,24.477,14.477,20,20,20 C25.523,20,30,24.477,30,30 Z fill #000000",
      ],
    ],
    [
      "an ellipse has two radii",
      { $type: "ellipse", left: 0, top: 0, rx: 20, ry: 10 },
      [
        "path M40,10 C40,15.523,31.046,20,20,20 C8.954,20,0,15.523,0,10 C0,4.477,8.954,0,20,0 C31.046,0,40,4.477,40,10 Z fill #000000",
      ],
    ],
    [
      "a line is black and its points count from left and top",
      { $type: "line", left: 10, top: 20, x1: -5, y1: 0, x2: 15, y2: 30 },
      ["path M5,20 L25,50 stroke 1 #000000"],
    ],
    [
      "a line turns about the middle of its points",
      { $type: "line", left: 10, top: 20, x1: 0, y1: 0, x2: 20, y2: 0, angle: 90 },
      ["group [0 1 -1 0 20 10]", "  path M0,0 L20,0 stroke 1 #000000"],
    ],
    [
      "an arrow's tip is on the end of its line",
      { $type: "line", x1: 0, y1: 0, x2: 20, y2: 0, strokeWidth: 2, endMarker: "arrow" },
      ["path M0,0 L16,0 stroke 2 #000000", "path M20,0 L12,3 L12,-3 Z fill #000000"],
    ],
    [
      "markers are as transparent as their line, as one",
      { $type: "line", x1: 0, y1: 0, x2: 20, y2: 0, strokeOpacity: 0.5, startMarker: "arrow" },
      [
        "group opacity 0.5",
        "  path M2,0 L20,0 stroke 1 #000000",
        "  path M0,0 L4,-1.5 L4,1.5 Z fill #000000",
      ],
    ],
    [
      "a path is in the coordinates of its box, with arcs and shorthands as curves",
      { $type: "path", left: 10, top: 20, width: 5, height: 5, pathData: "m0 0h10v10z" },
      ["path M10,20 L20,20 L20,30 Z fill #000000"],
    ],
    [
      "a gradient on a path spans what the path covers, not the box",
      {
        $type: "path",
        left: 10,
        top: 20,
        width: 5,
        height: 5,
        pathData: "M0 0C0 40 40 40 40 0Z",
        fillPaint: { type: "linear_gradient", stops: STOPS },
      },
      [
        "path M10,20 C10,60,50,60,50,20 Z fill linear 0,0,1,0 [40 0 0 30 10 20] 0#000000 1#ffffff/0.5",
      ],
    ],
    [
      "a gradient on a level line spans its stroke",
      {
        $type: "line",
        x1: 0,
        y1: 0,
        x2: 20,
        y2: 0,
        strokeWidth: 4,
        strokePaint: { type: "linear_gradient", stops: STOPS.map((s) => ({ ...s, opacity: 1 })) },
      },
      ["path M0,0 L20,0 stroke 4 linear 0,0,1,0 [20 0 0 4 0 -2] 0#000000 1#ffffff"],
    ],
  ])("%s", (_, element, expected) => {
    expect(drawElement(element)).toEqual(expected);
  });

  test("reduces radii that do not fit by one factor", () => {
    const [path = ""] = drawElement({
      ...RECT,
      left: 0,
      top: 0,
      cornerRadiusTopLeft: 30,
      cornerRadiusTopRight: 30,
      cornerRadiusBottomRight: 6,
    });
    // 30 + 30 > 40: every radius becomes two thirds of itself, the small one too.
    expect(path).toContain("path M20,0 L20,0 C");
    expect(path).toContain("40,20 L40,26 C");
    expect(path).toContain("36,30 L0,30 L0,20 C");
  });

  test("takes one radius of a rectangle for both", () => {
    expect(drawElement({ ...RECT, ry: 5 })).toEqual(drawElement({ ...RECT, rx: 5, ry: 5 }));
    expect(drawElement({ ...RECT, rx: 5, ry: 0 })).toEqual(drawElement(RECT));
  });

  test("takes the color of its field, a line for its stroke", () => {
    const values = { tint: "#00ff00" };
    const placeholder = field("tint", "color");
    expect(drawElement({ ...RECT, placeholder }, { values })).toEqual([
      `${RECT_PATH} fill #00ff00`,
    ]);
    expect(drawElement({ ...RECT, placeholder })).toEqual([`${RECT_PATH} fill #000000`]);
    expect(
      drawElement({ $type: "line", x1: 0, y1: 0, x2: 9, y2: 0, placeholder }, { values }),
    ).toEqual(["path M0,0 L9,0 stroke 1 #00ff00"]);
  });
});

describe("a style", () => {
  const id = "00000000-0000-4000-8000-00000000000A";
  const styles = [
    { id, name: "Red", kind: "paint", properties: { fill: "#FF0000", stroke: "#00FF00" } },
  ];

  test("fills what the element does not state, by its id in any case", () => {
    expect(
      drawElement({ ...RECT, styleId: id.toLowerCase(), stroke: null }, {}, { styles }),
    ).toEqual([`${RECT_PATH} fill #ff0000`]);
  });

  test("of another kind changes nothing", () => {
    const text = [{ id, name: "Big", kind: "text", properties: { fill: "#FF0000" } }];
    expect(drawElement({ ...RECT, styleId: id }, {}, { styles: text })).toEqual([
      `${RECT_PATH} fill #000000`,
    ]);
  });
});
