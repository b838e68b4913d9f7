import type { Context } from "../context.ts";
import type { Laid } from "../drawing/laid.ts";
import { bounded } from "../drawing/matrix.ts";
import { paintPlaced, placeElements } from "./placed.ts";
import type { PreparedGroup } from "../prepare/prepared.ts";

/** A group, or a component scaled to the box of its instance. It grows with what grows in it. */
export function layGroup(element: PreparedGroup, context: Context, room: number): Laid {
  const { width, inner } = element;
  const scaleX = scaleOf(width, inner?.width);
  const scaleY = scaleOf(element.height, inner?.height);
  // Nothing can grow in a box that is flattened to a line.
  const innerRoom = scaleY > 0 ? room / scaleY : 0;
  const { placed, grownBottom } = placeElements(element.children, context, innerRoom);
  const height = Math.max(element.height, grownBottom * scaleY);
  return {
    width,
    height,
    isGrown: height > element.height,
    paint(canvas, x, y) {
      if (scaleX === 1 && scaleY === 1) {
        paintPlaced(placed, canvas, x, y);
        return;
      }
      const style = {
        transform: [scaleX, 0, 0, scaleY, x, y] as const,
        opacity: 1,
        clip: null,
        mask: null,
      };
      canvas.group(style, (inside) => paintPlaced(placed, inside, 0, 0));
    },
  };
}

function scaleOf(size: number, inner: number | undefined): number {
  return inner === undefined || inner === 0 ? 1 : bounded(size / inner);
}
