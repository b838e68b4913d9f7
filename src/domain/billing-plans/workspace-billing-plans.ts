import { AppError } from "../../lib/errors/errors.ts";
import { RefreshingCache } from "../../lib/memory/refreshing-cache.ts";
import type { AppContext } from "../../platform/context.ts";
import {
  findWorkspaceBillingPlans,
  type WorkspaceBillingPlans,
} from "../../storage/d1/billing-plan-store.ts";
import { CACHE_LIMITS } from "../cache-limits.ts";
import type { BillingPlan } from "../../contracts/workspaces/billing-plan.ts";

const cache = new RefreshingCache<WorkspaceBillingPlans>(CACHE_LIMITS.plans);

/**
 * The plan limits of a workspace, at most 30 s old. No I/O while they are cached; one read of D1
 * serves the rate limit and every other use of the plan. Throws `not_found` for an unknown
 * workspace.
 */
export async function workspaceBillingPlans(
  ctx: AppContext,
  workspaceId: string,
): Promise<WorkspaceBillingPlans> {
  const plans = await cache.get(workspaceId, {
    nowMs: () => ctx.nowMs(),
    waitUntil: (read) => ctx.waitUntil(read),
    read: () => findWorkspaceBillingPlans(ctx.env.DB, workspaceId),
  });
  if (plans === undefined) {
    throw new AppError("not_found", `There is no workspace ${workspaceId}.`);
  }
  return plans;
}

/** Clears this isolate's cache after a change by the operator. */
export function forgetBillingPlans(): void {
  cache.clear();
}

/**
 * The plan of a workspace with its limits. At most 30 s old: a change by the operator reaches every
 * isolate in that time. Throws `not_found` for an unknown workspace.
 */
export async function getBillingPlan(ctx: AppContext, workspaceId: string): Promise<BillingPlan> {
  return (await workspaceBillingPlans(ctx, workspaceId)).plan;
}
