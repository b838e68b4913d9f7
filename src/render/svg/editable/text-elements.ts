import type { Fill, Matrix } from "../../../templates/display-list.ts";
import type { SvgNode } from "../../pdf/artwork/svg-node.ts";
import type { Style } from "../../pdf/artwork/svg-styles.ts";
import { length } from "../../pdf/artwork/svg-values.ts";
import type { Bounds } from "../../pdf/pdf-syntax.ts";
import { hexColor } from "../../pdf/recolor.ts";
import { apply, meanScale, partsOf, round } from "./matrix-parts.ts";
import type { MadeElement, Properties } from "./made-element.ts";
import type { Report } from "./shape-element.ts";

/** The baseline of a first line of `lineHeight` 1.2 in Noto Sans, in sizes from the top: (1.2 − 1.362) / 2 + 1.069. */
const BASELINE = 0.988;
const LINE_HEIGHT = 1.2;
/** A width in which no font breaks the line, in sizes for each character. */
const ROOM = 1.1;
const [SIZE_MIN, SIZE_MAX] = [1, 1_000];
const WIDTH_MAX = 14_400;
const FAMILY_MAX = 200;
const WEIGHTS: Readonly<Record<string, number>> = {
  normal: 400,
  bold: 700,
  lighter: 300,
  bolder: 700,
};
const GENERIC: Readonly<Record<string, string>> = {
  serif: "Noto Serif",
  "sans-serif": "Noto Sans",
  monospace: "Noto Sans Mono",
};

export interface TextTools {
  styleOf(node: SvgNode, parent: Style): Style;
  /** The fill of a text; null for none. */
  fillOf(node: SvgNode, style: Style): Fill | null;
}

interface Run {
  text: string;
  readonly node: SvgNode;
  readonly style: Style;
}

/** Characters that follow each other from one point. */
interface Chunk {
  readonly x: number;
  readonly y: number;
  readonly runs: Run[];
}

/** A text, an element for each place at which a part of it begins. */
export function textElements(
  node: SvgNode,
  style: Style,
  matrix: Matrix,
  tools: TextTools,
  report: Report,
): MadeElement[] {
  const chunks = chunksOf(node, style, tools);
  const made = chunks.flatMap((chunk) => element(chunk, matrix, tools, report) ?? []);
  if (made.length > 0) {
    report.note(
      node,
      "The text is placed by the metrics of Noto Sans, and as wide as its font is here.",
    );
  }
  return made;
}

function chunksOf(root: SvgNode, rootStyle: Style, tools: TextTools): Chunk[] {
  const chunks: Chunk[] = [];
  const visit = (node: SvgNode, style: Style): void => {
    if (style.get("display") === "none") {
      return;
    }
    const first = (name: string): number | undefined =>
      length(
        node.attributes
          .get(name)
          ?.trim()
          .split(/[\s,]+/)[0],
        0,
      );
    const [x, y, dx = 0, dy = 0] = [first("x"), first("y"), first("dx"), first("dy")];
    const last = chunks.at(-1);
    if (last === undefined || x !== undefined || y !== undefined || dy !== 0) {
      chunks.push({ x: (x ?? last?.x ?? 0) + dx, y: (y ?? last?.y ?? 0) + dy, runs: [] });
    }
    for (const part of node.content) {
      if (typeof part === "string") {
        chunks.at(-1)?.runs.push({ text: part.replaceAll(/[\s]+/g, " "), node, style });
      } else if (part.name === "tspan" || part.name === "a") {
        visit(part, tools.styleOf(part, style));
      }
    }
  };
  visit(root, rootStyle);
  return chunks.map(trimmed).filter(({ runs }) => runs.length > 0);
}

/** White space at both ends, and after white space, is not drawn. */
function trimmed(chunk: Chunk): Chunk {
  let isAfterSpace = true;
  for (const run of chunk.runs) {
    run.text = isAfterSpace ? run.text.replace(/^ /, "") : run.text;
    isAfterSpace = run.text === "" ? isAfterSpace : run.text.endsWith(" ");
  }
  const last = chunk.runs.findLast(({ text }) => text !== "");
  if (last !== undefined) {
    last.text = last.text.replace(/ $/, "");
  }
  return { ...chunk, runs: chunk.runs.filter(({ text }) => text !== "") };
}

function element(
  { x, y, runs }: Chunk,
  matrix: Matrix,
  tools: TextTools,
  report: Report,
): MadeElement | undefined {
  const [first] = runs;
  if (first === undefined || first.style.get("visibility") === "hidden") {
    return undefined;
  }
  const { node, style } = first;
  const parts = partsOf(matrix);
  const scale = meanScale(matrix);
  if (parts?.isUniform !== true) {
    report.note(node, "The text is not stretched or slanted.");
  }
  const styles = runs.map((run) => runProperties(run, scale, tools, report));
  const [own = {}] = styles;
  const size = Math.max(...styles.map((one) => Number(one["fontSize"])));
  const count = runs.reduce((sum, { text }) => sum + text.length, 0);
  const width = Math.min(WIDTH_MAX, (count * ROOM + 1) * size);
  const height = size * LINE_HEIGHT;
  const anchor = style.get("text-anchor");
  const share = anchor === "middle" ? 0.5 : anchor === "end" ? 1 : 0;
  const angle = parts?.angle ?? 0;
  const flip = parts?.isFlipped === true ? -1 : 1;
  const radians = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const turn: Matrix = [cos, sin, -sin * flip, cos * flip, 0, 0];
  // The box is turned about its center; the point of the text in it comes to lie where the drawing has it.
  const [px, py] = apply(matrix, x, y);
  const [ox, oy] = apply(turn, (share - 0.5) * width, size * BASELINE - height / 2);
  const [cx, cy] = [px - ox, py - oy];
  const isPlain = styles.every((one) => JSON.stringify(one) === JSON.stringify(own));
  const text = runs.map((run) => run.text).join("");
  const { fontFamily: _family, ...rest } = own;
  return {
    bounds: around(
      cx,
      cy,
      width * Math.abs(cos) + height * Math.abs(sin),
      height * Math.abs(cos) + width * Math.abs(sin),
    ),
    element: {
      $type: "text",
      left: round(cx - width / 2),
      top: round(cy - height / 2),
      width: round(width),
      height: round(height),
      ...(angle !== 0 && { angle: round(angle) }),
      ...(flip === -1 && { flipY: true }),
      ...(isPlain
        ? { text, ...own }
        : {
            ...(own["fontFamily"] === undefined ? {} : { fontFamily: own["fontFamily"] }),
            fontSize: rest["fontSize"],
            richText: {
              paragraphs: [{ runs: runs.map((run, i) => ({ text: run.text, ...styles[i] })) }],
            },
          }),
      textAlign: share === 0 ? "left" : share === 1 ? "right" : "center",
      overflowMode: "visible",
    },
  };
}

function around(cx: number, cy: number, width: number, height: number): Bounds {
  return [cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2];
}

function runProperties(run: Run, scale: number, tools: TextTools, report: Report): Properties {
  return { ...fontProperties(run, scale, report), ...paintProperties(run, scale, tools, report) };
}

function fontProperties({ node, style }: Run, scale: number, report: Report): Properties {
  const given = (length(style.get("font-size"), 16) ?? 16) * scale;
  const fontSize = Math.min(SIZE_MAX, Math.max(SIZE_MIN, given));
  if (fontSize !== given) {
    report.note(node, `The text has a size of ${SIZE_MIN} to ${SIZE_MAX} points.`);
  }
  const family = style.get("font-family")?.split(",")[0]?.replaceAll(/["']/g, "").trim() ?? "";
  const fontFamily = GENERIC[family.toLowerCase()] ?? family;
  const weight = WEIGHTS[style.get("font-weight") ?? ""] ?? Number(style.get("font-weight") ?? 400);
  const fontWeight = Math.min(900, Math.max(100, Math.round(weight || 400)));
  return {
    ...(fontFamily !== "" && fontFamily.length <= FAMILY_MAX && { fontFamily }),
    fontSize: round(fontSize),
    ...(fontWeight !== 400 && { fontWeight }),
    ...(/^(?:italic|oblique)/.test(style.get("font-style") ?? "") && { fontStyle: "italic" }),
  };
}

function paintProperties(
  { node, style }: Run,
  scale: number,
  tools: TextTools,
  report: Report,
): Properties {
  const spacing = (length(style.get("letter-spacing"), 0) ?? 0) * scale;
  const lines = style.get("text-decoration") ?? "";
  const fill = tools.fillOf(node, style);
  const paint = fill?.paint;
  if (paint?.kind === "gradient") {
    report.note(node, "The text has the first color of its gradient.");
  }
  const rgb = paint?.kind === "gradient" ? paint.stops[0]?.rgb : paint?.rgb;
  if (!/^(?:none)?$/.test(style.get("stroke") ?? "")) {
    report.note(node, "The text has no stroke.");
  }
  return {
    fill: rgb === undefined ? null : hexColor(rgb),
    ...(fill !== null && fill.opacity < 1 && { fillOpacity: round(fill.opacity) }),
    ...(spacing !== 0 && { charSpacing: round(Math.min(100, Math.max(-100, spacing))) }),
    ...(lines.includes("underline") && { underline: true }),
    ...(lines.includes("line-through") && { strikethrough: true }),
  };
}
