import type { Box, Path, Stroke } from "../../templates/display-list.ts";
import { factor, num } from "./pdf-syntax.ts";

/** The operators that construct a path; "" if it has no segment. */
export function pathText({ segments }: Path): string {
  const rectangle = rectangleOf(segments);
  if (rectangle !== undefined) {
    return rectangle;
  }
  const parts: string[] = [];
  for (const segment of segments) {
    switch (segment[0]) {
      case "M":
        parts.push(`${num(segment[1])} ${num(segment[2])} m`);
        break;
      case "L":
        parts.push(`${num(segment[1])} ${num(segment[2])} l`);
        break;
      case "C":
        parts.push(
          `${num(segment[1])} ${num(segment[2])} ${num(segment[3])} ${num(segment[4])} ${num(segment[5])} ${num(segment[6])} c`,
        );
        break;
      case "Z":
        parts.push("h");
        break;
    }
  }
  return parts.join("\n");
}

export function boxText({ x, y, width, height }: Box): string {
  return `${num(x)} ${num(y)} ${num(width)} ${num(height)} re`;
}

/** `re` for a closed path of four corners with sides along the axes, which starts with a horizontal side. */
function rectangleOf(segments: Path["segments"]): string | undefined {
  if (segments.length !== 5 || segments[4]?.[0] !== "Z" || segments[0]?.[0] !== "M") {
    return undefined;
  }
  const [, x0, y0] = segments[0];
  const corners: [number, number][] = [];
  for (const segment of segments.slice(1, 4)) {
    if (segment[0] !== "L") {
      return undefined;
    }
    corners.push([segment[1], segment[2]]);
  }
  const [[x1, y1] = [NaN, NaN], [x2, y2] = [NaN, NaN], [x3, y3] = [NaN, NaN]] = corners;
  return y1 === y0 && x2 === x1 && y3 === y2 && x3 === x0
    ? boxText({ x: x0, y: y0, width: x1 - x0, height: y2 - y0 })
    : undefined;
}

const CAPS = { butt: 0, round: 1, square: 2 } as const;
const JOINS = { miter: 0, round: 1, bevel: 2 } as const;

/** What a stroke sets in the graphics state, each with its operator, by what it replaces. */
export function strokeSettings(stroke: Stroke): readonly (readonly [string, string])[] {
  // A pattern without a length is a solid line; PDF does not allow it.
  const isDashed = stroke.dashes.some((length) => length >= 0.0005);
  return [
    ["width", `${factor(stroke.width)} w`],
    ["cap", `${CAPS[stroke.cap]} J`],
    ["join", `${JOINS[stroke.join]} j`],
    ...(stroke.join === "miter"
      ? [["miter", `${num(Math.max(1, stroke.miterLimit))} M`] as const]
      : []),
    [
      "dashes",
      isDashed
        ? `[${inPairs(stroke.dashes).map(num).join(" ")}] ${num(stroke.dashOffset ?? 0)} d`
        : "[] 0 d",
    ],
  ];
}

/**
 * The same pattern as dashes with their gaps. An odd count alternates between dashes and gaps as it repeats; PDFium draws
 * it with two equal gaps instead.
 */
function inPairs(dashes: readonly number[]): readonly number[] {
  return dashes.length % 2 === 0 ? dashes : [...dashes, ...dashes];
}

/** The graphics state at the start of a content stream, as `strokeSettings` writes it. */
export const INITIAL_STROKE: readonly (readonly [string, string])[] = [
  ["width", "1 w"],
  ["cap", "0 J"],
  ["join", "0 j"],
  ["miter", "10 M"],
  ["dashes", "[] 0 d"],
];
