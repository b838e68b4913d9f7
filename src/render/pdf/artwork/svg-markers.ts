import type { Matrix, Path } from "../../../templates/display-list.ts";
import { multiply } from "../pdf-syntax.ts";
import type { Style } from "./svg-styles.ts";
import type { SvgNode } from "./svg-node.ts";
import { length } from "./svg-values.ts";
import { readViewBox, viewBoxMatrix } from "./view-box.ts";

/** Shapes that have markers (SVG 2 §13.7). */
export const MARKED = new Set(["path", "line", "polyline", "polygon"]);

type MarkerProperty = "marker-start" | "marker-mid" | "marker-end";

interface Vertex {
  readonly x: number;
  readonly y: number;
  /** In radians; undefined where nothing comes in, or goes out. */
  readonly in: number | undefined;
  readonly out: number | undefined;
}

/** Where a marker stands. */
export interface MarkerPlace {
  readonly property: MarkerProperty;
  readonly x: number;
  readonly y: number;
  /** The direction of the path, in radians. */
  readonly angle: number;
}

/** The places of a path's markers in the order in which they are drawn. */
export function markerPlaces(path: Path): MarkerPlace[] {
  const vertices = verticesOf(path);
  return vertices.flatMap((vertex, i): MarkerPlace[] => {
    const at = { x: vertex.x, y: vertex.y, angle: angleOf(vertex) };
    const properties: MarkerProperty[] = [
      ...(i === 0 ? (["marker-start"] as const) : []),
      ...(i > 0 && i < vertices.length - 1 ? (["marker-mid"] as const) : []),
      ...(i === vertices.length - 1 ? (["marker-end"] as const) : []),
    ];
    return properties.map((property) => ({ property, ...at }));
  });
}

function angleOf({ in: before, out: after }: Vertex): number {
  if (before === undefined || after === undefined) {
    return before ?? after ?? 0;
  }
  return Math.atan2(Math.sin(before) + Math.sin(after), Math.cos(before) + Math.cos(after));
}

function verticesOf({ segments }: Path): Vertex[] {
  const vertices: { x: number; y: number; in: number | undefined; out: number | undefined }[] = [];
  let start: (typeof vertices)[number] | undefined;
  const direction = (dx: number, dy: number): number | undefined =>
    dx === 0 && dy === 0 ? undefined : Math.atan2(dy, dx);
  const add = (x: number, y: number, before: number | undefined) => {
    const vertex: (typeof vertices)[number] = { x, y, in: before, out: undefined };
    vertices.push(vertex);
    return vertex;
  };
  for (const segment of segments) {
    const last = vertices.at(-1);
    if (segment[0] === "M" || last === undefined) {
      const [x, y] = segment[0] === "Z" ? [0, 0] : [segment[1], segment[2]];
      start = add(x, y, undefined);
    } else if (segment[0] === "Z") {
      if (start !== undefined) {
        last.out = direction(start.x - last.x, start.y - last.y) ?? last.in;
        const closing = add(start.x, start.y, last.out);
        // Both ends of a closed path turn as its corner there does.
        closing.out = start.out;
        start.in = last.out;
      }
    } else if (segment[0] === "L") {
      const [, x, y] = segment;
      const along = direction(x - last.x, y - last.y) ?? last.in;
      last.out = along;
      add(x, y, along);
    } else {
      const [, x1, y1, x2, y2, x, y] = segment;
      last.out =
        direction(x1 - last.x, y1 - last.y) ??
        direction(x2 - last.x, y2 - last.y) ??
        direction(x - last.x, y - last.y);
      const into = direction(x - x2, y - y2) ?? direction(x - x1, y - y1) ?? last.out;
      add(x, y, into);
    }
  }
  return vertices;
}

export interface MarkerFrame {
  /** From the marker's viewport, whose corner is its origin, to the shape. */
  readonly matrix: Matrix;
  /** From the marker's contents to its viewport. */
  readonly fit: Matrix;
  readonly width: number;
  readonly height: number;
  /** The sizes that percentages of its contents are of. */
  readonly inner: { readonly width: number; readonly height: number };
}

/** How a marker is drawn at its place; undefined for one without a size. `style` is the marker's own. */
export function markerFrame(
  { attributes }: SvgNode,
  style: Style,
  { property, x, y, angle }: MarkerPlace,
  strokeWidth: number,
): MarkerFrame | undefined {
  const width = length(style.get("markerWidth"), 3) ?? 3;
  const height = length(style.get("markerHeight"), 3) ?? 3;
  if (width <= 0 || height <= 0) {
    return undefined;
  }
  const viewBox = readViewBox(attributes.get("viewBox"));
  const inner = viewBox ?? { x: 0, y: 0, width, height };
  const fit =
    viewBox === undefined
      ? ([1, 0, 0, 1, 0, 0] as const)
      : viewBoxMatrix(viewBox, { width, height }, attributes.get("preserveAspectRatio"));
  const refX = reference(attributes.get("refX"), inner.x, inner.width);
  const refY = reference(attributes.get("refY"), inner.y, inner.height);
  const scale = attributes.get("markerUnits") === "userSpaceOnUse" ? 1 : strokeWidth;
  const turned = turn(attributes.get("orient")?.trim() ?? "0", angle, property);
  const [cos, sin] = [Math.cos(turned), Math.sin(turned)];
  const placed: Matrix = [scale * cos, scale * sin, -scale * sin, scale * cos, x, y];
  const moved: Matrix = [1, 0, 0, 1, -(fit[0] * refX + fit[4]), -(fit[3] * refY + fit[5])];
  return { matrix: multiply(placed, moved), fit, width, height, inner };
}

function reference(text: string | undefined, start: number, size: number): number {
  const share = { left: 0, top: 0, center: 0.5, right: 1, bottom: 1 }[text?.trim() ?? ""];
  return share === undefined ? (length(text, size) ?? 0) : start + share * size;
}

/** In radians. */
function turn(orient: string, angle: number, property: MarkerProperty): number {
  if (orient === "auto" || orient === "auto-start-reverse") {
    const isReversed = orient !== "auto" && property === "marker-start";
    return isReversed ? angle + Math.PI : angle;
  }
  const [, value = "0", unit] =
    /^([+-]?[\d.]+(?:e[+-]?\d+)?)(deg|rad|grad|turn)?$/.exec(orient) ?? [];
  const perUnit = { rad: 1, grad: Math.PI / 200, turn: 2 * Math.PI }[unit ?? ""] ?? Math.PI / 180;
  const turned = Number(value) * perUnit;
  return Number.isFinite(turned) ? turned : 0;
}
