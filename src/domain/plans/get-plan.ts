import type { Plan } from "../../contracts/plan.ts";
import { AppError } from "../../lib/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { findPlanOfWorkspace } from "../../storage/d1/plan-store.ts";
import { forgetRequestFigures } from "../rate-limit/request-figures.ts";

const PLAN_TTL_MS = 30_000;
const PLANS_MAX = 2_000;

const cache = new Map<string, { readonly plan: Plan; readonly untilMs: number }>();

/**
 * The plan a workspace is on, with its limits. At most 30 s old: a change by the operator reaches
 * every isolate within that. Throws `not_found` for an unknown workspace.
 */
export async function getPlan(ctx: AppContext, workspaceId: string): Promise<Plan> {
  const known = cache.get(workspaceId);
  if (known !== undefined && known.untilMs > ctx.nowMs()) {
    return known.plan;
  }
  const plan = await findPlanOfWorkspace(ctx.env.DB, workspaceId);
  if (plan === undefined) {
    throw new AppError("not_found", `There is no workspace ${workspaceId}.`);
  }
  if (cache.size >= PLANS_MAX) {
    cache.clear();
  }
  cache.set(workspaceId, { plan, untilMs: ctx.nowMs() + PLAN_TTL_MS });
  return plan;
}

/** Drops what this isolate remembers, after the operator changed something. */
export function forgetPlans(): void {
  cache.clear();
  forgetRequestFigures();
}
