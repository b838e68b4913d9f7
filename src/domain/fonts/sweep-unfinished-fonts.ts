import { describeCause } from "../../lib/describe-cause.ts";
import type { AppContext } from "../../platform/context.ts";
import { FontObjectStore } from "../../storage/d1/font-object-store.ts";
import { listUnfinishedFonts } from "../../storage/d1/list-unfinished-fonts.ts";

/** Longer than any upload may take: its row is no longer anybody's. */
const GRACE_MS = 6 * 60 * 60 * 1000;
const BATCH_MAX = 500;

/**
 * Clears up after font uploads that a crash cut off: their bytes, if any came so far, and what they
 * hold of the quota. Never throws; what fails is tried again next time. Answers how many there were.
 */
export async function sweepUnfinishedFonts(ctx: AppContext): Promise<number> {
  const { env } = ctx;
  const unfinished = await listUnfinishedFonts(env.DB, ctx.nowMs() - GRACE_MS, BATCH_MAX);
  for (const { workspace_id, key } of unfinished) {
    try {
      await env.FILES.delete(key);
      await new FontObjectStore(env, workspace_id).discard([key]);
    } catch (error) {
      ctx.log.error("font_sweep_failed", { reason: describeCause(error) });
    }
  }
  return unfinished.length;
}
