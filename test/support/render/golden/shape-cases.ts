/** Rectangles, circles, ellipses, lines and paths, with their paint. */
import { elements, type GoldenCases, type Loose, variants } from "./golden-case.ts";

const BOX = { $type: "rectangle", left: 20, top: 20, width: 120, height: 60, fill: "#8ecae6" };
const STROKED = { ...BOX, stroke: "#023047", strokeWidth: 6 };
const STAR = {
  $type: "path",
  left: 30,
  top: 10,
  width: 100,
  height: 80,
  fill: "#ffb703",
  pathData: "M50 0L80 80L0 30H100L20 80Z",
};
const ANGLE = {
  ...STAR,
  fill: null,
  stroke: "#023047",
  strokeWidth: 12,
  pathData: "M10 70L50 10L90 70",
};
const LINE = { $type: "line", left: 20, top: 20, x1: 0, y1: 50, x2: 110, y2: 0, strokeWidth: 5 };
const RED = { offset: 0, color: "#d00000" };
const GREEN = { offset: 0.5, color: "#00A000" };
const BLUE = { offset: 1, color: "#0000d0" };
const LINEAR = { type: "linear_gradient", stops: [RED, GREEN, BLUE] };
const RADIAL = { type: "radial_gradient", stops: [RED, BLUE] };

export const SHAPE_CASES: GoldenCases = {
  ...variants(BOX, {
    "filled with black by default": { fill: undefined },
    "without a fill": { fill: null },
    "fill of half opacity": { fillOpacity: 0.5 },
    "stroked, 1 wide by default": { stroke: "#023047" },
    "stroke of width 0": { stroke: "#023047", strokeWidth: 0 },
    "corners of one radius": { rx: 20 },
    "corners of two radii": { rx: 40, ry: 10 },
    "radii that do not fit": { rx: 200, ry: 200 },
    "corner radius at the top left": { cornerRadiusTopLeft: 30 },
    "corner radius at the top right": { cornerRadiusTopRight: 30 },
    "corner radius at the bottom right": { cornerRadiusBottomRight: 30 },
    "corner radius at the bottom left": { rx: 5, cornerRadiusBottomLeft: 30 },
    "corner radii reduced together": { cornerRadiusTopLeft: 100, cornerRadiusBottomLeft: 50 },
    "gradient from left to right by default": { fillPaint: LINEAR },
    "gradient between points": { fillPaint: { ...LINEAR, x1: 0.2, y1: 0.1, x2: 0.4, y2: 1 } },
    "gradient of a named kind": {
      fillPaint: { ...LINEAR, units: "object_bounding_box", spreadMethod: "pad" },
    },
    "gradient with a transform": {
      fillPaint: { ...LINEAR, gradientTransform: [0.5, 0.5, -0.5, 0.5, 0.25, 0] },
    },
    "gradient with stops of some opacity": {
      fillPaint: { ...LINEAR, stops: [RED, { ...BLUE, opacity: 0 }] },
    },
    "gradient of 32 stops": { fillPaint: { ...LINEAR, stops: stripes(32) } },
    "gradient with a hard edge": {
      fillPaint: { ...LINEAR, stops: [RED, { ...RED, offset: 0.5 }, { ...BLUE, offset: 0.5 }] },
    },
    "gradient of one point": { fillPaint: { ...LINEAR, x1: 0.5, x2: 0.5 } },
    "radial gradient by default": { fillPaint: RADIAL },
    "radial gradient about a point": { fillPaint: { ...RADIAL, cx: 0.2, cy: 0.3, r: 0.9 } },
    "radial gradient with a focal point": { fillPaint: { ...RADIAL, fx: 0.2, fy: 0.4 } },
  }),
  ...variants(STROKED, {
    "stroke of half opacity over its fill": { strokeOpacity: 0.5 },
    "stroke under its fill": { paintOrder: "stroke_then_fill" },
    "stroke over its fill": { paintOrder: "fill_then_stroke" },
    dashes: { strokeDashArray: [12, 6] },
    "dashes of an odd count": { strokeDashArray: [12, 6, 3] },
    "dashes of nothing": { strokeDashArray: [0, 0] },
    "16 dashes": { strokeDashArray: Array.from({ length: 16 }, (_, i) => i + 1) },
    "stroke with a gradient": { strokePaint: LINEAR },
    "stroke with a radial gradient": { strokePaint: RADIAL, strokeWidth: 20 },
  }),
  ...variants(STAR, {
    "path, filled non-zero by default": {},
    "path, filled non-zero": { fillRule: "non_zero" },
    "path, filled even-odd": { fillRule: "even_odd" },
    "path of curves and arcs": {
      pathData: "M0 40C0 0 40 0 40 40S80 80 100 40q-10-40-30-20t-30 20a20 10 30 1 0 40 10z",
      fill: null,
      stroke: "#023047",
    },
  }),
  ...variants(ANGLE, {
    "stroke ends that are cut": { strokeLineCap: "butt" },
    "stroke ends that are round": { strokeLineCap: "round" },
    "stroke ends that are square": { strokeLineCap: "square" },
    "stroke joined by a miter": { strokeLineJoin: "miter" },
    "stroke joined by a miter beyond its limit": { pathData: "M30 70L50 10L55 70" },
    "stroke joined round": { strokeLineJoin: "round" },
    "stroke joined by a bevel": { strokeLineJoin: "bevel" },
  }),
  ...variants(
    { $type: "circle", left: 40, top: 10, radius: 40, fill: "#219ebc" },
    {
      circle: {},
      "circle that states its size": { width: 80, height: 80 },
      "circle of radius 0": { radius: 0, stroke: "#000000" },
    },
  ),
  ...variants(
    { $type: "ellipse", left: 20, top: 20, rx: 60, ry: 30, fill: "#219ebc" },
    { ellipse: {}, "ellipse that is turned": { angle: 45 } },
  ),
  ...variants(LINE, {
    "line, black by default": { strokeWidth: undefined },
    "line with an arrow at its end": { endMarker: "arrow" },
    "line with an arrow at its start": { startMarker: "arrow", endMarker: "none" },
    "line with discs": { startMarker: "circle", endMarker: "circle", stroke: "#d00000" },
    "line without a length": { x2: 0, y2: 50, strokeLineCap: "round" },
    "line whose size is ignored": { width: 3, height: 3 },
    "line without markers": { startMarker: "none" },
    "line with a fill, which has no place": { fill: "#d00000" },
    "line without a stroke": { stroke: null },
    "line at its limits": { x1: -14_400, y1: 14_400, x2: 14_400, y2: -14_400 },
  }),
  "stroke that scales with its component": scaled(false),
  "stroke that does not scale with its component": scaled(true),
};

function stripes(count: number): Loose[] {
  return Array.from({ length: count }, (_, i) => ({
    offset: i / (count - 1),
    color: i % 2 === 0 ? "#ffffff" : "#d00000",
  }));
}

function scaled(nonScalingStroke: boolean) {
  const componentId = "00000000-0000-4000-8000-000000000003";
  return elements(
    [{ $type: "component_instance", left: 20, top: 20, width: 120, height: 60, componentId }],
    {
      root: {
        components: [
          {
            id: componentId,
            name: "Box",
            width: 20,
            height: 20,
            elements: [
              {
                $type: "rectangle",
                left: 2,
                top: 2,
                width: 16,
                height: 16,
                fill: null,
                stroke: "#023047",
                strokeWidth: 2,
                nonScalingStroke,
              },
            ],
          },
        ],
      },
    },
  );
}
