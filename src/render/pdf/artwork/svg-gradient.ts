import type { GradientPaint, Matrix, SolidPaint } from "../../../templates/display-list.ts";
import { multiply, type Bounds } from "../pdf-syntax.ts";
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
  readonly viewport: Viewport;
}

/**
 * A gradient as a paint for an element (SVG 1.1 §13.2); undefined if it paints nothing, `unsupported` if it is repeated or
 * has too many stops.
 */
export function gradientPaint(
  node: SvgNode,
  tree: SvgTree,
  styles: SvgStyles,
  { bounds, viewport }: GradientPlace,
): GradientPaint | (SolidPaint & { readonly opacity: number }) | "unsupported" | undefined {
  const chain = chainOf(node, tree);
  const get = (key: string): string | undefined =>
    chain.find((one) => one.attributes.has(key))?.attributes.get(key);
  if ((get("spreadMethod") ?? "pad") !== "pad") {
    return "unsupported";
  }
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
  return { kind: "gradient", transform: matrix, shape, stops };
}

function chainOf(node: SvgNode, { ids }: SvgTree): SvgNode[] {
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
  const style = styleOf(holder, styles);
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

function styleOf(node: SvgNode, styles: SvgStyles): Style {
  return styles.of(node, node.parent === undefined ? new Map() : styleOf(node.parent, styles));
}

/** From the unit square to the bounds; undefined where they have no area (SVG 1.1 §7.11). */
export function boxMatrix(bounds: Bounds | undefined): Matrix | undefined {
  if (bounds === undefined) {
    return undefined;
  }
  const [x0, y0, x1, y1] = bounds;
  return x1 > x0 && y1 > y0 ? [x1 - x0, 0, 0, y1 - y0, x0, y0] : undefined;
}
