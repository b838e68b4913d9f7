import type { GradientPaint, Matrix, SolidPaint } from "../../../templates/display-list.ts";
import { type Bounds, invert, mapBounds, multiply } from "../pdf-syntax.ts";
import type { Viewport } from "./svg-shapes.ts";
import type { Style, SvgStyles } from "./svg-styles.ts";
import type { SvgNode } from "./svg-node.ts";
import type { SvgTree } from "./svg-tree.ts";
import { color, length, share, transform } from "./svg-values.ts";

/** Gradients that take attributes from each other. */
const CHAIN_MAX = 20;
/** Stops are written for every use. */
const STOPS_MAX = 256;

type Stop = GradientPaint["stops"][number];

export interface GradientPlace {
  readonly bounds: Bounds | undefined;
  /** What is painted, strokes included. */
  readonly painted: Bounds | undefined;
  readonly viewport: Viewport;
}

/**
 * A gradient as a paint for an element (SVG 1.1 §13.2); undefined if it paints nothing, `unsupported` if it has, or
 * repeats, too many stops.
 */
export function gradientPaint(
  node: SvgNode,
  tree: SvgTree,
  styles: SvgStyles,
  { bounds, painted, viewport }: GradientPlace,
): GradientPaint | (SolidPaint & { readonly opacity: number }) | "unsupported" | undefined {
  const chain = chainOf(node, tree);
  const get = (key: string): string | undefined =>
    chain.find((one) => one.attributes.has(key))?.attributes.get(key);
  const holder = chain.find((one) => one.children.some((child) => child.name === "stop"));
  const stops = holder === undefined ? [] : stopsOf(holder, styles);
  if (stops.length > STOPS_MAX) {
    return "unsupported";
  }
  const [first] = stops;
  if (first === undefined) {
    return undefined;
  }
  if (stops.length === 1) {
    return { kind: "color", rgb: first.rgb, opacity: first.opacity };
  }
  const isBox = get("gradientUnits") !== "userSpaceOnUse";
  const own = transform(get("gradientTransform")) ?? [1, 0, 0, 1, 0, 0];
  const box = isBox ? boxMatrix(bounds) : undefined;
  if (isBox && box === undefined) {
    return undefined;
  }
  const { width, height } = isBox ? { width: 1, height: 1 } : viewport;
  const diagonal = Math.hypot(width, height) / Math.SQRT2;
  const at = (key: string, whole: number, otherwise: string): number =>
    length(get(key), whole) ?? length(otherwise, whole) ?? 0;
  const [cx, cy] = [at("cx", width, "50%"), at("cy", height, "50%")];
  const shape: GradientPaint["shape"] =
    node.name === "linearGradient"
      ? {
          kind: "linear",
          x1: at("x1", width, "0%"),
          y1: at("y1", height, "0%"),
          x2: at("x2", width, "100%"),
          y2: at("y2", height, "0%"),
        }
      : {
          kind: "radial",
          cx,
          cy,
          r: at("r", diagonal, "50%"),
          fx: length(get("fx"), width) ?? cx,
          fy: length(get("fy"), height) ?? cy,
        };
  const matrix = box === undefined ? own : multiply(box, own);
  const gradient = { kind: "gradient", transform: matrix, shape, stops } as const;
  const spread = get("spreadMethod");
  return spread === "repeat" || spread === "reflect"
    ? (repeated(gradient, spread, painted) ?? "unsupported")
    : gradient;
}

/** A gradient that is repeated over what it paints, as one with more stops; undefined if they are too many. */
function repeated(
  gradient: GradientPaint,
  spread: "repeat" | "reflect",
  painted: Bounds | undefined,
): GradientPaint | undefined {
  const { shape, stops } = gradient;
  const inverse = invert(gradient.transform);
  const shown =
    painted === undefined || inverse === undefined ? undefined : mapBounds(inverse, painted);
  if (shown === undefined) {
    return gradient;
  }
  const [from, to] = periodsOf(shape, shown);
  if (!((to - from) * stops.length <= STOPS_MAX)) {
    return undefined;
  }
  const count = to - from;
  const all = Array.from({ length: count }, (_, i) => {
    const isTurned = spread === "reflect" && (from + i) % 2 !== 0;
    const ordered = isTurned
      ? stops.map((stop) => ({ ...stop, offset: 1 - stop.offset })).toReversed()
      : stops;
    const [first, last] = [ordered[0], ordered.at(-1)];
    // A period begins and ends with its own colors, whatever its neighbors have there.
    const padded = [
      ...(first === undefined ? [] : [{ ...first, offset: 0 }]),
      ...ordered,
      ...(last === undefined ? [] : [{ ...last, offset: 1 }]),
    ];
    return padded.map((stop) => ({ ...stop, offset: (i + stop.offset) / count }));
  }).flat();
  if (shape.kind === "linear") {
    const [dx, dy] = [shape.x2 - shape.x1, shape.y2 - shape.y1];
    const at = (t: number) => ({ x: shape.x1 + dx * t, y: shape.y1 + dy * t });
    const [start, end] = [at(from), at(to)];
    return {
      ...gradient,
      shape: { kind: "linear", x1: start.x, y1: start.y, x2: end.x, y2: end.y },
      stops: all,
    };
  }
  const { cx, cy, r, fx, fy } = shape;
  return {
    ...gradient,
    shape: { ...shape, cx: fx + (cx - fx) * to, cy: fy + (cy - fy) * to, r: r * to },
    stops: all,
  };
}

/** The first period that is shown, and the one after the last. */
function periodsOf(shape: GradientPaint["shape"], [x0, y0, x1, y1]: Bounds): [number, number] {
  const corners = [
    [x0, y0],
    [x1, y0],
    [x0, y1],
    [x1, y1],
  ] as const;
  if (shape.kind === "linear") {
    const [dx, dy] = [shape.x2 - shape.x1, shape.y2 - shape.y1];
    const square = dx * dx + dy * dy;
    if (square === 0) {
      return [0, 1];
    }
    const ts = corners.map(([x, y]) => ((x - shape.x1) * dx + (y - shape.y1) * dy) / square);
    return [
      Math.floor(Math.min(...ts)),
      Math.max(Math.floor(Math.min(...ts)) + 1, Math.ceil(Math.max(...ts))),
    ];
  }
  const { cx, cy, r, fx, fy } = shape;
  const nearest = r - Math.hypot(cx - fx, cy - fy);
  const reach = Math.max(...corners.map(([x, y]) => Math.hypot(x - fx, y - fy)));
  return [0, nearest > 0 ? Math.max(1, Math.ceil(reach / nearest)) : Infinity];
}

/** An element with those that it takes attributes and children from, by `href`. */
export function chainOf(node: SvgNode, { ids }: SvgTree): SvgNode[] {
  const chain: SvgNode[] = [];
  for (let at: SvgNode | undefined = node; at !== undefined && chain.length < CHAIN_MAX;) {
    chain.push(at);
    const href: string = at.attributes.get("href") ?? "";
    const next: SvgNode | undefined = href.startsWith("#") ? ids.get(href.slice(1)) : undefined;
    at = next !== undefined && !chain.includes(next) ? next : undefined;
  }
  return chain;
}

/** Stops inherit from where they stand, not from what they paint. */
function stopsOf(holder: SvgNode, styles: SvgStyles): Stop[] {
  const style = ownStyle(holder, styles);
  let last = 0;
  return holder.children
    .filter(({ name }) => name === "stop")
    .map((stop) => {
      const own = styles.of(stop, style);
      const given = own.get("stop-color") ?? "black";
      const found = color(given === "currentColor" ? (own.get("color") ?? "black") : given);
      const { rgb, opacity } = found ?? { rgb: [0, 0, 0] as const, opacity: 1 };
      last = Math.max(last, share(own.get("offset"), 0));
      return { offset: last, rgb, opacity: opacity * share(own.get("stop-opacity"), 1) };
    });
}

/** The properties of an element where it stands, not where it is used. */
export function ownStyle(node: SvgNode, styles: SvgStyles): Style {
  return styles.of(node, node.parent === undefined ? new Map() : ownStyle(node.parent, styles));
}

/** From the unit square to the bounds; undefined where they have no area (SVG 1.1 §7.11). */
export function boxMatrix(bounds: Bounds | undefined): Matrix | undefined {
  if (bounds === undefined) {
    return undefined;
  }
  const [x0, y0, x1, y1] = bounds;
  return x1 > x0 && y1 > y0 ? [x1 - x0, 0, 0, y1 - y0, x0, y0] : undefined;
}
