/** An elliptical arc of path data, in absolute coordinates; radii are not 0 and the end points differ. */
export interface Arc {
  readonly x0: number;
  readonly y0: number;
  readonly rx: number;
  readonly ry: number;
  /** Rotation of the ellipse's x axis, clockwise. */
  readonly degrees: number;
  readonly isLarge: boolean;
  readonly isSweep: boolean;
  readonly x: number;
  readonly y: number;
}

/** x1 y1 x2 y2 x y of a cubic curve. */
export type Curve = readonly [number, number, number, number, number, number];

/**
 * The cubic curves that draw an arc, one for each quarter turn or part of one (SVG 2, B.2.4 and B.2.5: conversion from
 * end points to the center, radii that are too small are enlarged). The error of a quarter is below 0.03 % of a radius.
 */
export function arcToCurves(arc: Arc): Curve[] {
  const phi = (arc.degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(phi), Math.sin(phi)];
  const [dx, dy] = [(arc.x0 - arc.x) / 2, (arc.y0 - arc.y) / 2];
  const x1 = cos * dx + sin * dy;
  const y1 = cos * dy - sin * dx;
  let [rx, ry] = [Math.abs(arc.rx), Math.abs(arc.ry)];
  const excess = Math.hypot(x1 / rx, y1 / ry);
  if (excess > 1) {
    rx *= excess;
    ry *= excess;
  }
  const [u, v] = [x1 / rx, y1 / ry];
  const square = u * u + v * v;
  const reach = Math.sqrt(Math.max(0, 1 / square - 1));
  const side = arc.isLarge === arc.isSweep ? -reach : reach;
  // The center of the unit circle that the ellipse becomes, seen from the middle of the chord.
  const [cu, cv] = [side * v, -side * u];
  const cx = cos * cu * rx - sin * cv * ry + (arc.x0 + arc.x) / 2;
  const cy = sin * cu * rx + cos * cv * ry + (arc.y0 + arc.y) / 2;
  const start = Math.atan2(v - cv, u - cu);
  let sweep = Math.atan2(-v - cv, -u - cu) - start;
  if (arc.isSweep && sweep < 0) {
    sweep += 2 * Math.PI;
  } else if (!arc.isSweep && sweep > 0) {
    sweep -= 2 * Math.PI;
  }
  const count = Math.max(1, Math.ceil(Math.abs(sweep) / (Math.PI / 2) - 1e-9));
  const step = sweep / count;
  const handle = (4 / 3) * Math.tan(step / 4);
  const place = (a: number, b: number): [number, number] => [
    cx + cos * rx * a - sin * ry * b,
    cy + sin * rx * a + cos * ry * b,
  ];
  return Array.from({ length: count }, (_, i) => {
    const from = start + i * step;
    const to = from + step;
    const [c0, s0, c1, s1] = [Math.cos(from), Math.sin(from), Math.cos(to), Math.sin(to)];
    const end = i === count - 1 ? ([arc.x, arc.y] as const) : place(c1, s1);
    return [
      ...place(c0 - handle * s0, s0 + handle * c0),
      ...place(c1 + handle * s1, s1 - handle * c1),
      ...end,
    ] as const;
  });
}
