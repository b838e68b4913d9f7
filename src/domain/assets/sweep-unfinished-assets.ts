import type { AppContext } from "../../platform/context.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";
import { sweepUnfinished } from "../files/sweep-unfinished.ts";

/** Removes the remains of asset uploads that a crash interrupted, by `sweepUnfinished`. */
export function sweepUnfinishedAssets(ctx: AppContext): Promise<number> {
  return sweepUnfinished(ctx, {
    table: "assets",
    failure: "asset_sweep_failed",
    discard: (workspaceId, path) => new AssetStore(ctx.env, workspaceId).discard(path),
  });
}
