import type { DisplayPath, Fill, Matrix, Path } from "../../../templates/display-list.ts";
import { itemsBounds, transformPath } from "../../pdf/artwork/item-bounds.ts";
import { pathBounds } from "../../pdf/artwork/svg-shapes.ts";
import type { Style } from "../../pdf/artwork/svg-styles.ts";
import type { SvgNode } from "../../pdf/artwork/svg-node.ts";
import { type Bounds, invert, multiply } from "../../pdf/pdf-syntax.ts";
import { hexColor } from "../../pdf/recolor.ts";
import { apply, meanScale, partsOf, round } from "./matrix-parts.ts";
import type { MadeElement, Properties } from "./made-element.ts";

const DASHES_MAX = 16;
const STOPS_MAX = 32;
const PATH_CHARACTERS_MAX = 100_000;

export interface Report {
  /** A part that is imported only approximately. */
  note(node: SvgNode, message: string): void;
  /** A part that cannot be imported. */
  refuse(node: SvgNode, message: string): void;
}

export interface PlacedShape {
  readonly node: SvgNode;
  readonly style: Style;
  /** In the coordinates of the shape. */
  readonly item: DisplayPath;
  /** From the shape to the box of the drawing. */
  readonly matrix: Matrix;
  /** Coordinates of a basic shape, in px; undefined where it is written otherwise. */
  readonly number: (attribute: string) => number;
}

/** A shape as an element: a basic one where its matrix allows it, else a path. */
export function shapeElement(shape: PlacedShape, report: Report): MadeElement | undefined {
  const { item, matrix } = shape;
  const bounds = itemsBounds([{ ...item }], matrix);
  if (bounds === undefined) {
    return undefined;
  }
  const geometry = geometryOf(shape) ?? pathGeometry(transformPath(item.path, matrix));
  if (geometry === undefined) {
    return undefined;
  }
  const { pathData } = geometry.properties;
  if (typeof pathData === "string" && pathData.length > PATH_CHARACTERS_MAX) {
    report.refuse(
      shape.node,
      `Its path has more than ${PATH_CHARACTERS_MAX} characters. Divide it.`,
    );
    return undefined;
  }
  return {
    bounds,
    element: {
      ...geometry.properties,
      left: round(geometry.left),
      top: round(geometry.top),
      ...paintProperties(shape, geometry, report),
    },
  };
}

interface Geometry {
  readonly left: number;
  readonly top: number;
  readonly properties: Properties;
  /** From the element's outline to the box of the drawing. */
  readonly local: Matrix;
  /** Of the outline, in its own coordinates. */
  readonly outline: Bounds;
}

function geometryOf({ node, matrix, number, item }: PlacedShape): Geometry | undefined {
  const parts = partsOf(matrix);
  if (node.name === "line") {
    const [x1, y1] = apply(matrix, number("x1"), number("y1"));
    const [x2, y2] = apply(matrix, number("x2"), number("y2"));
    const [left, top] = [Math.min(x1, x2), Math.min(y1, y2)];
    return {
      left,
      top,
      properties: {
        $type: "line",
        x1: round(x1 - left),
        y1: round(y1 - top),
        x2: round(x2 - left),
        y2: round(y2 - top),
      },
      local: [1, 0, 0, 1, left, top],
      outline: [0, 0, Math.abs(x2 - x1), Math.abs(y2 - y1)],
    };
  }
  const own = pathBounds(item.path);
  if (parts === undefined || own === undefined || !/^(?:rect|circle|ellipse)$/.test(node.name)) {
    return undefined;
  }
  const [width, height] = [(own[2] - own[0]) * parts.scaleX, (own[3] - own[1]) * parts.scaleY];
  const isRound = node.name !== "rect" && Math.abs(width - height) <= 1e-4 * width;
  const angle = isRound || Math.abs(parts.angle) < 1e-6 ? 0 : parts.angle;
  const [cx, cy] = apply(matrix, (own[0] + own[2]) / 2, (own[1] + own[3]) / 2);
  const [left, top] = [cx - width / 2, cy - height / 2];
  const turn = angle === 0 ? {} : { angle: round(angle) };
  const radians = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const local = multiply([cos, sin, -sin, cos, cx, cy], [1, 0, 0, 1, -width / 2, -height / 2]);
  const outline: Bounds = [0, 0, width, height];
  if (node.name === "rect") {
    const [givenX, givenY] = radii(number("rx"), number("ry"));
    // SVG limits each radius by itself, a document both together.
    const rx = Math.min(givenX, (own[2] - own[0]) / 2);
    const ry = Math.min(givenY, (own[3] - own[1]) / 2);
    const corners =
      rx > 0 && ry > 0 ? { rx: round(rx * parts.scaleX), ry: round(ry * parts.scaleY) } : {};
    const size = { width: round(width), height: round(height) };
    return {
      left,
      top,
      properties: { $type: "rectangle", ...size, ...turn, ...corners },
      local,
      outline,
    };
  }
  const properties = isRound
    ? { $type: "circle", radius: round(width / 2) }
    : { $type: "ellipse", rx: round(width / 2), ry: round(height / 2), ...turn };
  return { left, top, properties, local, outline };
}

/** Each radius defaults to the other; NaN stands for one that is not given. */
function radii(rx: number, ry: number): readonly [number, number] {
  const [x, y] = [Number.isNaN(rx) ? ry : rx, Number.isNaN(ry) ? rx : ry];
  return [Number.isNaN(x) ? 0 : x, Number.isNaN(y) ? 0 : y];
}

function pathGeometry(path: Path): Geometry | undefined {
  const bounds = pathBounds(path);
  if (bounds === undefined) {
    return undefined;
  }
  const [left, top] = [round(bounds[0]), round(bounds[1])];
  const pathData = path.segments
    .map(([command, ...numbers]) =>
      [command, ...numbers.map((value, i) => round(value - (i % 2 === 0 ? left : top)))].join(" "),
    )
    .join(" ");
  return {
    left,
    top,
    properties: {
      $type: "path",
      width: round(bounds[2] - left),
      height: round(bounds[3] - top),
      pathData,
    },
    local: [1, 0, 0, 1, left, top],
    outline: [bounds[0] - left, bounds[1] - top, bounds[2] - left, bounds[3] - top],
  };
}

function paintProperties(
  { node, style, item, matrix }: PlacedShape,
  { local, outline, properties }: Geometry,
  report: Report,
): Properties {
  const { fill, stroke, fillRule, isStrokeFirst } = item;
  const paint = (use: "fill" | "stroke", given: Fill): Properties => {
    const opacity = given.opacity < 1 ? { [`${use}Opacity`]: round(given.opacity) } : {};
    if (given.paint.kind === "color") {
      return { [use]: hexColor(given.paint.rgb), ...opacity };
    }
    const { stops } = given.paint;
    if (stops.length > STOPS_MAX) {
      report.refuse(node, `Its gradient has more than ${STOPS_MAX} stops.`);
      return {};
    }
    const isOpaque = stops.every((stop) => stop.opacity >= 1);
    if (use === "stroke" && !isOpaque) {
      report.note(node, "The gradient of its stroke is opaque.");
    }
    const gradient = gradientOf(given.paint, multiply(matrix, given.paint.transform), {
      local,
      outline: widened(outline, stroke === null ? 0 : stroke.width * meanScale(matrix)),
      isOpaque: use === "stroke",
    });
    if (gradient === undefined) {
      const last = stops.at(-1) ?? { rgb: [0, 0, 0] as const, opacity: 1 };
      return {
        [use]: hexColor(last.rgb),
        [`${use}Opacity`]: round(last.opacity * given.opacity),
      };
    }
    return { [`${use}Paint`]: gradient, ...opacity };
  };
  const isLine = properties["$type"] === "line";
  return {
    ...(fill === null || isLine ? (isLine ? {} : { fill: null }) : paint("fill", fill)),
    ...(fillRule === "even_odd" && { fillRule }),
    ...(stroke === null
      ? isLine
        ? { stroke: null }
        : {}
      : { ...paint("stroke", stroke), ...strokeProperties(node, style, stroke, matrix, report) }),
    ...(isStrokeFirst && stroke !== null && { paintOrder: "stroke_then_fill" }),
  };
}

function strokeProperties(
  node: SvgNode,
  style: Style,
  stroke: NonNullable<DisplayPath["stroke"]>,
  matrix: Matrix,
  report: Report,
): Properties {
  const scale = meanScale(matrix);
  if (partsOf(matrix)?.isUniform !== true) {
    report.note(node, "Its stroke is equally wide everywhere; the drawing stretches it.");
  }
  if ((stroke.dashOffset ?? 0) !== 0 && stroke.dashes.length > 0) {
    report.note(node, "Its dashes begin at the start of the line (stroke-dashoffset).");
  }
  if (stroke.dashes.length > DASHES_MAX) {
    report.note(node, `Only the first ${DASHES_MAX} of its dashes are repeated.`);
  }
  if (stroke.join === "miter" && stroke.miterLimit !== 4 && style.has("stroke-miterlimit")) {
    report.note(node, "Its corners are pointed up to a miter limit of 4.");
  }
  const dashes = stroke.dashes.slice(0, DASHES_MAX).map((dash) => round(dash * scale));
  return {
    strokeWidth: round(stroke.width * scale),
    ...(dashes.some((dash) => dash > 0) && { strokeDashArray: dashes }),
    ...(stroke.cap !== "butt" && { strokeLineCap: stroke.cap }),
    ...(stroke.join !== "miter" && { strokeLineJoin: stroke.join }),
  };
}

/** As the layout widens a flat outline, whose gradient would have no box. */
function widened([x0, y0, x1, y1]: Bounds, strokeWidth: number): Bounds {
  const half = Math.max(strokeWidth, 1e-3) / 2;
  const [dx, dy] = [x1 > x0 ? 0 : half, y1 > y0 ? 0 : half];
  return [x0 - dx, y0 - dy, x1 + dx, y1 + dy];
}

/** A gradient over the box of the element's outline; undefined where it has no extent. */
function gradientOf(
  { shape, stops }: Extract<Fill["paint"], { kind: "gradient" }>,
  placed: Matrix,
  {
    local,
    outline: [x0, y0, x1, y1],
    isOpaque,
  }: { readonly local: Matrix; readonly outline: Bounds; readonly isOpaque: boolean },
): Properties | undefined {
  const inverse = invert(multiply(local, [x1 - x0, 0, 0, y1 - y0, x0, y0]));
  if (inverse === undefined) {
    return undefined;
  }
  const gradientTransform = multiply(inverse, placed);
  const [a, b, c, d] = gradientTransform;
  if (Math.abs(a * d - b * c) < 1e-12 || !gradientTransform.every(Number.isFinite)) {
    return undefined;
  }
  const { kind, ...coordinates } = shape;
  return {
    type: `${kind}_gradient`,
    ...coordinates,
    gradientTransform: gradientTransform.map((value) => Number(value.toPrecision(12))),
    stops: stops.map(({ offset, rgb, opacity }) => ({
      offset,
      color: hexColor(rgb),
      ...(opacity < 1 && !isOpaque && { opacity: round(opacity) }),
    })),
  };
}
