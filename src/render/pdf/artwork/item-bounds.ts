import type { DisplayItem, Matrix, Path, PathSegment } from "../../../templates/display-list.ts";
import { type Bounds, multiply } from "../pdf-syntax.ts";
import { pathBounds } from "./svg-shapes.ts";

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** The bounds of the paths of a drawing, without strokes; undefined if there is none. */
export function itemsBounds(
  items: readonly DisplayItem[],
  matrix: Matrix = IDENTITY,
): Bounds | undefined {
  return items
    .map((item) =>
      item.kind === "group"
        ? itemsBounds(item.items, multiply(matrix, item.transform))
        : item.kind === "path"
          ? pathBounds(transformPath(item.path, matrix))
          : undefined,
    )
    .reduce(
      (all, one) =>
        all === undefined || one === undefined
          ? (all ?? one)
          : ([
              Math.min(all[0], one[0]),
              Math.min(all[1], one[1]),
              Math.max(all[2], one[2]),
              Math.max(all[3], one[3]),
            ] as const),
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
