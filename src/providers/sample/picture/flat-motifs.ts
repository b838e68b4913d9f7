import type { Rgb } from "../../../contracts/code-symbol.ts";
import type { Palette } from "./palette.ts";
import { type Pen, polygonPath, quarterPath } from "./pen.ts";
import type { Box } from "./place-cards.ts";

/** Fills the box with a pattern. `next` gives numbers from 0 to 1. */
export type Motif = (pen: Pen, box: Box, palette: Palette, next: () => number) => void;

function pick<T>(list: readonly T[], next: () => number): T {
  return list[Math.min(list.length - 1, Math.floor(next() * list.length))] as T;
}

/** Cells of about a quarter of the shorter side that fill the box exactly. */
function grid(box: Box, perSide: number) {
  const unit = Math.min(box.width, box.height) / perSide;
  const columns = Math.max(1, Math.min(24, Math.round(box.width / unit)));
  const rows = Math.max(1, Math.min(24, Math.round(box.height / unit)));
  return { columns, rows, width: box.width / columns, height: box.height / rows };
}

/** A grid of quarter discs, discs, rings and stripes. */
export const tiles: Motif = (pen, box, palette, next) => {
  const cells = grid(box, pick([3, 4], next));
  const grounds = [palette.light, palette.main, palette.deep, palette.warm, palette.light];
  const kinds = [0, 0, pick([0, 1, 4], next), pick([1, 2, 3], next), pick([2, 3, 4, 5], next)];
  let [last, lastFront] = [grounds[0] as Rgb, grounds[1] as Rgb];
  for (let row = 0; row < cells.rows; row++) {
    for (let column = 0; column < cells.columns; column++) {
      const cell = {
        x: Math.round(box.x + column * cells.width),
        y: Math.round(box.y + row * cells.height),
        width: Math.round(cells.width * (column + 1)) - Math.round(cells.width * column),
        height: Math.round(cells.height * (row + 1)) - Math.round(cells.height * row),
      };
      let ground = pick(grounds, next);
      if (ground === last) {
        ground = grounds[(grounds.indexOf(ground) + 1) % 4] as Rgb;
      }
      let front = pick([palette.warm, palette.paper, palette.deep, palette.main], next);
      if (front === ground || front === lastFront) {
        front = ground === palette.paper ? palette.main : palette.paper;
      }
      [last, lastFront] = [ground, front];
      pen.rect(cell, ground);
      tile(pen, cell, front, pick(kinds, next), Math.floor(next() * 4));
    }
  }
};

function tile(pen: Pen, cell: Box, color: Rgb, kind: number, turn: number): void {
  const { x, y, width, height } = cell;
  const [cx, cy] = [x + width / 2, y + height / 2];
  const side = Math.min(width, height);
  switch (kind) {
    case 0:
      pen.path(quarterPath(cell, turn), color);
      return;
    case 1:
      pen.circle(cx, cy, side * 0.34, color);
      return;
    case 2:
      pen.ring(cx, cy, side * 0.38, side * 0.13, color);
      return;
    case 3:
      for (let stripe = 0; stripe < 3; stripe++) {
        const at = (0.14 + stripe * 0.28) * (turn % 2 === 0 ? height : width);
        pen.rect(
          turn % 2 === 0
            ? { x, y: y + at, width, height: height * 0.14 }
            : { x: x + at, y, width: width * 0.14, height },
          color,
        );
      }
      return;
    case 4: {
      const half =
        turn % 2 === 0
          ? [
              { x, y, width, height: height / 2 },
              { x, y: cy, width, height: height / 2 },
            ]
          : [
              { x, y, width: width / 2, height },
              { x: cx, y, width: width / 2, height },
            ];
      for (const part of half) {
        pen.path(quarterPath(part, turn), color);
      }
      return;
    }
    default:
      pen.polygon(
        turn % 2 === 0
          ? [
              [x, y + height],
              [x + width, y + height],
              [x + width, y],
            ]
          : [
              [x, y],
              [x + width, y],
              [x, y + height],
            ],
        color,
      );
  }
}

/** Concentric rings around a point near a corner. */
export const rings: Motif = (pen, box, palette, next) => {
  pen.rect(box, palette.deep);
  const centerX = box.x + box.width * pick([0.22, 0.5, 0.78], next);
  const centerY = box.y + box.height * pick([0.3, 0.62, 1], next);
  const reach = Math.hypot(box.width, box.height);
  const colors = [
    palette.main,
    palette.light,
    palette.warm,
    palette.main,
    palette.deep,
    palette.light,
  ];
  const step = Math.min(box.width, box.height) * (0.15 + next() * 0.05);
  const count = Math.min(24, Math.ceil(reach / step));
  for (let i = count; i > 0; i--) {
    const color = colors[i % colors.length] as Rgb;
    pen.path(clippedCircle(centerX, centerY, i * step, box), color);
  }
  pen.path(clippedCircle(centerX, centerY, step * 0.55, box), palette.paper);
};

function clippedCircle(x: number, y: number, radius: number, box: Box) {
  const points = Array.from({ length: 180 }, (_, i): [number, number] => {
    const angle = (i / 180) * Math.PI * 2;
    return [
      Math.min(box.x + box.width, Math.max(box.x, x + radius * Math.cos(angle))),
      Math.min(box.y + box.height, Math.max(box.y, y + radius * Math.sin(angle))),
    ];
  });
  return polygonPath(points);
}

/** Triangles whose colors run from one corner to the other. */
export const facets: Motif = (pen, box, palette, next) => {
  pen.rect(box, palette.main);
  const cells = grid(box, 4);
  const point = (column: number, row: number): [number, number] => {
    const isInner = column > 0 && row > 0 && column < cells.columns && row < cells.rows;
    const [dx, dy] = [next() - 0.5, next() - 0.5];
    return [
      box.x + (column + (isInner ? dx * 0.56 : 0)) * cells.width,
      box.y + (row + (isInner ? dy * 0.56 : 0)) * cells.height,
    ];
  };
  const points = Array.from({ length: cells.rows + 1 }, (_, row) =>
    Array.from({ length: cells.columns + 1 }, (__, column) => point(column, row)),
  );
  const stops = [palette.paper, palette.light, palette.main, palette.deep];
  for (let row = 0; row < cells.rows; row++) {
    for (let column = 0; column < cells.columns; column++) {
      const a = points[row]?.[column] as [number, number];
      const b = points[row]?.[column + 1] as [number, number];
      const c = points[row + 1]?.[column + 1] as [number, number];
      const d = points[row + 1]?.[column] as [number, number];
      const along = (column / cells.columns + row / cells.rows) / 2;
      const shade = () =>
        next() < 0.1 ? palette.warm : between(stops, along * 0.9 + 0.1 + (next() - 0.5) * 0.26);
      const [first, second] =
        (row + column) % 2 === 0
          ? [
              [a, b, c],
              [a, c, d],
            ]
          : [
              [a, b, d],
              [b, c, d],
            ];
      pen.polygon(first as [number, number][], shade());
      pen.polygon(second as [number, number][], shade());
    }
  }
};

/** The color at a share of the way through the stops. */
export function between(stops: readonly Rgb[], share: number): Rgb {
  const place = Math.min(0.999, Math.max(0, share)) * (stops.length - 1);
  const from = stops[Math.floor(place)] as Rgb;
  const to = stops[Math.floor(place) + 1] as Rgb;
  const part = place - Math.floor(place);
  const channel = (i: 0 | 1 | 2) => Math.round(from[i] + (to[i] - from[i]) * part);
  return [channel(0), channel(1), channel(2)];
}

/** Squares on a coarse grid: a disc above water, as from an early screen. */
export const pixels: Motif = (pen, box, palette) => {
  const cells = grid(box, 16);
  const stops = [palette.paper, palette.light, palette.warm];
  for (let row = 0; row < cells.rows; row++) {
    for (let column = 0; column < cells.columns; column++) {
      const dx = (column + 0.5 - cells.columns / 2) / Math.min(cells.columns, cells.rows);
      const dy = (row + 0.5 - cells.rows * 0.46) / Math.min(cells.columns, cells.rows);
      const isWater = row >= cells.rows * 0.66;
      const isGlint = isWater && Math.abs(dx) < 0.3 && (row * 7 + column * 5) % 4 < 2;
      const isSun = !isWater && Math.hypot(dx, dy) < 0.3;
      const sky = between(stops, Math.floor((row / cells.rows) * 6) / 5);
      const water = row % 2 === 0 ? palette.deep : between([palette.deep, palette.main], 0.35);
      const color = isGlint || isSun ? palette.main : isWater ? water : sky;
      pen.rect(
        {
          x: Math.round(box.x + column * cells.width),
          y: Math.round(box.y + row * cells.height),
          width: Math.ceil(cells.width),
          height: Math.ceil(cells.height),
        },
        color,
      );
    }
  }
};

/** Stacked cubes in isometric projection. */
export const cubes: Motif = (pen, box, palette, next) => {
  pen.rect(box, palette.light);
  const side = Math.min(box.width / 4.8, box.height / 3.7);
  const [w, h] = [side * 0.866, side * 0.5];
  const [cx, base] = [box.x + box.width / 2, box.y + box.height * 0.56];
  for (let depth = 0; depth < 7; depth++) {
    for (let a = Math.max(0, depth - 3); a <= Math.min(3, depth); a++) {
      const b = depth - a;
      const high = side * (0.3 + Math.floor(next() * 4) * 0.42);
      const x = cx + (a - b) * w * 0.6;
      const y = base + (depth - 3) * h * 0.6;
      const [dw, dh] = [w * 0.6, h * 0.6];
      const top = next() < 0.3 ? palette.warm : palette.paper;
      pen.polygon(
        [
          [x - dw, y - high],
          [x, y + dh - high],
          [x, y + dh],
          [x - dw, y],
        ],
        palette.main,
      );
      pen.polygon(
        [
          [x + dw, y - high],
          [x, y + dh - high],
          [x, y + dh],
          [x + dw, y],
        ],
        palette.deep,
      );
      pen.polygon(
        [
          [x, y - dh - high],
          [x + dw, y - high],
          [x, y + dh - high],
          [x - dw, y - high],
        ],
        top,
      );
    }
  }
};

/** Tall round-ended columns of different heights. */
export const columns: Motif = (pen, box, palette, next) => {
  pen.rect(box, palette.light);
  const count = Math.max(3, Math.min(16, Math.round((box.width / box.height) * 7)));
  const width = box.width / count;
  const colors = [palette.main, palette.deep, palette.warm, palette.paper];
  for (let i = 0; i < count; i++) {
    const high = box.height * (0.32 + 0.6 * Math.sin(((i + 0.5 + next() * 0.6) / count) * Math.PI));
    const color = colors[(i + Math.floor(next() * 2)) % 4] as Rgb;
    const x = box.x + i * width + width * 0.09;
    const radius = Math.min(width * 0.41, high / 2);
    pen.path(
      [
        ["M", x, box.y + box.height],
        ["L", x, box.y + box.height - high + radius],
        [
          "C",
          x,
          box.y + box.height - high - radius * 0.333,
          x + radius * 2,
          box.y + box.height - high - radius * 0.333,
          x + radius * 2,
          box.y + box.height - high + radius,
        ],
        ["L", x + radius * 2, box.y + box.height],
        ["Z"],
      ],
      color,
    );
  }
};
