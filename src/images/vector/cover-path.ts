import type { Path } from "./path.ts";

/**
 * Coverage of each pixel by an outline, 0 to 255, in a box at (`left`, `top`) of the path's own
 * coordinates.
 */
export interface Coverage {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly alpha: Uint8Array;
}

/** Maximum distance between a curve and its chords, in px. */
const FLATNESS = 0.05;

/**
 * Exact area coverage by signed accumulation: every edge adds, to the pixels that it crosses, the
 * area to its right; a running sum along each row then gives the winding-weighted coverage. (Method
 * of the font-rs rasterizer; exact if subpaths of one direction do not overlap.)
 */
export function coverPath(path: Path): Coverage {
  const points = flattenPath(path);
  let minX = Infinity;
  let minY = Infinity;
  let maxX = -Infinity;
  let maxY = -Infinity;
  for (const edge of points) {
    minX = Math.min(minX, edge[0], edge[2]);
    maxX = Math.max(maxX, edge[0], edge[2]);
    minY = Math.min(minY, edge[1], edge[3]);
    maxY = Math.max(maxY, edge[1], edge[3]);
  }
  if (points.length === 0) {
    return { left: 0, top: 0, width: 0, height: 0, alpha: new Uint8Array(0) };
  }
  const left = Math.floor(minX);
  const top = Math.floor(minY);
  const width = Math.ceil(maxX) - left;
  const height = Math.ceil(maxY) - top;
  // Two additional columns, because an edge on the last pixel's border adds to the one after it.
  const stride = width + 2;
  const sums = new Float32Array(stride * height);
  for (const [x0, y0, x1, y1] of points) {
    addEdge(sums, stride, height, x0 - left, y0 - top, x1 - left, y1 - top);
  }
  const alpha = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    let sum = 0;
    for (let x = 0; x < width; x++) {
      sum += sums[y * stride + x] ?? 0;
      alpha[y * width + x] = Math.min(255, Math.round(Math.abs(sum) * 255));
    }
  }
  return { left, top, width, height, alpha };
}

/** Adds the area to the right of an edge, which must lie within `height` rows from 0. */
export function addEdge(
  sums: Float32Array,
  stride: number,
  height: number,
  fromX: number,
  fromY: number,
  toX: number,
  toY: number,
): void {
  if (fromY === toY) {
    return;
  }
  const direction = fromY < toY ? 1 : -1;
  const [x0, y0, x1, y1] = fromY < toY ? [fromX, fromY, toX, toY] : [toX, toY, fromX, fromY];
  const slope = (x1 - x0) / (y1 - y0);
  let x = x0;
  const lastRow = Math.min(height, Math.ceil(y1));
  for (let row = Math.floor(y0); row < lastRow; row++) {
    const dy = Math.min(row + 1, y1) - Math.max(row, y0);
    const nextX = x + slope * dy;
    addSpan(sums, row * stride, dy * direction, Math.min(x, nextX), Math.max(x, nextX));
    x = nextX;
  }
}

/** Adds an edge from `xLow` to `xHigh` within one row that covers `dy` of its height. */
function addSpan(sums: Float32Array, line: number, dy: number, xLow: number, xHigh: number): void {
  const first = Math.floor(xLow);
  const last = Math.ceil(xHigh);
  const add = (column: number, amount: number) => {
    const index = line + column;
    sums[index] = (sums[index] ?? 0) + amount;
  };
  if (last <= first + 1) {
    const covered = dy * (1 - ((xLow + xHigh) / 2 - first));
    add(first, covered);
    add(first + 1, dy - covered);
    return;
  }
  const perColumn = 1 / (xHigh - xLow);
  const inFirst = 1 - (xLow - first);
  const firstArea = 0.5 * perColumn * inFirst * inFirst;
  const inLast = xHigh - last + 1;
  const lastArea = 0.5 * perColumn * inLast * inLast;
  add(first, dy * firstArea);
  if (last === first + 2) {
    add(first + 1, dy * (1 - firstArea - lastArea));
  } else {
    const second = perColumn * (1.5 - (xLow - first));
    add(first + 1, dy * (second - firstArea));
    for (let column = first + 2; column < last - 1; column++) {
      add(column, dy * perColumn);
    }
    const beforeLast = second + (last - first - 3) * perColumn;
    add(last - 1, dy * (1 - beforeLast - lastArea));
  }
  add(last, dy * lastArea);
}

/** From x, y to x, y. */
export type Edge = readonly [number, number, number, number];

/** The outline as straight edges, with each subpath closed. */
export function flattenPath(path: Path): Edge[] {
  const edges: Edge[] = [];
  let startX = 0;
  let startY = 0;
  let x = 0;
  let y = 0;
  const lineTo = (toX: number, toY: number) => {
    edges.push([x, y, toX, toY]);
    x = toX;
    y = toY;
  };
  for (const command of path) {
    switch (command[0]) {
      case "M":
        if (x !== startX || y !== startY) {
          lineTo(startX, startY);
        }
        [startX, startY] = [command[1], command[2]];
        [x, y] = [startX, startY];
        break;
      case "L":
        lineTo(command[1], command[2]);
        break;
      case "Q": {
        const [, cx, cy, ex, ey] = command;
        const [sx, sy] = [x, y];
        const steps = stepsFor(Math.hypot(sx - 2 * cx + ex, sy - 2 * cy + ey) / 4);
        for (let i = 1; i <= steps; i++) {
          const t = i / steps;
          const u = 1 - t;
          lineTo(
            u * u * sx + 2 * u * t * cx + t * t * ex,
            u * u * sy + 2 * u * t * cy + t * t * ey,
          );
        }
        break;
      }
      case "C": {
        const [, ax, ay, bx, by, ex, ey] = command;
        const [sx, sy] = [x, y];
        const bend = Math.max(
          Math.hypot(sx - 2 * ax + bx, sy - 2 * ay + by),
          Math.hypot(ax - 2 * bx + ex, ay - 2 * by + ey),
        );
        const steps = stepsFor(bend * 0.75);
        for (let i = 1; i <= steps; i++) {
          const t = i / steps;
          const u = 1 - t;
          const [p, q, r, s] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
          lineTo(p * sx + q * ax + r * bx + s * ex, p * sy + q * ay + r * by + s * ey);
        }
        break;
      }
      case "Z":
        lineTo(startX, startY);
        break;
    }
  }
  if (x !== startX || y !== startY) {
    lineTo(startX, startY);
  }
  return edges;
}

/** Splitting a curve into n parts divides its distance from its chords by n². */
function stepsFor(distance: number): number {
  return Math.min(64, Math.max(1, Math.ceil(Math.sqrt(distance / FLATNESS))));
}
