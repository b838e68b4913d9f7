import type { CacheStatistics } from "../../contracts/runs/cache-statistics.ts";
import type { CallerContext } from "../../platform/context.ts";
import { getBillingPlan } from "../billing-plans/workspace-billing-plans.ts";

/** Returns the figures of the workspace's result cache (docs/contract/cache.md). */
export async function readCache(ctx: CallerContext): Promise<CacheStatistics> {
  const [figures, { limits }] = await Promise.all([
    ctx.env.RESULT_CACHE.figures({ v: 1, workspace_id: ctx.principal.workspaceId }),
    getBillingPlan(ctx, ctx.principal),
  ]);
  const { saved_milli_credits: saved, stored_bytes: _stored, ...counts } = figures;
  return { ...counts, max_bytes: limits.max_cache_bytes, credits_saved: saved / 1000 };
}
