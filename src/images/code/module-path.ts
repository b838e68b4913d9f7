import type { EyeBallShape, EyeFrameShape, ModuleShape } from "../../contracts/code-symbol.ts";
import { boxPath, type Path, type PathCommand, transformPath } from "../vector/path.ts";

/** Which of a module's four neighbors are dark. */
export interface Neighbours {
  readonly up: boolean;
  readonly right: boolean;
  readonly down: boolean;
  readonly left: boolean;
}

/** One module of `side` px at the origin. Only `rounded` uses the neighbors: it joins them. */
export function modulePath(
  shape: Exclude<ModuleShape, "square">,
  side: number,
  neighbours: Neighbours,
): Path {
  return transformPath(unitPath(shape, neighbours), side);
}

function unitPath(shape: Exclude<ModuleShape, "square">, at: Neighbours): Path {
  switch (shape) {
    case "rounded":
      return boxPath(0, 0, 1, 1, [
        at.up || at.left ? 0 : 0.5,
        at.up || at.right ? 0 : 0.5,
        at.down || at.right ? 0 : 0.5,
        at.down || at.left ? 0 : 0.5,
      ]);
    case "circle":
      return boxPath(0, 0, 1, 1, [0.5, 0.5, 0.5, 0.5]);
    case "dots":
      return boxPath(0.1, 0.1, 0.8, 0.8, [0.4, 0.4, 0.4, 0.4]);
    case "diamond":
      return polygon([
        [0.5, -0.04],
        [1.04, 0.5],
        [0.5, 1.04],
        [-0.04, 0.5],
      ]);
    case "heart":
      return HEART;
    case "star":
      return polygon(
        Array.from({ length: 10 }, (_, i): [number, number] => {
          // A thick star, slightly larger than the cell: a thin one is too light for the scanners'
          // grid.
          const radius = i % 2 === 0 ? 0.62 : 0.34;
          const angle = (i * Math.PI) / 5 - Math.PI / 2;
          return [0.5 + radius * Math.cos(angle), 0.54 + radius * Math.sin(angle)];
        }),
      );
  }
}

const HEART: Path = [
  ["M", 0.5, 1.02],
  ["C", 0.2, 0.78, -0.04, 0.62, -0.04, 0.32],
  ["C", -0.04, 0.12, 0.1, 0, 0.26, 0],
  ["C", 0.36, 0, 0.45, 0.06, 0.5, 0.16],
  ["C", 0.55, 0.06, 0.64, 0, 0.74, 0],
  ["C", 0.9, 0, 1.04, 0.12, 1.04, 0.32],
  ["C", 1.04, 0.62, 0.8, 0.78, 0.5, 1.02],
  ["Z"],
];

function polygon(points: readonly (readonly [number, number])[]): Path {
  return [...points.map(([x, y], i): PathCommand => [i === 0 ? "M" : "L", x, y]), ["Z"]];
}

/** The ring of a finder pattern: 7 modules of `side` px, one module thick. */
export function eyeFramePath(shape: EyeFrameShape, side: number): Path {
  const ring = (outer: number, inner: number, leaf = false): Path => [
    ...boxPath(0, 0, 7, 7, [leaf ? 0 : outer, outer, leaf ? 0 : outer, outer]),
    ...boxPath(1, 1, 5, 5, [leaf ? 0 : inner, inner, leaf ? 0 : inner, inner], true),
  ];
  switch (shape) {
    case "square":
      return transformPath(ring(0, 0), side);
    case "rounded":
      return transformPath(ring(2, 1.2), side);
    case "circle":
      // A tenth of a module wider than the square: away from its middle, a circle is narrower than
      // the 1:1:3:1:1 ratio that scanners look for; with square centers, they missed one in three.
      return transformPath(
        [
          ...boxPath(-0.1, -0.1, 7.2, 7.2, [3.6, 3.6, 3.6, 3.6]),
          ...boxPath(0.9, 0.9, 5.2, 5.2, [2.6, 2.6, 2.6, 2.6], true),
        ],
        side,
      );
    case "leaf":
      return transformPath(ring(3, 2, true), side);
  }
}

/**
 * The center of a finder pattern: 3 modules of `side` px, two modules inside the frame's origin.
 */
export function eyeBallPath(shape: EyeBallShape, side: number): Path {
  const ball = (ul: number, ur: number): Path => boxPath(2, 2, 3, 3, [ul, ur, ul, ur]);
  switch (shape) {
    case "square":
      return transformPath(ball(0, 0), side);
    case "rounded":
      return transformPath(ball(0.8, 0.8), side);
    case "circle":
      return transformPath(ball(1.5, 1.5), side);
    case "leaf":
      return transformPath(ball(0, 1.4), side);
    case "diamond":
      // Extends slightly beyond the square, so that scan lines beside the middle still cross 3
      // modules.
      return transformPath(
        [["M", 3.5, 1.65], ["L", 5.35, 3.5], ["L", 3.5, 5.35], ["L", 1.65, 3.5], ["Z"]],
        side,
      );
  }
}
