import type { EyeBallShape, EyeFrameShape } from "../../contracts/code-symbol.ts";
import { boxPath } from "../vector/box-path.ts";
import type { Path } from "../vector/path.ts";
import { transformPath } from "../vector/path.ts";

/** The ring of a finder pattern, 7 modules of `side` px, one module thick. */
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
      // A tenth of a module wider than the square: off its middle a circle is narrower than the
      // 1:1:3:1:1 that readers look for, and with square balls they missed one in three.
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

/** The middle of a finder pattern, 3 modules of `side` px, placed two modules inside the frame's origin. */
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
      // Reaches a little over the square, so that readers' lines off the middle still meet 3 modules.
      return transformPath(
        [["M", 3.5, 1.65], ["L", 5.35, 3.5], ["L", 3.5, 5.35], ["L", 1.65, 3.5], ["Z"]],
        side,
      );
  }
}
