import type { GradientPaint } from "../../templates/display-list.ts";
import type { PDFArray, PDFDict } from "pdf-lib";
import { arrayOf, dictOf, factorOf, factorsOf } from "./pdf-objects.ts";

type Stops = GradientPaint["stops"];

/** What of a stop is painted: its color, or its opacity as the value of a mask. */
export type StopValue = "color" | "opacity";

/** The paint of a gradient that has no extent: the last stop's color (SVG 2 §14.2.4). */
export function solidEnd(gradient: GradientPaint): Stops[number] | undefined {
  const { shape, transform } = gradient;
  const [a, b, c, d] = transform;
  const isPoint =
    shape.kind === "linear" ? shape.x1 === shape.x2 && shape.y1 === shape.y2 : shape.r <= 0;
  const isFlat = Math.abs(a * d - b * c) < 1e-12;
  return isPoint || isFlat || gradient.stops.length === 1 ? gradient.stops.at(-1) : undefined;
}

/** One opacity for all stops; undefined if they differ. */
export function evenOpacity({ stops }: GradientPaint): number | undefined {
  const first = stops[0]?.opacity ?? 1;
  return stops.every(({ opacity }) => opacity === first) ? first : undefined;
}

/** The shading dictionary (ISO 32000-1 §8.7.4.5), in the gradient's own coordinates. */
export function shadingOf(
  { shape, stops }: GradientPaint,
  value: StopValue,
  colorSpace: "DeviceRGB" | "DeviceGray",
): PDFDict {
  const [type, numbers] =
    shape.kind === "linear"
      ? [2, [shape.x1, shape.y1, shape.x2, shape.y2]]
      : [3, [...focus(shape), 0, shape.cx, shape.cy, shape.r]];
  const colorOf = (stop: Stops[number]): PDFArray =>
    factorsOf(
      value === "color"
        ? stop.rgb.map((one) => one / 255)
        : Array.from({ length: colorSpace === "DeviceRGB" ? 3 : 1 }, () => stop.opacity),
    );
  return dictOf({
    ShadingType: type,
    ColorSpace: colorSpace,
    Coords: factorsOf(numbers),
    Extend: arrayOf([true, true]),
    Function: functionOf(stops, colorOf),
  });
}

/** A focus outside of the circle is moved to its edge, slightly inside (SVG 1.1 §13.2.3): outside, PDF draws a cone. */
function focus(shape: Extract<GradientPaint["shape"], { kind: "radial" }>): [number, number] {
  const [dx, dy] = [shape.fx - shape.cx, shape.fy - shape.cy];
  const distance = Math.hypot(dx, dy);
  const most = shape.r * 0.999;
  if (distance <= most) {
    return [shape.fx, shape.fy];
  }
  return [shape.cx + (dx * most) / distance, shape.cy + (dy * most) / distance];
}

interface Segment {
  readonly from: number;
  readonly to: number;
  readonly function: PDFDict;
}

/** Linear pieces between the stops; a jump is two pieces that meet, with different colors. */
function functionOf(stops: Stops, colorOf: (stop: Stops[number]) => PDFArray): PDFDict {
  const [first, last] = [stops[0], stops.at(-1)];
  if (first === undefined || last === undefined) {
    throw new Error("A gradient has no stops.");
  }
  const padded = [{ ...first, offset: 0 }, ...stops, { ...last, offset: 1 }];
  const segments: Segment[] = [];
  for (const [i, stop] of padded.entries()) {
    const next = padded[i + 1];
    if (next !== undefined && next.offset - stop.offset > 1e-6) {
      segments.push({
        from: stop.offset,
        to: next.offset,
        function: dictOf({
          FunctionType: 2,
          Domain: arrayOf([0, 1]),
          N: 1,
          C0: colorOf(stop),
          C1: colorOf(next),
        }),
      });
    }
  }
  const [only] = segments;
  if (segments.length === 1 && only !== undefined) {
    return only.function;
  }
  return dictOf({
    FunctionType: 3,
    Domain: arrayOf([0, 1]),
    Functions: arrayOf(segments.map((segment) => segment.function)),
    Bounds: arrayOf(segments.slice(1).map(({ from }) => factorOf(from))),
    Encode: arrayOf(segments.flatMap(() => [0, 1])),
  });
}
