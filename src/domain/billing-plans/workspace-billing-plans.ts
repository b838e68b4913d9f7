import { AppError } from "../../lib/errors.ts";
import { RefreshingCache } from "../../lib/refreshing-cache.ts";
import type { AppContext } from "../../platform/context.ts";
import {
  findWorkspaceBillingPlans,
  type WorkspaceBillingPlans,
} from "../../storage/d1/billing-plan-store.ts";
import { CACHE_LIMITS } from "../cache-limits.ts";
import type { BillingPlan } from "../../contracts/billing-plan.ts";

const cache = new RefreshingCache<WorkspaceBillingPlans>(CACHE_LIMITS.plans);

/**
 * What plans allow a workspace, at most 30 s old. Without I/O while it is known; one read of D1
 * serves the counting of requests and whatever else asks for the plan. Throws `not_found` for an
 * unknown workspace.
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

/** Drops what this isolate remembers, after the operator changed something. */
export function forgetBillingPlans(): void {
  cache.clear();
}

/**
 * The plan a workspace is on, with its limits. At most 30 s old: a change by the operator reaches
 * every isolate within that. Throws `not_found` for an unknown workspace.
 */
export async function getBillingPlan(ctx: AppContext, workspaceId: string): Promise<BillingPlan> {
  return (await workspaceBillingPlans(ctx, workspaceId)).plan;
}
