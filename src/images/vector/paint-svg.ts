import type { Rgb } from "../../contracts/code-symbol.ts";
import type { Path } from "./path.ts";
import type { Layer, Scene } from "./scene.ts";

/**
 * Writes a scene as an SVG document. Adjacent shapes of one color become one `path`, which avoids
 * hairlines between them and keeps the document far below the renderer's limit of 2,000 elements
 * (docs/contract/assets.md#pictures).
 */
export function paintSvg(scene: Scene): string {
  const { width, height } = scene;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
  ];
  if (scene.background !== null) {
    parts.push(`<path fill="${hex(scene.background)}" d="M0 0h${width}v${height}h-${width}z"/>`);
  }
  let color: string | undefined;
  let outline: string[] = [];
  const flush = () => {
    if (color !== undefined && outline.length > 0) {
      parts.push(`<path fill="${color}" d="${outline.join("")}"/>`);
    }
    outline = [];
    color = undefined;
  };
  for (const layer of scene.layers) {
    if (layer.kind === "picture") {
      flush();
      parts.push(layer.svg);
      continue;
    }
    if (color !== hex(layer.color)) {
      flush();
      color = hex(layer.color);
    }
    outline.push(layerOutline(layer));
  }
  flush();
  parts.push("</svg>");
  return parts.join("");
}

function layerOutline(layer: Exclude<Layer, { kind: "picture" }>): string {
  const parts: string[] = [];
  if (layer.kind === "rects") {
    for (let i = 0; i + 3 < layer.rects.length; i += 4) {
      const [x, y, width, height] = layer.rects.slice(i, i + 4);
      parts.push(`M${x} ${y}h${width}v${height}h-${width}z`);
    }
    return parts.join("");
  }
  const { startX, startY, tail } = relative(layer.path);
  for (let i = 0; i + 1 < layer.at.length; i += 2) {
    const x = short((layer.at[i] ?? 0) + startX);
    const y = short((layer.at[i + 1] ?? 0) + startY);
    parts.push(`M${x} ${y}${tail}`);
  }
  return parts.join("");
}

/** The outline as its starting point and relative commands, independent of its position. */
function relative(path: Path): { startX: number; startY: number; tail: string } {
  // Relative steps are calculated between rounded points, so that rounding errors do not
  // accumulate.
  const round = (value: number) => Math.round(value * 1000) / 1000;
  let [x, y, startX, startY] = [0, 0, 0, 0];
  let first: { startX: number; startY: number } | undefined;
  const tail: string[] = [];
  for (const command of path) {
    if (command[0] === "Z") {
      tail.push("z");
      [x, y] = [startX, startY];
      continue;
    }
    const numbers = command.slice(1) as number[];
    const steps = numbers.map((value, i) => short(round(value) - (i % 2 === 0 ? x : y)));
    const [toX = 0, toY = 0] = numbers.slice(-2).map(round);
    [x, y] = [toX, toY];
    if (command[0] === "M") {
      [startX, startY] = [x, y];
      if (first === undefined) {
        first = { startX, startY };
        continue;
      }
    }
    tail.push(command[0].toLowerCase() + joined(steps));
  }
  return { startX: first?.startX ?? 0, startY: first?.startY ?? 0, tail: tail.join("") };
}

function joined(numbers: readonly string[]): string {
  return numbers.map((text, i) => (i === 0 || text.startsWith("-") ? text : ` ${text}`)).join("");
}

function short(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

function hex(color: Rgb): string {
  return `#${color.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
