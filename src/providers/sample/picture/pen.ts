import type { Rgb } from "../../../contracts/code-symbol.ts";
import { type Item, outlineOf } from "../../../images/vector/paint-bands.ts";
import { boxPath, type Path, type PathCommand } from "../../../images/vector/path.ts";
import { gradientColors } from "./palette.ts";
import type { Box } from "./place-cards.ts";

type Point = readonly [number, number];

/** Moves every point of what a pen draws: the geometry of a lens. */
export type PointMap = (x: number, y: number) => Point;

/** Collects shapes, back to front. */
export class Pen {
  readonly items: Item[] = [];
  readonly #map: PointMap | undefined;

  constructor(map?: PointMap) {
    this.#map = map;
  }

  path(path: Path, color: Rgb, opacity = 1): void {
    const outline = outlineOf(path, this.#map);
    this.items.push({ kind: "shape", outline, fill: { kind: "solid", color, opacity } });
  }

  /** A path with a gradient between two points. */
  shade(path: Path, [from, to]: readonly [Rgb, Rgb], start: Point, end: Point): void {
    const outline = outlineOf(path, this.#map);
    const colors = gradientColors(from, to);
    this.items.push({
      kind: "shape",
      outline,
      fill: { kind: "linear", colors, from: start, to: end },
    });
  }

  rect({ x, y, width, height }: Box, color: Rgb, opacity = 1): void {
    // Divided, so that a lens can bend the sides.
    this.path(dividedBox(x, y, width, height), color, opacity);
  }

  circle(x: number, y: number, radius: number, color: Rgb, opacity = 1): void {
    this.path(circlePath(x, y, radius), color, opacity);
  }

  ring(x: number, y: number, radius: number, thickness: number, color: Rgb, opacity = 1): void {
    const inner = Math.max(0, radius - thickness);
    const size = inner * 2;
    this.path(
      [
        ...circlePath(x, y, radius),
        ...boxPath(x - inner, y - inner, size, size, [inner, inner, inner, inner], true),
      ],
      color,
      opacity,
    );
  }

  polygon(points: readonly Point[], color: Rgb, opacity = 1): void {
    this.path(polygonPath(points), color, opacity);
  }
}

export function circlePath(x: number, y: number, radius: number): Path {
  return boxPath(x - radius, y - radius, radius * 2, radius * 2, [radius, radius, radius, radius]);
}

export function polygonPath(points: readonly Point[]): Path {
  return [...points.map(([x, y], i): PathCommand => [i === 0 ? "M" : "L", x, y]), ["Z"]];
}

/** A quarter of an ellipse that fills the box, its center in one of the corners, clockwise from the upper left. */
export function quarterPath({ x, y, width, height }: Box, corner: number): Path {
  const arc = 0.552_284_749_8;
  const [sx, sy] = [
    [1, 1],
    [-1, 1],
    [-1, -1],
    [1, -1],
  ][corner % 4] as [number, number];
  const cx = sx > 0 ? x : x + width;
  const cy = sy > 0 ? y : y + height;
  const [w, h] = [width * sx, height * sy];
  return [
    ["M", cx, cy],
    ["L", cx + w, cy],
    ["C", cx + w, cy + h * arc, cx + w * arc, cy + h, cx, cy + h],
    ["Z"],
  ];
}

/** An arch: a box with a round top. */
export function archPath({ x, y, width, height }: Box): Path {
  const radius = Math.min(width / 2, height);
  return boxPath(x, y, width, height, [radius, radius, 0, 0]);
}

const DIVISIONS = 24;

function dividedBox(x: number, y: number, width: number, height: number): Path {
  const points: Point[] = [];
  const corners: Point[] = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
  for (const [i, [fromX, fromY]] of corners.entries()) {
    const [toX, toY] = corners[(i + 1) % 4] as Point;
    for (let step = 0; step < DIVISIONS; step++) {
      const share = step / DIVISIONS;
      points.push([fromX + (toX - fromX) * share, fromY + (toY - fromY) * share]);
    }
  }
  return polygonPath(points);
}
