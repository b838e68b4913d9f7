import { describeCause } from "../../lib/errors/describe-cause.ts";
import type { AppContext } from "../../platform/context.ts";
import { previewKey } from "../../platform/preview-key.ts";
import { listExpiredPreviews, PreviewStore } from "../../storage/d1/preview-store.ts";

const BATCH_MAX = 200;

/**
 * Deletes the page images of previews that have expired. Never throws; a failure is logged and tried again next time.
 * Returns the number of previews found.
 */
export async function sweepPreviews(ctx: AppContext): Promise<number> {
  const { env } = ctx;
  const expired = await listExpiredPreviews(ctx, ctx.nowMs(), BATCH_MAX);
  for (const { folder, workspace_id: workspaceId, page_count: count } of expired) {
    try {
      const keys = Array.from({ length: count }, (_page, index) => previewKey(folder, index + 1));
      await env.FILES.delete(keys);
      await new PreviewStore(env, workspaceId).forget(folder);
    } catch (error) {
      ctx.log.error("preview_sweep_failed", { reason: describeCause(error) });
    }
  }
  return expired.length;
}
