/**
 * An outline. Subpaths that are holes have the opposite direction: filling uses the non-zero rule.
 */
export type PathCommand =
  | readonly ["M" | "L", number, number]
  | readonly ["Q", number, number, number, number]
  | readonly ["C", number, number, number, number, number, number]
  | readonly ["Z"];

export type Path = readonly PathCommand[];

/** The path with every coordinate scaled by `factor`, then moved by (`dx`, `dy`). */
export function transformPath(path: Path, factor: number, dx = 0, dy = 0): Path {
  return path.map((command): PathCommand => {
    const x = (value: number) => value * factor + dx;
    const y = (value: number) => value * factor + dy;
    switch (command[0]) {
      case "M":
      case "L":
        return [command[0], x(command[1]), y(command[2])];
      case "Q":
        return ["Q", x(command[1]), y(command[2]), x(command[3]), y(command[4])];
      case "C":
        return [
          "C",
          x(command[1]),
          y(command[2]),
          x(command[3]),
          y(command[4]),
          x(command[5]),
          y(command[6]),
        ];
      case "Z":
        return command;
    }
  });
}

/** Radii of the corners, clockwise from the upper left one. */
type CornerRadii = readonly [number, number, number, number];

/** Position of the control points of a cubic that approximates a quarter of a circle. */
const ARC = 0.552_284_749_8;

/**
 * A rectangle with rounded corners; with radii of half its side, a circle. `hole` reverses its
 * direction, so that it is cut out of the path around it.
 */
export function boxPath(
  left: number,
  top: number,
  width: number,
  height: number,
  radii: CornerRadii,
  hole = false,
): Path {
  // A hole is created as its mirror image and mirrored back, which reverses its direction.
  const [ul, ur, lr, ll] = hole ? [radii[1], radii[0], radii[3], radii[2]] : radii;
  const right = left + width;
  const bottom = top + height;
  const far = 1 - ARC;
  const path: PathCommand[] = [["M", left + ul, top]];
  path.push(["L", right - ur, top]);
  if (ur > 0) {
    path.push(["C", right - ur * far, top, right, top + ur * far, right, top + ur]);
  }
  path.push(["L", right, bottom - lr]);
  if (lr > 0) {
    path.push(["C", right, bottom - lr * far, right - lr * far, bottom, right - lr, bottom]);
  }
  path.push(["L", left + ll, bottom]);
  if (ll > 0) {
    path.push(["C", left + ll * far, bottom, left, bottom - ll * far, left, bottom - ll]);
  }
  path.push(["L", left, top + ul]);
  if (ul > 0) {
    path.push(["C", left, top + ul * far, left + ul * far, top, left + ul, top]);
  }
  path.push(["Z"]);
  return hole ? mirrored(path, left + right) : path;
}

function mirrored(path: Path, sum: number): Path {
  return path.map((command): PathCommand => {
    switch (command[0]) {
      case "M":
      case "L":
        return [command[0], sum - command[1], command[2]];
      case "Q":
        return ["Q", sum - command[1], command[2], sum - command[3], command[4]];
      case "C":
        return [
          "C",
          sum - command[1],
          command[2],
          sum - command[3],
          command[4],
          sum - command[5],
          command[6],
        ];
      case "Z":
        return command;
    }
  });
}
