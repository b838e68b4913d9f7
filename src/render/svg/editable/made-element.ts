import type { Bounds } from "../../pdf/pdf-syntax.ts";
import { round } from "./matrix-parts.ts";

export type Properties = { [name: string]: unknown };

/** An element of a document, placed in the box of the drawing, and what it covers there. */
export interface MadeElement {
  readonly element: Properties & { left: number; top: number };
  readonly bounds: Bounds;
}

export function unionOf(all: readonly Bounds[]): Bounds {
  return all.reduce(
    (a, b) => [
      Math.min(a[0], b[0]),
      Math.min(a[1], b[1]),
      Math.max(a[2], b[2]),
      Math.max(a[3], b[3]),
    ],
    [Infinity, Infinity, -Infinity, -Infinity],
  );
}

/** A group around elements, which are then placed in its box. */
export function groupOf(made: readonly MadeElement[], properties: Properties): MadeElement {
  const bounds = unionOf(made.map((one) => one.bounds));
  const [left, top] = [round(bounds[0]), round(bounds[1])];
  return {
    bounds,
    element: {
      $type: "group",
      ...properties,
      left,
      top,
      width: round(bounds[2] - bounds[0]),
      height: round(bounds[3] - bounds[1]),
      children: made.map(({ element }) => ({
        ...element,
        left: round(element.left - left),
        top: round(element.top - top),
      })),
    },
  };
}
