import type { Box, Path, PathSegment } from "../../display-list.ts";

/** Distance of the control points of a quarter circle of radius 1: 4/3 · (√2 − 1). */
const KAPPA = (4 / 3) * (Math.SQRT2 - 1);

/** Horizontal and vertical radius of a corner. */
export type Radius = readonly [number, number];

export interface CornerRadii {
  readonly topLeft: Radius;
  readonly topRight: Radius;
  readonly bottomRight: Radius;
  readonly bottomLeft: Radius;
}

/** A rectangle. Radii that do not fit are all reduced by one factor, as in CSS. */
export function rectanglePath(box: Box, radii: CornerRadii | null): Path {
  const { x, y, width, height } = box;
  const right = x + width;
  const bottom = y + height;
  if (radii === null) {
    return {
      segments: [["M", x, y], ["L", right, y], ["L", right, bottom], ["L", x, bottom], ["Z"]],
    };
  }
  const factor = reduction(width, height, radii);
  const [tlx, tly] = scaled(radii.topLeft, factor);
  const [trx, try_] = scaled(radii.topRight, factor);
  const [brx, bry] = scaled(radii.bottomRight, factor);
  const [blx, bly] = scaled(radii.bottomLeft, factor);
  const k = 1 - KAPPA;
  const segments: PathSegment[] = [
    ["M", x + tlx, y],
    ["L", right - trx, y],
  ];
  if (trx > 0) {
    segments.push(["C", right - trx * k, y, right, y + try_ * k, right, y + try_]);
  }
  segments.push(["L", right, bottom - bry]);
  if (brx > 0) {
    segments.push(["C", right, bottom - bry * k, right - brx * k, bottom, right - brx, bottom]);
  }
  segments.push(["L", x + blx, bottom]);
  if (blx > 0) {
    segments.push(["C", x + blx * k, bottom, x, bottom - bly * k, x, bottom - bly]);
  }
  segments.push(["L", x, y + tly]);
  if (tlx > 0) {
    segments.push(["C", x, y + tly * k, x + tlx * k, y, x + tlx, y]);
  }
  segments.push(["Z"]);
  return { segments };
}

/** An ellipse from its center, as four cubic curves. */
export function ellipsePath(cx: number, cy: number, rx: number, ry: number): Path {
  const kx = rx * KAPPA;
  const ky = ry * KAPPA;
  return {
    segments: [
      ["M", cx + rx, cy],
      ["C", cx + rx, cy + ky, cx + kx, cy + ry, cx, cy + ry],
      ["C", cx - kx, cy + ry, cx - rx, cy + ky, cx - rx, cy],
      ["C", cx - rx, cy - ky, cx - kx, cy - ry, cx, cy - ry],
      ["C", cx + kx, cy - ry, cx + rx, cy - ky, cx + rx, cy],
      ["Z"],
    ],
  };
}

/** The smallest box around a path's geometry, as SVG's object bounding box; null without a drawn segment. */
export function boundsOf(path: Path): Box | null {
  const x = new Range();
  const y = new Range();
  let startX = 0;
  let startY = 0;
  let atX = 0;
  let atY = 0;
  let isMoveDrawn = false;
  for (const segment of path.segments) {
    switch (segment[0]) {
      case "M":
        [, startX, startY] = segment;
        atX = startX;
        atY = startY;
        isMoveDrawn = false;
        continue;
      case "Z":
        atX = startX;
        atY = startY;
        continue;
      default:
        if (!isMoveDrawn) {
          x.add(atX);
          y.add(atY);
          isMoveDrawn = true;
        }
    }
    if (segment[0] === "L") {
      [, atX, atY] = segment;
    } else {
      const [, x1, y1, x2, y2, endX, endY] = segment;
      x.addCurve(atX, x1, x2, endX);
      y.addCurve(atY, y1, y2, endY);
      atX = endX;
      atY = endY;
    }
    x.add(atX);
    y.add(atY);
  }
  return x.isEmpty ? null : { x: x.min, y: y.min, width: x.max - x.min, height: y.max - y.min };
}

/** One coordinate of the points that a path goes through. */
class Range {
  min = Infinity;
  max = -Infinity;

  get isEmpty(): boolean {
    return this.min > this.max;
  }

  add(value: number): void {
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
  }

  /** Adds the places where the cubic curve turns back. */
  addCurve(p0: number, p1: number, p2: number, p3: number): void {
    // The derivative's quadratic: a·t² + b·t + c.
    const a = -p0 + 3 * p1 - 3 * p2 + p3;
    const b = 2 * (p0 - 2 * p1 + p2);
    const c = p1 - p0;
    const roots: number[] = [];
    if (Math.abs(a) < 1e-12) {
      roots.push(-c / b);
    } else {
      const root = Math.sqrt(b * b - 4 * a * c);
      roots.push((-b + root) / (2 * a), (-b - root) / (2 * a));
    }
    for (const t of roots) {
      if (t > 0 && t < 1) {
        const u = 1 - t;
        this.add(u * u * u * p0 + 3 * u * u * t * p1 + 3 * u * t * t * p2 + t * t * t * p3);
      }
    }
  }
}

function reduction(width: number, height: number, radii: CornerRadii): number {
  const { topLeft, topRight, bottomRight, bottomLeft } = radii;
  const sides: readonly (readonly [number, number])[] = [
    [width, topLeft[0] + topRight[0]],
    [width, bottomLeft[0] + bottomRight[0]],
    [height, topLeft[1] + bottomLeft[1]],
    [height, topRight[1] + bottomRight[1]],
  ];
  let factor = 1;
  for (const [side, sum] of sides) {
    if (sum > side) {
      factor = Math.min(factor, side / sum);
    }
  }
  return factor;
}

/** A corner with one radius of 0 is square. */
function scaled([rx, ry]: Radius, factor: number): Radius {
  return rx > 0 && ry > 0 ? [rx * factor, ry * factor] : [0, 0];
}
