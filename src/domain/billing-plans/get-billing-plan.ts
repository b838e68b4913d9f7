import type { BillingPlan } from "../../contracts/billing-plan.ts";
import type { AppContext } from "../../platform/context.ts";
import { workspaceBillingPlans } from "./workspace-billing-plans.ts";

/**
 * The plan a workspace is on, with its limits. At most 30 s old: a change by the operator reaches
 * every isolate within that. Throws `not_found` for an unknown workspace.
 */
export async function getBillingPlan(ctx: AppContext, workspaceId: string): Promise<BillingPlan> {
  return (await workspaceBillingPlans(ctx, workspaceId)).plan;
}
