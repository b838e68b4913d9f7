import type { AppContext } from "../../platform/context.ts";
import { FontObjectStore } from "../../storage/d1/font-object-store.ts";
import { sweepUnfinished } from "../files/sweep-unfinished.ts";

/** Removes the remains of font uploads that a crash interrupted, by `sweepUnfinished`. */
export function sweepUnfinishedFonts(ctx: AppContext): Promise<number> {
  return sweepUnfinished(ctx, {
    table: "font_objects",
    failure: "font_sweep_failed",
    discard: (workspaceId, key) => new FontObjectStore(ctx.env, workspaceId).discard([key]),
  });
}
