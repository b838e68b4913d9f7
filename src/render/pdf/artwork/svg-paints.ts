import type { Fill, Stroke } from "../../../templates/display-list.ts";
import type { Bounds } from "../pdf-syntax.ts";
import type { SvgContext } from "./svg-context.ts";
import { type GradientPlace, gradientPaint, ownStyle } from "./svg-gradient.ts";
import { type PatternFill, patternTiles, type StrokePattern } from "./svg-pattern.ts";
import type { Style } from "./svg-styles.ts";
import type { SvgNode } from "./svg-node.ts";
import { color, length, numbers, share } from "./svg-values.ts";

export function paintOf(
  context: SvgContext,
  use: "fill" | "stroke",
  node: SvgNode,
  style: Style,
  place: GradientPlace,
): Fill | PatternFill | null {
  const opacity = share(style.get(`${use}-opacity`), 1);
  const value = (style.get(use) ?? (use === "fill" ? "black" : "none")).trim();
  const [, id, fallback = "none"] = /^url\(\s*['"]?#([^'")]*)['"]?\s*\)\s*(.*)$/.exec(value) ?? [];
  const target = id === undefined ? undefined : context.tree.ids.get(id);
  if (target?.name === "linearGradient" || target?.name === "radialGradient") {
    const paint = gradientPaint(target, context.tree, context.styles, place);
    if (paint === "unsupported") {
      const message =
        "Gradients with more than 256 stops, repeated ones counted, are not converted.";
      context.unsupported(target, target.name, message);
      return null;
    }
    if (paint?.kind === "color") {
      return { paint: { kind: "color", rgb: paint.rgb }, opacity: opacity * paint.opacity };
    }
    return paint === undefined ? null : { paint, opacity };
  }
  if (target?.name === "pattern") {
    return patternOf(context, node, target, opacity, place);
  }
  if (target !== undefined) {
    context.unsupported(node, target.name, `Painting with <${target.name}> is not converted.`);
    return null;
  }
  const plain = id === undefined ? value : fallback === "" ? "none" : fallback;
  return solidFill(plain, style, opacity);
}

export function strokeOf(
  context: SvgContext,
  node: SvgNode,
  style: Style,
  within: GradientPlace,
): Stroke | StrokePattern | null {
  const { viewport, bounds } = within;
  const diagonal = Math.hypot(viewport.width, viewport.height) / Math.SQRT2;
  const width = length(style.get("stroke-width") ?? "1", diagonal) ?? 1;
  if (width <= 0) {
    return null;
  }
  const miterLimit = Number(style.get("stroke-miterlimit") ?? 4) || 4;
  const reach = (width / 2) * Math.max(2, Math.min(10, miterLimit));
  const painted: Bounds | undefined = bounds && [
    bounds[0] - reach,
    bounds[1] - reach,
    bounds[2] + reach,
    bounds[3] + reach,
  ];
  const fill = paintOf(context, "stroke", node, style, { ...within, painted });
  if (fill === null) {
    return null;
  }
  const dashes = numbers(style.get("stroke-dasharray") ?? "").map((dash) => Math.max(0, dash));
  const [cap, join] = [style.get("stroke-linecap"), style.get("stroke-linejoin")];
  const settings = {
    width,
    dashes,
    dashOffset: length(style.get("stroke-dashoffset"), diagonal) ?? 0,
    cap: cap === "round" || cap === "square" ? cap : "butt",
    join: join === "round" || join === "bevel" ? join : "miter",
    miterLimit,
  } as const;
  return "pattern" in fill ? { ...fill, settings, painted } : { ...fill, ...settings };
}

function patternOf(
  context: SvgContext,
  node: SvgNode,
  target: SvgNode,
  opacity: number,
  place: GradientPlace,
): PatternFill | null {
  if (context.options.isForElements === true) {
    context.unsupported(
      node,
      "pattern",
      "Elements have no patterns. Import the drawing as preserved.",
    );
    return null;
  }
  const tiles = patternTiles(target, context.tree, place, (holder, viewport) =>
    context.inside(node, () =>
      context.children(holder, ownStyle(holder, context.styles), viewport),
    ),
  );
  if (tiles === "too_many") {
    context.unsupported(
      node,
      "pattern",
      "Its pattern is repeated too often. Make its tile larger.",
    );
    return null;
  }
  return tiles.length === 0 ? null : { pattern: tiles, opacity };
}

function solidFill(value: string, style: Style, opacity: number): Fill | null {
  const given = value === "currentColor" ? (style.get("color") ?? "black") : value;
  const found = given === "none" ? undefined : color(given);
  return found === undefined
    ? null
    : { paint: { kind: "color", rgb: found.rgb }, opacity: opacity * found.opacity };
}
