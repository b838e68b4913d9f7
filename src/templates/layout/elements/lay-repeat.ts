import type { Context } from "../context.ts";
import type { Laid } from "../drawing/laid.ts";
import type { PreparedRepeat } from "../prepare/prepared.ts";
import { RowFlow } from "./row-flow.ts";

/** A list in one box. `continue` goes on only at the top level of a page, where the page lays it out. */
export function layRepeat(region: PreparedRepeat, context: Context, room: number): Laid {
  const isGrowing = region.overflowMode === "grow";
  const boxed = isGrowing ? region : ({ ...region, overflowMode: "clip" } as const);
  const flow = new RowFlow(boxed, context, false);
  const filled = flow.fill(context, isGrowing ? Math.max(room, 0) : region.height);
  const height = isGrowing ? filled.height : region.height;
  return {
    width: region.width,
    height,
    isGrown: height > region.height,
    paint(canvas, x, y) {
      filled.paint(canvas, x, y);
      flow.report(context);
    },
  };
}
