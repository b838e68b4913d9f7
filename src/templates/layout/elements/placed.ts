import type { Canvas } from "../drawing/canvas.ts";
import type { Context } from "../context.ts";
import type { Laid } from "../drawing/laid.ts";
import type { PreparedElement } from "../prepare/prepared.ts";

/** A part at its place in what holds it. */
export interface Placed {
  readonly laid: Laid;
  readonly x: number;
  readonly y: number;
}

/** Elements at their own places. */
export interface PlacedElements {
  readonly placed: readonly Placed[];
  /** Lowest edge of the elements that are higher than authored; 0 without one. */
  readonly grownBottom: number;
}

/** Lays out elements in a box whose growth may fill `room`. */
export function placeElements(
  elements: readonly PreparedElement[],
  context: Context,
  room: number,
): PlacedElements {
  const placed: Placed[] = [];
  let grownBottom = 0;
  for (const element of elements) {
    const laid = context.layOut(element, context, room - element.top);
    if (laid !== null) {
      placed.push({ laid, x: element.left, y: element.top });
      if (laid.isGrown) {
        grownBottom = Math.max(grownBottom, element.top + laid.height);
      }
    }
  }
  return { placed, grownBottom };
}

export function paintPlaced(placed: readonly Placed[], canvas: Canvas, x: number, y: number): void {
  for (const part of placed) {
    part.laid.paint(canvas, x + part.x, y + part.y);
  }
}
