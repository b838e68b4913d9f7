import type { DisplayClip, DisplayItem, Matrix, Path } from "../../../templates/display-list.ts";
import { multiply } from "../pdf-syntax.ts";
import { itemsBounds, transformPath } from "./item-bounds.ts";
import { type SvgContext, urlTarget } from "./svg-context.ts";
import { boxMatrix } from "./svg-gradient.ts";
import type { Viewport } from "./svg-shapes.ts";
import type { Style } from "./svg-styles.ts";
import type { SvgNode } from "./svg-node.ts";
import { length, transform } from "./svg-values.ts";

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

export function clipOf(
  context: SvgContext,
  node: SvgNode,
  value: string | undefined,
  viewport: Viewport,
  items: readonly DisplayItem[],
): DisplayClip | null {
  if (value === undefined || value === "none") {
    return null;
  }
  const target = context.referred(urlTarget(value));
  if (target?.name !== "clipPath") {
    context.unsupported(
      node,
      "clip-path",
      "A clip-path that is not a clipPath of the drawing is not converted.",
    );
    return null;
  }
  const style = context.styles.of(target, new Map());
  const isBox = target.attributes.get("clipPathUnits") === "objectBoundingBox";
  const box = isBox ? boxMatrix(itemsBounds(items)) : IDENTITY;
  const own = transform(style.get("transform"));
  if (box === undefined || own === undefined || style.has("clip-path")) {
    context.unsupported(
      target,
      "clip-path",
      "A clip path that is clipped, or of nothing, is not converted.",
    );
    return null;
  }
  const inner = isBox ? { width: 1, height: 1 } : viewport;
  const shapes = target.children.flatMap((child) =>
    clipShapes(context, child, style, inner, multiply(box, own)),
  );
  return { shapes };
}

function clipShapes(
  context: SvgContext,
  node: SvgNode,
  parent: Style,
  viewport: Viewport,
  outer: Matrix,
): { readonly path: Path; readonly fillRule: "non_zero" | "even_odd" }[] {
  const style = context.styles.of(node, parent);
  const own = transform(style.get("transform"));
  if (own === undefined || style.has("clip-path") || node.name === "text") {
    context.unsupported(
      node,
      "clip-path",
      "A clip path of text, or one that is clipped, is not converted.",
    );
    return [];
  }
  const matrix = multiply(outer, own);
  if (node.name === "use") {
    const target = context.referred(style.get("href"));
    const x = length(style.get("x"), viewport.width) ?? 0;
    const y = length(style.get("y"), viewport.height) ?? 0;
    return target === undefined || target.name === "use"
      ? []
      : clipShapes(context, target, style, viewport, multiply(matrix, [1, 0, 0, 1, x, y]));
  }
  const path = style.get("display") === "none" ? undefined : context.path(node, style, viewport);
  const fillRule = style.get("clip-rule") === "evenodd" ? "even_odd" : "non_zero";
  return path === undefined ? [] : [{ path: transformPath(path, matrix), fillRule }];
}
