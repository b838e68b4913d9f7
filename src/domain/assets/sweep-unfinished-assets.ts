import { describeCause } from "../../lib/describe-cause.ts";
import type { AppContext } from "../../platform/context.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";
import { listUnfinishedAssets } from "../../storage/d1/list-unfinished-assets.ts";

/** Longer than any upload may take: its row is no longer anybody's. */
const GRACE_MS = 6 * 60 * 60 * 1000;
const BATCH_MAX = 500;

/**
 * Clears up after uploads that a crash cut off: their bytes, if any came so far, and what they hold
 * of the quota. Never throws; what fails is tried again next time. Answers how many there were.
 */
export async function sweepUnfinishedAssets(ctx: AppContext): Promise<number> {
  const { env } = ctx;
  const unfinished = await listUnfinishedAssets(env.DB, ctx.nowMs() - GRACE_MS, BATCH_MAX);
  for (const { workspace_id, path, key } of unfinished) {
    try {
      await env.FILES.delete(key);
      await new AssetStore(env, workspace_id).discard(path);
    } catch (error) {
      ctx.log.error("asset_sweep_failed", { reason: describeCause(error) });
    }
  }
  return unfinished.length;
}
