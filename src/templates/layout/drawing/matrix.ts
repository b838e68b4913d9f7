import type { Matrix, Path, PathSegment, Point } from "../../display-list.ts";

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Numbers of matrices and of points; what is larger is far outside of every page, and its products overflow. */
const LARGEST = 1e15;

/** The number within what pages use; what overflowed in both directions is 0. */
export function bounded(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(value, -LARGEST), LARGEST);
}

/** The matrix that applies `inner` first, then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [
    bounded(a * g + c * h),
    bounded(b * g + d * h),
    bounded(a * i + c * j),
    bounded(b * i + d * j),
    bounded(a * k + c * l + e),
    bounded(b * k + d * l + f),
  ];
}

export function translation(x: number, y: number): Matrix {
  return [1, 0, 0, 1, x, y];
}

/** Null if the matrix maps the plane to a line or a point. */
export function invert(matrix: Matrix): Matrix | null {
  const [a, b, c, d, e, f] = matrix;
  const determinant = a * d - b * c;
  if (!Number.isFinite(1 / determinant)) {
    return null;
  }
  return [
    d / determinant,
    -b / determinant,
    -c / determinant,
    a / determinant,
    (c * f - d * e) / determinant,
    (b * e - a * f) / determinant,
  ];
}

export function apply(matrix: Matrix, x: number, y: number): Point {
  const [a, b, c, d, e, f] = matrix;
  return { x: bounded(a * x + c * y + e), y: bounded(b * x + d * y + f) };
}

/** Cosine and sine of an angle in degrees; exact for multiples of 90. */
export function cosSin(degrees: number): readonly [number, number] {
  const turn = ((degrees % 360) + 360) % 360;
  switch (turn) {
    case 0:
      return [1, 0];
    case 90:
      return [0, 1];
    case 180:
      return [-1, 0];
    case 270:
      return [0, -1];
    default: {
      const radians = (turn * Math.PI) / 180;
      return [Math.cos(radians), Math.sin(radians)];
    }
  }
}

/** Flips, then a clockwise rotation, about a center. */
export function turnAbout(
  x: number,
  y: number,
  degrees: number,
  flipX: boolean,
  flipY: boolean,
): Matrix {
  const [cos, sin] = cosSin(degrees);
  const a = flipX ? -cos : cos;
  const b = flipX ? -sin : sin;
  const c = flipY ? sin : -sin;
  const d = flipY ? -cos : cos;
  return [a, b, c, d, x - a * x - c * y, y - b * x - d * y];
}

/** The path with every point moved by the matrix. */
export function transformPath(path: Path, matrix: Matrix): Path {
  const [a, b, c, d, e, f] = matrix;
  if (a === 1 && b === 0 && c === 0 && d === 1) {
    return movePath(path, e, f);
  }
  const px = (x: number, y: number) => a * x + c * y + e;
  const py = (x: number, y: number) => b * x + d * y + f;
  return {
    segments: path.segments.map((segment): PathSegment => {
      switch (segment[0]) {
        case "Z":
          return segment;
        case "C": {
          const [, x1, y1, x2, y2, x, y] = segment;
          return ["C", px(x1, y1), py(x1, y1), px(x2, y2), py(x2, y2), px(x, y), py(x, y)];
        }
        default:
          return [segment[0], px(segment[1], segment[2]), py(segment[1], segment[2])];
      }
    }),
  };
}

/** The path moved by (dx, dy). */
export function movePath(path: Path, dx: number, dy: number): Path {
  if (dx === 0 && dy === 0) {
    return path;
  }
  return {
    segments: path.segments.map((segment): PathSegment => {
      switch (segment[0]) {
        case "Z":
          return segment;
        case "C": {
          const [, x1, y1, x2, y2, x, y] = segment;
          return ["C", x1 + dx, y1 + dy, x2 + dx, y2 + dy, x + dx, y + dy];
        }
        default:
          return [segment[0], segment[1] + dx, segment[2] + dy];
      }
    }),
  };
}
