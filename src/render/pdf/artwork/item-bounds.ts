import type { DisplayItem, Matrix, Path, PathSegment } from "../../../templates/display-list.ts";
import { type Bounds, mapBounds, multiply } from "../pdf-syntax.ts";
import { pathBounds } from "./svg-shapes.ts";

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
/** Noto Sans above and below the baseline, and about the width of the last glyph, in sizes. */
const [ASCENT, DESCENT, LAST_WIDTH] = [1.069, 0.293, 0.55];

/** The bounds of the paths and texts of a drawing, without strokes; undefined if there is none. */
export function itemsBounds(
  items: readonly DisplayItem[],
  matrix: Matrix = IDENTITY,
): Bounds | undefined {
  return unionOfBounds(items.map((item) => boundsOf(item, matrix)));
}

function boundsOf(item: DisplayItem, matrix: Matrix): Bounds | undefined {
  switch (item.kind) {
    case "group":
      return itemsBounds(item.items, multiply(matrix, item.transform));
    case "path":
      return pathBounds(transformPath(item.path, matrix));
    case "glyphs": {
      const { x, y, size, glyphs } = item;
      const width = (glyphs.at(-1)?.x ?? 0) + size * LAST_WIDTH;
      return mapBounds(matrix, [x, y - ASCENT * size, x + width, y + DESCENT * size]);
    }
    case "picture":
    case "artwork":
      return undefined;
  }
}

/** Undefined if there is none. */
export function unionOfBounds(all: readonly (Bounds | undefined)[]): Bounds | undefined {
  return all.reduce(
    (a, b) =>
      a === undefined || b === undefined
        ? (a ?? b)
        : [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])],
    undefined,
  );
}

export function transformPath({ segments }: Path, [a, b, c, d, e, f]: Matrix): Path {
  const x = (px: number, py: number): number => a * px + c * py + e;
  const y = (px: number, py: number): number => b * px + d * py + f;
  return {
    segments: segments.map((segment): PathSegment => {
      if (segment[0] === "Z") {
        return segment;
      }
      if (segment[0] === "C") {
        const [, x1, y1, x2, y2, px, py] = segment;
        return ["C", x(x1, y1), y(x1, y1), x(x2, y2), y(x2, y2), x(px, py), y(px, py)];
      }
      const [command, px, py] = segment;
      return [command, x(px, py), y(px, py)];
    }),
  };
}
