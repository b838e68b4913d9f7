import { parseHexColor } from "../../../lib/hex-color.ts";
import type { Box, GradientPaint, Path, SolidPaint } from "../../display-list.ts";
import type { Gradient } from "../../document/paint.ts";
import { movePath, multiply } from "./matrix.ts";

/** Shares of the radius that a focal point may be away from the center: on the circle itself the gradient is undefined. */
const FOCUS_MAX = 0.999;

export function solid(color: string): SolidPaint {
  return { kind: "color", rgb: parseHexColor(color) };
}

/** A gradient over a box, whose coordinates 0 to 1 are the box's edges. */
export function gradientPaint(gradient: Gradient, box: Box): GradientPaint {
  const overBox = [box.width, 0, 0, box.height, box.x, box.y] as const;
  const transform =
    gradient.gradientTransform === undefined
      ? overBox
      : multiply(overBox, gradient.gradientTransform);
  const stops = gradient.stops.map(({ offset, color, opacity }) => ({
    offset,
    rgb: parseHexColor(color),
    opacity,
  }));
  if (gradient.type === "linear_gradient") {
    const { x1, y1, x2, y2 } = gradient;
    return { kind: "gradient", transform, shape: { kind: "linear", x1, y1, x2, y2 }, stops };
  }
  const { cx, cy, r } = gradient;
  const [fx, fy] = focus(cx, cy, r, gradient.fx ?? cx, gradient.fy ?? cy);
  return { kind: "gradient", transform, shape: { kind: "radial", cx, cy, r, fx, fy }, stops };
}

/** A focal point outside the circle is moved onto it, as in SVG. */
function focus(
  cx: number,
  cy: number,
  r: number,
  fx: number,
  fy: number,
): readonly [number, number] {
  const distance = Math.hypot(fx - cx, fy - cy);
  if (distance <= r * FOCUS_MAX) {
    return [fx, fy];
  }
  const share = (r * FOCUS_MAX) / distance;
  return [cx + (fx - cx) * share, cy + (fy - cy) * share];
}

type Paint = SolidPaint | GradientPaint;

/** The paint for a path that is moved by (dx, dy). */
export function movePaint<P extends Paint>(paint: P, dx: number, dy: number): P {
  if (paint.kind === "color" || (dx === 0 && dy === 0)) {
    return paint;
  }
  const [a, b, c, d, e, f] = paint.transform;
  return { ...paint, transform: [a, b, c, d, e + dx, f + dy] };
}

/** Moves a path together with the paints of its fill and stroke. */
export function moveAll<F extends { readonly paint: Paint }, S extends { readonly paint: Paint }>(
  item: { readonly path: Path; readonly fill: F | null; readonly stroke: S | null },
  dx: number,
  dy: number,
): { path: Path; fill: F | null; stroke: S | null } {
  return {
    path: movePath(item.path, dx, dy),
    fill: item.fill === null ? null : { ...item.fill, paint: movePaint(item.fill.paint, dx, dy) },
    stroke:
      item.stroke === null ? null : { ...item.stroke, paint: movePaint(item.stroke.paint, dx, dy) },
  };
}
