import type { AppContext } from "../../platform/context.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";
import { sweepUnfinished } from "../files/sweep-unfinished.ts";

/** Clears up after uploads of assets that a crash cut off, as `sweepUnfinished` says. */
export function sweepUnfinishedAssets(ctx: AppContext): Promise<number> {
  return sweepUnfinished(ctx, {
    table: "assets",
    failure: "asset_sweep_failed",
    discard: (workspaceId, path) => new AssetStore(ctx.env, workspaceId).discard(path),
  });
}
