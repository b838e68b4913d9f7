import { boxPath, type PathCommand } from "../../../images/vector/path.ts";
import { between, type Motif } from "./flat-motifs.ts";
import { archPath } from "./pen.ts";
import type { Box } from "./place-cards.ts";

/** Layers of hills under a sun; the upper part stays calm. */
export const hills: Motif = (pen, box, palette, next) => {
  pen.shade(
    boxPath(box.x, box.y, box.width, box.height, [0, 0, 0, 0]),
    [palette.paper, palette.light],
    [0, box.y],
    [0, box.y + box.height * 0.8],
  );
  const side = Math.min(box.width, box.height);
  const sunX = box.x + box.width * (0.64 + next() * 0.16);
  const sunY = box.y + box.height * (0.5 + next() * 0.06);
  pen.circle(sunX, sunY, side * 0.2, palette.warm);
  const layers = 5;
  for (let layer = 0; layer < layers; layer++) {
    const share = layer / (layers - 1);
    const top = box.y + box.height * (0.56 + share * 0.3);
    const color = between([palette.light, palette.main, palette.deep], 0.22 + share * 0.78);
    pen.path(wave(box, top, box.height * (0.085 - share * 0.02), next), color);
  }
};

/** The part of the box below a smooth line. */
function wave(box: Box, level: number, rise: number, next: () => number): PathCommand[] {
  const count = Math.max(2, Math.min(8, Math.round((box.width / box.height) * 2.4)));
  const step = box.width / count;
  const heights = Array.from({ length: count + 1 }, () => level + (next() - 0.5) * 2 * rise);
  const path: PathCommand[] = [["M", box.x, heights[0] ?? level]];
  for (let i = 0; i < count; i++) {
    const x = box.x + i * step;
    const [from, to] = [heights[i] ?? level, heights[i + 1] ?? level];
    path.push(["C", x + step / 2, from, x + step / 2, to, x + step, to]);
  }
  path.push(["L", box.x + box.width, box.y + box.height], ["L", box.x, box.y + box.height], ["Z"]);
  return path;
}

/** A studio: a wall, a floor, an arch and round plinths. */
export const stage: Motif = (pen, box, palette, next) => {
  const { x, y, width, height } = box;
  const floor = y + height * 0.78;
  pen.shade(
    boxPath(x, y, width, height * 0.78, [0, 0, 0, 0]),
    [palette.paper, palette.light],
    [0, y],
    [0, floor],
  );
  pen.shade(
    boxPath(x, floor, width, height * 0.22, [0, 0, 0, 0]),
    [between([palette.light, palette.main], 0.5), between([palette.light, palette.main], 0.15)],
    [0, floor],
    [0, y + height],
  );
  const side = Math.min(width, height * 0.72);
  const center = x + width * (0.56 + next() * 0.1);
  const arch = {
    x: center - side * 0.27,
    y: floor - side * 0.5,
    width: side * 0.54,
    height: side * 0.5,
  };
  pen.path(archPath(arch), palette.main);
  pen.path(
    archPath({
      x: arch.x + side * 0.05,
      y: arch.y + side * 0.05,
      width: side * 0.44,
      height: side * 0.45,
    }),
    palette.deep,
  );
  plinth(
    pen,
    center,
    floor + height * 0.07,
    side * 0.34,
    side * 0.07,
    palette.light,
    palette.paper,
  );
  plinth(pen, center, floor + height * 0.03, side * 0.22, side * 0.08, palette.main, palette.light);
  pen.circle(center, floor + height * 0.03 - side * 0.19, side * 0.11, palette.warm);
  plinth(
    pen,
    center - side * 0.44,
    floor + height * 0.06,
    side * 0.085,
    side * (0.14 + next() * 0.1),
    palette.deep,
    palette.main,
  );
};

function plinth(
  pen: Parameters<Motif>[0],
  x: number,
  base: number,
  radius: number,
  high: number,
  side: Parameters<typeof pen.circle>[3],
  top: Parameters<typeof pen.circle>[3],
): void {
  const flat = radius * 0.2;
  const arc = 0.552_284_749_8;
  pen.path(
    [
      ["M", x - radius, base - high],
      ["L", x - radius, base],
      ["C", x - radius, base + flat * arc, x - radius * arc, base + flat, x, base + flat],
      ["C", x + radius * arc, base + flat, x + radius, base + flat * arc, x + radius, base],
      ["L", x + radius, base - high],
      ["Z"],
    ],
    side,
  );
  pen.path(ellipse(x, base - high, radius, flat), top);
}

function ellipse(x: number, y: number, rx: number, ry: number): PathCommand[] {
  const arc = 0.552_284_749_8;
  return [
    ["M", x - rx, y],
    ["C", x - rx, y - ry * arc, x - rx * arc, y - ry, x, y - ry],
    ["C", x + rx * arc, y - ry, x + rx, y - ry * arc, x + rx, y],
    ["C", x + rx, y + ry * arc, x + rx * arc, y + ry, x, y + ry],
    ["C", x - rx * arc, y + ry, x - rx, y + ry * arc, x - rx, y],
    ["Z"],
  ];
}

/** A room: a window with a view, a lamp, a plant and a bench. */
export const room: Motif = (pen, box, palette, next) => {
  const { x, y, width, height } = box;
  const floor = y + height * 0.82;
  const side = Math.min(width, height * 0.72);
  pen.shade(
    boxPath(x, y, width, height * 0.82, [0, 0, 0, 0]),
    [palette.paper, palette.paperEnd],
    [0, y],
    [0, floor],
  );
  pen.rect(
    { x, y: floor, width, height: height * 0.18 },
    between([palette.light, palette.main], 0.4),
  );
  const center = x + width * (0.62 + next() * 0.08);
  const view = {
    x: center - side * 0.22,
    y: floor - side * 0.58,
    width: side * 0.44,
    height: side * 0.5,
  };
  pen.path(
    archPath({
      x: view.x - side * 0.025,
      y: view.y - side * 0.025,
      width: view.width + side * 0.05,
      height: view.height + side * 0.05,
    }),
    palette.deep,
  );
  pen.shade(archPath(view), [palette.light, palette.warm], [0, view.y], [0, view.y + view.height]);
  pen.circle(center + side * 0.06, view.y + view.height * 0.52, side * 0.085, palette.paper);
  const land = { ...view, y: view.y + view.height * 0.68, height: view.height * 0.32 };
  pen.path(wave(land, land.y + side * 0.02, side * 0.02, next), palette.main);
  pen.rect(
    { x: center - side * 0.006, y: view.y, width: side * 0.012, height: view.height },
    palette.deep,
  );
  const left = center - side * 0.5;
  pen.path(
    boxPath(left - side * 0.13, floor - side * 0.12, side * 0.34, side * 0.06, [
      side * 0.02,
      side * 0.02,
      side * 0.02,
      side * 0.02,
    ]),
    palette.main,
  );
  for (const leg of [-0.1, 0.15]) {
    pen.rect(
      { x: left + side * leg, y: floor - side * 0.065, width: side * 0.02, height: side * 0.08 },
      palette.deep,
    );
  }
  const plant = center + side * 0.36;
  for (let leaf = 0; leaf < 7; leaf++) {
    const angle = -Math.PI / 2 + (leaf - 3) * 0.36;
    const length = side * (0.24 + next() * 0.05);
    const [tipX, tipY] = [
      plant + Math.cos(angle) * length,
      floor - side * 0.09 + Math.sin(angle) * length,
    ];
    const [nx, ny] = [-Math.sin(angle) * length * 0.2, Math.cos(angle) * length * 0.2];
    const [mx, my] = [(plant + tipX) / 2, (floor - side * 0.09 + tipY) / 2];
    pen.path(
      [
        ["M", plant, floor - side * 0.09],
        ["Q", mx + nx, my + ny, tipX, tipY],
        ["Q", mx - nx, my - ny, plant, floor - side * 0.09],
        ["Z"],
      ],
      leaf % 2 === 0 ? palette.deep : palette.main,
    );
  }
  pen.polygon(
    [
      [plant - side * 0.075, floor - side * 0.11],
      [plant + side * 0.075, floor - side * 0.11],
      [plant + side * 0.055, floor + side * 0.03],
      [plant - side * 0.055, floor + side * 0.03],
    ],
    palette.warm,
  );
};

/** Large translucent discs, like washes of watercolor. */
export const washes: Motif = (pen, box, palette, next) => {
  pen.rect(box, palette.paper);
  const side = Math.min(box.width, box.height * 0.8);
  const count = Math.min(14, Math.round(6 * Math.sqrt(Math.max(box.width, box.height) / side)));
  for (let i = 0; i < count; i++) {
    const color = [palette.main, palette.light, palette.warm, palette.deep][i % 4] ?? palette.main;
    const x = box.x + box.width * ((i + 0.2 + next() * 0.6) / count);
    const y = box.y + box.height * (0.72 + next() * 0.2);
    const radius = side * (0.16 + next() * 0.2);
    for (let layer = 0; layer < 4; layer++) {
      pen.circle(
        x + (next() - 0.5) * side * 0.03,
        y + (next() - 0.5) * side * 0.03,
        radius * (1 - layer * 0.05),
        color,
        0.16,
      );
    }
  }
};
