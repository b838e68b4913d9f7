import type { GradientPaint } from "../../templates/display-list.ts";
import { factor } from "./pdf-syntax.ts";

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
export function shadingText(
  { shape, stops }: GradientPaint,
  value: StopValue,
  colorSpace: "/DeviceRGB" | "/DeviceGray",
): string {
  const [type, numbers] =
    shape.kind === "linear"
      ? [2, [shape.x1, shape.y1, shape.x2, shape.y2]]
      : [3, [...focus(shape), 0, shape.cx, shape.cy, shape.r]];
  const toText = (stop: Stops[number]): string =>
    value === "color"
      ? stop.rgb.map((one) => factor(one / 255)).join(" ")
      : Array.from({ length: colorSpace === "/DeviceRGB" ? 3 : 1 }, () =>
          factor(stop.opacity),
        ).join(" ");
  return (
    `<</ShadingType ${type}/ColorSpace${colorSpace}/Coords[${numbers.map(factor).join(" ")}]` +
    `/Extend[true true]/Function${functionText(stops, toText)}>>`
  );
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
  readonly text: string;
}

/** Linear pieces between the stops; a jump is two pieces that meet, with different colors. */
function functionText(stops: Stops, toText: (stop: Stops[number]) => string): string {
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
        text: `<</FunctionType 2/Domain[0 1]/N 1/C0[${toText(stop)}]/C1[${toText(next)}]>>`,
      });
    }
  }
  const [only] = segments;
  if (segments.length === 1 && only !== undefined) {
    return only.text;
  }
  const bounds = segments.slice(1).map(({ from }) => factor(from));
  return (
    `<</FunctionType 3/Domain[0 1]/Functions[${segments.map(({ text }) => text).join("")}]` +
    `/Bounds[${bounds.join(" ")}]/Encode[${segments.map(() => "0 1").join(" ")}]>>`
  );
}
