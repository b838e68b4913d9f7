import type { Box, Fill, Path, Stroke } from "../../display-list.ts";
import type {
  CircleElement,
  EllipseElement,
  LineElement,
  PathElement,
  RectangleElement,
} from "../../document/elements.ts";
import type { Gradient } from "../../document/paint.ts";
import { boundsOf, ellipsePath, rectanglePath, type CornerRadii } from "../drawing/outlines.ts";
import { gradientPaint, solid } from "../drawing/paints.ts";
import { readPath } from "./read-path.ts";
import type { LineEnds, PreparedBase, PreparedShape } from "./prepared.ts";

export type ShapeElement =
  | RectangleElement
  | CircleElement
  | EllipseElement
  | LineElement
  | PathElement;

/** SVG's default, and the limit of the contract. */
const MITER_LIMIT = 4;

export function prepareShape(element: ShapeElement, base: PreparedBase): PreparedShape {
  switch (element.$type) {
    case "rectangle":
      return rectangle(element, base);
    case "circle": {
      const { radius } = element;
      const sized = { ...base, width: 2 * radius, height: 2 * radius };
      return painted(element, sized, ellipsePath(radius, radius, radius, radius));
    }
    case "ellipse": {
      const { rx, ry } = element;
      return painted(
        element,
        { ...base, width: 2 * rx, height: 2 * ry },
        ellipsePath(rx, ry, rx, ry),
      );
    }
    case "line":
      return line(element, base);
    case "path":
      return painted(element, base, readPath(element.pathData));
  }
}

function rectangle(element: RectangleElement, base: PreparedBase): PreparedShape {
  const radii = cornerRadii(element);
  const make = (width: number, height: number): PreparedShape => ({
    ...painted(
      element,
      { ...base, width, height },
      rectanglePath({ x: 0, y: 0, width, height }, radii),
    ),
    resize: make,
  });
  return make(base.width, base.height);
}

/** `rx` and `ry` each default to the other; a corner of its own has a circular radius. */
function cornerRadii(element: RectangleElement): CornerRadii | null {
  const rx = element.rx ?? element.ry ?? 0;
  const ry = element.ry ?? element.rx ?? 0;
  const corner = (own: number | undefined) =>
    own === undefined ? ([rx, ry] as const) : ([own, own] as const);
  const radii = {
    topLeft: corner(element.cornerRadiusTopLeft),
    topRight: corner(element.cornerRadiusTopRight),
    bottomRight: corner(element.cornerRadiusBottomRight),
    bottomLeft: corner(element.cornerRadiusBottomLeft),
  };
  return Object.values(radii).some(([x, y]) => x > 0 && y > 0) ? radii : null;
}

/** A line's box is the smallest around its two points. */
function line(element: LineElement, base: PreparedBase): PreparedShape {
  const x = Math.min(element.x1, element.x2);
  const y = Math.min(element.y1, element.y2);
  const ends: LineEnds = {
    x1: element.x1 - x,
    y1: element.y1 - y,
    x2: element.x2 - x,
    y2: element.y2 - y,
    start: element.startMarker,
    end: element.endMarker,
  };
  const sized = {
    ...base,
    left: base.left + x,
    top: base.top + y,
    width: Math.abs(element.x2 - element.x1),
    height: Math.abs(element.y2 - element.y1),
  };
  const path: Path = {
    segments: [
      ["M", ends.x1, ends.y1],
      ["L", ends.x2, ends.y2],
    ],
  };
  return {
    ...painted(element, sized, path),
    colored: "stroke",
    ends: ends.start === "none" && ends.end === "none" ? null : ends,
  };
}

function painted(element: ShapeElement, base: PreparedBase, outline: Path): PreparedShape {
  const bounds = paintBox(boundsOf(outline), element.strokeWidth);
  const strokeStyle: Omit<Stroke, "paint"> = {
    opacity: element.strokeOpacity,
    width: element.strokeWidth,
    dashes: element.strokeDashArray,
    cap: element.strokeLineCap,
    join: element.strokeLineJoin,
    miterLimit: MITER_LIMIT,
  };
  const fill = paintOf(element.fillPaint, element.fill, bounds);
  const stroke =
    element.strokeWidth === 0 ? null : paintOf(element.strokePaint, element.stroke, bounds);
  return {
    ...base,
    kind: "shape",
    outline,
    fillRule: element.fillRule,
    fill: fill === null ? null : { paint: fill, opacity: element.fillOpacity },
    stroke: stroke === null ? null : { paint: stroke, ...strokeStyle },
    isStrokeFirst: element.paintOrder === "stroke_then_fill",
    isNonScaling: element.nonScalingStroke,
    colored: "fill",
    fillOpacity: element.fillOpacity,
    strokeStyle,
    ends: null,
    resize: null,
  };
}

/** The box that a gradient spans: a flat one is widened to the stroke, so that a gradient on a straight line shows. */
function paintBox(bounds: Box | null, strokeWidth: number): Box | null {
  if (bounds === null) {
    return null;
  }
  const wide = Math.max(strokeWidth, 1e-3);
  const { x, y, width, height } = bounds;
  return {
    x: width > 0 ? x : x - wide / 2,
    y: height > 0 ? y : y - wide / 2,
    width: width > 0 ? width : wide,
    height: height > 0 ? height : wide,
  };
}

function paintOf(
  gradient: Gradient | undefined,
  color: string | null,
  bounds: Box | null,
): Fill["paint"] | null {
  if (gradient !== undefined) {
    return bounds === null ? null : gradientPaint(gradient, bounds);
  }
  return color === null ? null : solid(color);
}
