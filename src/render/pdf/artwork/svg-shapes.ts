import type { DisplayClip, Path, PathSegment } from "../../../templates/display-list.ts";
import { readPathData } from "../../../templates/geometry/read-path-data.ts";
import type { Bounds } from "../pdf-syntax.ts";
import { ArtworkError } from "./artwork-error.ts";
import type { Style } from "./svg-styles.ts";
import type { SvgNode } from "./svg-node.ts";
import { length, numbers } from "./svg-values.ts";

/** Of one path's data, which is read in one piece. */
const PATH_CHARACTERS_MAX = 2_000_000;
const TOO_LONG = {
  ok: false,
  problem: { at: PATH_CHARACTERS_MAX, reason: "it is longer than is read" },
} as const;

/** Distance of the control points of a quarter circle of radius 1: 4/3 · (√2 − 1). */
const KAPPA = (4 / 3) * (Math.SQRT2 - 1);

export interface Viewport {
  readonly width: number;
  readonly height: number;
}

/**
 * The path of a basic shape (SVG 1.1 §9); undefined if it draws nothing, or is none. Throws ArtworkError for path data that
 * is malformed.
 */
export function shapePath(node: SvgNode, style: Style, viewport: Viewport): Path | undefined {
  const { width, height } = viewport;
  const x = (key: string): number => length(style.get(key), width) ?? 0;
  const y = (key: string): number => length(style.get(key), height) ?? 0;
  switch (node.name) {
    case "path": {
      const text = style.get("d")?.trim() ?? "";
      if (text === "" || text === "none") {
        return undefined;
      }
      const read = text.length > PATH_CHARACTERS_MAX ? TOO_LONG : readPathData(text);
      if (!read.ok) {
        const { at, reason } = read.problem;
        throw new ArtworkError("unreadable", `Its path data, at character ${at}: ${reason}`, node);
      }
      return read.path;
    }
    case "rect":
      return rectPath(style, viewport);
    case "circle": {
      const r = length(style.get("r"), Math.hypot(width, height) / Math.SQRT2) ?? 0;
      return r > 0 ? ellipsePath(x("cx"), y("cy"), r, r) : undefined;
    }
    case "ellipse": {
      const [rx, ry] = [x("rx"), y("ry")];
      return rx > 0 && ry > 0 ? ellipsePath(x("cx"), y("cy"), rx, ry) : undefined;
    }
    case "line":
      return {
        segments: [
          ["M", x("x1"), y("y1")],
          ["L", x("x2"), y("y2")],
        ],
      };
    case "polyline":
    case "polygon":
      return polyPath(numbers(style.get("points") ?? ""), node.name === "polygon");
    default:
      return undefined;
  }
}

/** A rectangle at the origin. */
export function boxClip(width: number, height: number): DisplayClip {
  return { shapes: [{ path: boxPath([0, 0, width, height]), fillRule: "non_zero" }] };
}

export function boxPath([x0, y0, x1, y1]: Bounds): Path {
  return { segments: [["M", x0, y0], ["L", x1, y0], ["L", x1, y1], ["L", x0, y1], ["Z"]] };
}

function polyPath(points: readonly number[], isClosed: boolean): Path | undefined {
  const segments: PathSegment[] = [];
  for (let i = 0; i + 1 < points.length; i += 2) {
    segments.push([i === 0 ? "M" : "L", points[i] ?? 0, points[i + 1] ?? 0]);
  }
  if (isClosed) {
    segments.push(["Z"]);
  }
  return points.length >= 2 ? { segments } : undefined;
}

function rectPath(style: Style, { width, height }: Viewport): Path | undefined {
  const x = length(style.get("x"), width) ?? 0;
  const y = length(style.get("y"), height) ?? 0;
  const w = length(style.get("width"), width) ?? 0;
  const h = length(style.get("height"), height) ?? 0;
  if (w <= 0 || h <= 0) {
    return undefined;
  }
  const [givenX, givenY] = [length(style.get("rx"), width), length(style.get("ry"), height)];
  const rx = Math.min(givenX ?? givenY ?? 0, w / 2);
  const ry = Math.min(givenY ?? givenX ?? 0, h / 2);
  if (rx <= 0 || ry <= 0) {
    return {
      segments: [["M", x, y], ["L", x + w, y], ["L", x + w, y + h], ["L", x, y + h], ["Z"]],
    };
  }
  const [kx, ky] = [rx * (1 - KAPPA), ry * (1 - KAPPA)];
  const [r, b] = [x + w, y + h];
  return {
    segments: [
      ["M", x + rx, y],
      ["L", r - rx, y],
      ["C", r - kx, y, r, y + ky, r, y + ry],
      ["L", r, b - ry],
      ["C", r, b - ky, r - kx, b, r - rx, b],
      ["L", x + rx, b],
      ["C", x + kx, b, x, b - ky, x, b - ry],
      ["L", x, y + ry],
      ["C", x, y + ky, x + kx, y, x + rx, y],
      ["Z"],
    ],
  };
}

function ellipsePath(cx: number, cy: number, rx: number, ry: number): Path {
  const [kx, ky] = [rx * KAPPA, ry * KAPPA];
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

/** The exact bounds of a path's outline, without strokes; undefined for an empty path. */
export function pathBounds({ segments }: Path): Bounds | undefined {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  let [px, py] = [0, 0];
  const add = (x: number, y: number): void => {
    [x0, y0, x1, y1] = [Math.min(x0, x), Math.min(y0, y), Math.max(x1, x), Math.max(y1, y)];
  };
  for (const segment of segments) {
    if (segment[0] === "Z") {
      continue;
    }
    if (segment[0] === "C") {
      const [, ax, ay, bx, by, x, y] = segment;
      for (const t of [...turns(px, ax, bx, x), ...turns(py, ay, by, y)]) {
        add(cubic(px, ax, bx, x, t), cubic(py, ay, by, y, t));
      }
      [px, py] = [x, y];
    } else {
      [px, py] = [segment[1], segment[2]];
    }
    add(px, py);
  }
  return x1 >= x0 ? [x0, y0, x1, y1] : undefined;
}

function cubic(a: number, b: number, c: number, d: number, t: number): number {
  const u = 1 - t;
  return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
}

/** Where a coordinate of a cubic curve turns, between 0 and 1. */
function turns(p0: number, p1: number, p2: number, p3: number): number[] {
  const a = p3 - 3 * p2 + 3 * p1 - p0;
  const b = 2 * (p2 - 2 * p1 + p0);
  const c = p1 - p0;
  const roots =
    Math.abs(a) < 1e-12
      ? [-c / b]
      : [1, -1].map((sign) => (-b + sign * Math.sqrt(b * b - 4 * a * c)) / (2 * a));
  return roots.filter((t) => t > 0 && t < 1);
}
