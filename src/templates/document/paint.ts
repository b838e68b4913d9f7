import * as z from "zod";
import { color, colorOrNone, share, size, transform } from "./scalars.ts";

const GradientStop = z.strictObject({
  offset: share,
  color,
  opacity: share.default(1),
});

const gradient = {
  units: z.literal("object_bounding_box").default("object_bounding_box"),
  spreadMethod: z.literal("pad").default("pad"),
  gradientTransform: transform.optional(),
  /** From the start to the end; offsets do not fall. */
  stops: z.array(GradientStop).min(2).max(32),
};
/** A share of the box: 0 is its left or top edge, 1 its right or bottom one; may lie outside. */
const position = z.number().min(-14_400).max(14_400);

/** Coordinates default as in SVG; the focal point of a radial gradient is its center where it is left out. */
export const Gradient = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("linear_gradient"),
      ...gradient,
      x1: position.default(0),
      y1: position.default(0),
      x2: position.default(1),
      y2: position.default(0),
    }),
    z.strictObject({
      type: z.literal("radial_gradient"),
      ...gradient,
      cx: position.default(0.5),
      cy: position.default(0.5),
      r: size.default(0.5),
      fx: position.optional(),
      fy: position.optional(),
    }),
  ])
  .meta({ id: "Gradient" });
export type Gradient = z.output<typeof Gradient>;

export const fillRule = z.enum(["non_zero", "even_odd"]).default("non_zero");

const strokes = {
  strokeOpacity: share.default(1),
  strokeWidth: size.default(1),
  /** Lengths of dashes and gaps. */
  strokeDashArray: z.array(size).max(16).default([]),
  strokeLineCap: z.enum(["butt", "round", "square"]).default("butt"),
  strokeLineJoin: z.enum(["miter", "round", "bevel"]).default("miter"),
  paintOrder: z.enum(["fill_then_stroke", "stroke_then_fill"]).default("fill_then_stroke"),
  nonScalingStroke: z.boolean().default(false),
  fillOpacity: share.default(1),
  fillRule,
  fillPaint: Gradient.optional(),
  strokePaint: Gradient.optional(),
};

/** The paint of closed shapes. */
export const shapePaint = {
  fill: colorOrNone.default("#000000"),
  stroke: colorOrNone.default(null),
  ...strokes,
};

/** A line has no inside. */
export const linePaint = {
  fill: colorOrNone.default(null),
  stroke: colorOrNone.default("#000000"),
  ...strokes,
};

/** What a style of kind `paint` may state: nothing is filled in, as the element's own defaults differ. */
export const PaintStyle = z.strictObject(withoutDefaults(shapePaint)).meta({ id: "PaintStyle" });
export type PaintStyle = z.output<typeof PaintStyle>;

type WithoutDefaults<S extends z.ZodRawShape> = {
  [K in keyof S]: S[K] extends z.ZodDefault<infer T>
    ? z.ZodOptional<T>
    : S[K] extends z.ZodOptional
      ? S[K]
      : never;
};

/** The same properties, all optional and without defaults. */
export function withoutDefaults<S extends z.ZodRawShape>(shape: S): WithoutDefaults<S> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [
      name,
      schema instanceof z.ZodDefault
        ? z.optional(schema.unwrap())
        : schema instanceof z.ZodOptional
          ? schema
          : z.optional(schema),
    ]),
  ) as WithoutDefaults<S>;
}
