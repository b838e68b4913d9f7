/** An outline. Subpaths that are holes turn the other way round: filling is by the non-zero rule. */
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
