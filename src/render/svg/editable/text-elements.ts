import type { Fill, Matrix } from "../../../templates/display-list.ts";
import type { SvgNode } from "../../pdf/artwork/svg-node.ts";
import { weightOf } from "../../pdf/artwork/svg-fonts.ts";
import type { Viewport } from "../../pdf/artwork/svg-shapes.ts";
import type { Style } from "../../pdf/artwork/svg-styles.ts";
import { familiesOf } from "../../pdf/artwork/svg-text.ts";
import { length } from "../../pdf/artwork/svg-values.ts";
import {
  fontSizeOf,
  type TextChunk,
  textChunks,
  type TextPiece,
} from "../../pdf/artwork/text-chunks.ts";
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
export interface TextTools {
  styleOf(node: SvgNode, parent: Style): Style;
  readonly viewport: Viewport;
  /** The fill of a text; null for none. */
  fillOf(node: SvgNode, style: Style): Fill | null;
}

/** A text, an element for each place at which a part of it begins. */
export function textElements(
  node: SvgNode,
  style: Style,
  matrix: Matrix,
  tools: TextTools,
  report: Report,
): MadeElement[] {
  const chunks = textChunks(node, style, { ...tools, onUnsupported: () => undefined });
  let x = 0;
  const made = chunks.flatMap((chunk) => {
    x = chunk.x ?? x;
    return element({ ...chunk, x: x + (chunk.pieces[0]?.dx ?? 0) }, matrix, tools, report) ?? [];
  });
  if (made.length > 0) {
    report.note(
      node,
      "The text is placed by the metrics of Noto Sans, and as wide as its font is here.",
    );
  }
  return made;
}

function element(
  { x, y, pieces: runs }: TextChunk & { readonly x: number },
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
  const isPlain =
    runs.every(({ rise }) => rise === 0) &&
    styles.every((one) => JSON.stringify(one) === JSON.stringify(own));
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
              paragraphs: [
                {
                  runs: runs.map((run, i) => ({
                    text: run.text,
                    ...styles[i],
                    ...(run.rise !== 0 && { baselineShift: round(run.rise * scale) }),
                  })),
                },
              ],
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

function runProperties(
  run: TextPiece,
  scale: number,
  tools: TextTools,
  report: Report,
): Properties {
  return { ...fontProperties(run, scale, report), ...paintProperties(run, scale, tools, report) };
}

function fontProperties({ node, style }: TextPiece, scale: number, report: Report): Properties {
  const given = fontSizeOf(style) * scale;
  const fontSize = Math.min(SIZE_MAX, Math.max(SIZE_MIN, given));
  if (fontSize !== given) {
    report.note(node, `The text has a size of ${SIZE_MIN} to ${SIZE_MAX} points.`);
  }
  const [fontFamily = ""] = familiesOf(style);
  const fontWeight = weightOf(style);
  return {
    ...(fontFamily !== "" && fontFamily.length <= FAMILY_MAX && { fontFamily }),
    fontSize: round(fontSize),
    ...(fontWeight !== 400 && { fontWeight }),
    ...(/^(?:italic|oblique)/.test(style.get("font-style") ?? "") && { fontStyle: "italic" }),
  };
}

function paintProperties(
  { node, style }: TextPiece,
  scale: number,
  tools: TextTools,
  report: Report,
): Properties {
  const spacing = (length(style.get("letter-spacing"), 0, fontSizeOf(style)) ?? 0) * scale;
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
