import type { DisplayItem, DrawnMask, Matrix } from "../../../templates/display-list.ts";
import { mapBounds } from "../pdf-syntax.ts";
import { grayItems } from "../recolor.ts";
import { itemsBounds } from "./item-bounds.ts";
import { groupOf, type SvgContext, urlTarget } from "./svg-context.ts";
import { boxMatrix, ownStyle } from "./svg-gradient.ts";
import type { Viewport } from "./svg-shapes.ts";
import type { SvgNode } from "./svg-node.ts";
import { length } from "./svg-values.ts";

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** What an element's mask lets through (SVG 1.1 §14.4); `nothing` for one without an area. */
export function maskOf(
  context: SvgContext,
  node: SvgNode,
  value: string | undefined,
  viewport: Viewport,
  items: readonly DisplayItem[],
): DrawnMask | "nothing" | null {
  if (value === undefined || value === "none") {
    return null;
  }
  if (context.options.isForElements === true) {
    context.unsupported(node, "mask", "Elements have no masks. Import the drawing as preserved.");
    return null;
  }
  const target = context.referred(urlTarget(value));
  if (target?.name !== "mask") {
    context.unsupported(node, "mask", "A mask that is not a mask of the drawing is not converted.");
    return null;
  }
  const bounds = boxMatrix(itemsBounds(items));
  const isBox = target.attributes.get("maskUnits") !== "userSpaceOnUse";
  const isContentBox = target.attributes.get("maskContentUnits") === "objectBoundingBox";
  if ((isBox || isContentBox) && bounds === undefined) {
    return "nothing";
  }
  const { width, height } = isBox ? { width: 1, height: 1 } : viewport;
  const at = (key: string, whole: number, otherwise: string): number =>
    length(target.attributes.get(key) ?? otherwise, whole) ?? 0;
  const given = [at("x", width, "-10%"), at("y", height, "-10%")] as const;
  const size = [at("width", width, "120%"), at("height", height, "120%")] as const;
  if (!(size[0] > 0 && size[1] > 0)) {
    return "nothing";
  }
  const corners = [given[0], given[1], given[0] + size[0], given[1] + size[1]] as const;
  const [x0, y0, x1, y1] = isBox && bounds !== undefined ? mapBounds(bounds, corners) : corners;
  const style = ownStyle(target, context.styles);
  const inner = isContentBox ? { width: 1, height: 1 } : viewport;
  const objects = context.objects;
  const drawn = context.inside(node, () => {
    const children = context.children(target, style, inner);
    const nested = maskOf(context, target, target.attributes.get("mask"), viewport, items);
    const content = isContentBox ? [groupOf(bounds ?? IDENTITY, null, children)] : children;
    return nested === null || nested === "nothing"
      ? content
      : [{ ...groupOf(IDENTITY, null, content), mask: nested }];
  });
  // What a mask is made of is not seen.
  context.objects = objects;
  const kind = style.get("mask-type") === "alpha" ? "alpha" : "luminance";
  return {
    box: { x: x0, y: y0, width: x1 - x0, height: y1 - y0 },
    items: grayItems(drawn, kind),
  };
}
