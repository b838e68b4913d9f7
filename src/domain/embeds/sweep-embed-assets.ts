import { describeCause } from "../../lib/errors/describe-cause.ts";
import type { AppContext } from "../../platform/context.ts";
import { thumbnailKey } from "../../platform/file-url.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";
import { EmbedAssetStore, listExpiredEmbedAssets } from "../../storage/d1/embed-asset-store.ts";

const BATCH_MAX = 100;

/**
 * Deletes files that visitors of embeds uploaded, at the end of the plan's `output_retention_days`. Never throws; a
 * failure is logged and tried again next time. Returns the number of files found.
 */
export async function sweepEmbedAssets(ctx: AppContext): Promise<number> {
  const expired = await listExpiredEmbedAssets(ctx, ctx.nowMs(), BATCH_MAX);
  for (const { workspace_id: workspaceId, path } of expired) {
    try {
      const assets = new AssetStore(ctx.env, workspaceId);
      const asset = await assets.find(path);
      if (asset !== undefined && asset !== "elsewhere") {
        // The bytes first: if that fails, the asset is found again.
        await ctx.env.FILES.delete([asset.key, thumbnailKey(asset.key)]);
        await assets.markDeleted(path);
      }
      await new EmbedAssetStore(ctx.env, workspaceId).forget(path);
    } catch (error) {
      ctx.log.error("embed_asset_sweep_failed", { reason: describeCause(error) });
    }
  }
  return expired.length;
}
