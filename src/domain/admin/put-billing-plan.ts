import type { BillingPlan } from "../../contracts/billing-plan.ts";
import type { AppContext } from "../../platform/context.ts";
import { upsertBillingPlan } from "../../storage/d1/billing-plan-store.ts";
import { forgetBillingPlans } from "../billing-plans/workspace-billing-plans.ts";

/** Creates a plan or replaces its limits. Workspaces on it follow within 30 s. */
export async function putBillingPlan(
  ctx: AppContext,
  billingPlan: BillingPlan,
): Promise<BillingPlan> {
  await upsertBillingPlan(ctx.env.DB, billingPlan, ctx.nowMs());
  forgetBillingPlans();
  return billingPlan;
}
