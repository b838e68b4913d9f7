import type { Box, Matrix } from "../../display-list.ts";
import { multiply, turnAbout } from "./matrix.ts";

export type FitMode = "fit" | "fill" | "stretch";

/** Where a picture stands in its box, 0 to 1: 0 is left or top, 1 right or bottom. */
export interface Anchor {
  readonly x: number;
  readonly y: number;
}

const SIDES = { top: 0, left: 0, center: 0.5, right: 1, bottom: 1 } as const;

/** `center`, or vertical and horizontal side: `top_left`. */
export function readAlignment(alignment: string): Anchor {
  const [first = "center", second = first] = alignment.split("_");
  return { x: side(second), y: side(first) };
}

function side(name: string): number {
  return name in SIDES ? SIDES[name as keyof typeof SIDES] : 0.5;
}

/** Returns where all of a picture of this size lands, in the coordinates of the box. */
export function fitPicture(
  width: number,
  height: number,
  box: Box,
  mode: FitMode,
  anchor: Anchor,
): Box {
  if (mode === "stretch" || width <= 0 || height <= 0) {
    return box;
  }
  const byWidth = box.width / width;
  const byHeight = box.height / height;
  const scale = mode === "fit" ? Math.min(byWidth, byHeight) : Math.max(byWidth, byHeight);
  return place(width * scale, height * scale, box, anchor);
}

/** A picture of this size in the box, with its free or its cropped space divided by the anchor. */
function place(width: number, height: number, box: Box, anchor: Anchor): Box {
  return {
    x: box.x + (box.width - width) * anchor.x,
    y: box.y + (box.height - height) * anchor.y,
    width,
    height,
  };
}

export interface BackgroundFit {
  readonly fitMode: "cover" | "contain" | "stretch";
  readonly focalX: number;
  readonly focalY: number;
  readonly scale: number;
}

/** A page's background picture: fitted with its focal point as anchor, then scaled about the focal point. */
export function fitBackground(width: number, height: number, box: Box, fit: BackgroundFit): Box {
  const mode = { cover: "fill", contain: "fit", stretch: "stretch" } as const;
  const anchor = { x: fit.focalX, y: fit.focalY };
  return scaleAbout(fitPicture(width, height, box, mode[fit.fitMode], anchor), fit);
}

export interface FrameFit {
  readonly focalX: number;
  readonly focalY: number;
  readonly scale: number;
  readonly offsetX: number;
  readonly offsetY: number;
  readonly rotation: number;
}

/** The matrix of a fitted picture in its frame: scaled about the focal point, turned about the box's center, moved. */
export function placeInFrame(fitted: Box, box: Box, frame: FrameFit): Matrix {
  const { x, y, width, height } = scaleAbout(fitted, frame);
  const turn = turnAbout(
    box.x + box.width / 2,
    box.y + box.height / 2,
    frame.rotation,
    false,
    false,
  );
  const [a, b, c, d, e, f] = multiply(turn, [width, 0, 0, height, x, y]);
  return [a, b, c, d, e + frame.offsetX, f + frame.offsetY];
}

/** Scales a fitted picture about its point (focalX, focalY), which stays where it is. */
function scaleAbout(
  { x, y, width, height }: Box,
  { focalX, focalY, scale }: { focalX: number; focalY: number; scale: number },
): Box {
  return {
    x: x + width * focalX * (1 - scale),
    y: y + height * focalY * (1 - scale),
    width: width * scale,
    height: height * scale,
  };
}

const ALIGNS = /^x(Min|Mid|Max)Y(Min|Mid|Max)$/;
const SHARES = { Min: 0, Mid: 0.5, Max: 1 } as const;

/**
 * Where a drawing lands by its own `preserveAspectRatio`. A drawing without the attribute, with `none` or with a value
 * that SVG does not know is stretched to the box.
 */
export function fitArtwork(
  width: number,
  height: number,
  box: Box,
  preserveAspectRatio: string | null,
): Box {
  const [align = "none", meetOrSlice = "meet"] = (preserveAspectRatio ?? "none")
    .trim()
    .split(/\s+/);
  const match = ALIGNS.exec(align);
  if (match === null) {
    return box;
  }
  const anchor = {
    x: SHARES[match[1] as keyof typeof SHARES],
    y: SHARES[match[2] as keyof typeof SHARES],
  };
  return fitPicture(width, height, box, meetOrSlice === "slice" ? "fill" : "fit", anchor);
}

/** Whether a part of a placed unit square lies outside the box, by more than rounding. */
export function isOutside(matrix: Matrix, box: Box): boolean {
  const [a, b, c, d, e, f] = matrix;
  const xs = [e, e + a, e + c, e + a + c];
  const ys = [f, f + b, f + d, f + b + d];
  const slack = 1e-6;
  return (
    Math.min(...xs) < box.x - slack ||
    Math.max(...xs) > box.x + box.width + slack ||
    Math.min(...ys) < box.y - slack ||
    Math.max(...ys) > box.y + box.height + slack
  );
}
