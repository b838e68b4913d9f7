import type { BillingPlanView } from "../../contracts/workspaces/billing-plan.ts";
import type { CallerContext } from "../../platform/context.ts";
import { countLiveApiKeys } from "../../storage/d1/api-key-store.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { workspaceObject } from "../../storage/objects/workspace-object.ts";
import { currentUsage, storedBytes } from "../storage/current-usage.ts";
import { getBillingPlan } from "./workspace-billing-plans.ts";

/** The workspace's plan with its limits and their current use (docs/contract/access.md#plans). */
export async function describeBillingPlan(ctx: CallerContext): Promise<BillingPlanView> {
  const { workspaceId } = ctx.principal;
  const billingPlan = await getBillingPlan(ctx, ctx.principal);
  const workspace = workspaceObject(ctx, workspaceId);
  const [workflows, keys, storage, live, balance] = await Promise.all([
    new WorkflowStore(ctx.env, workspaceId).count(),
    countLiveApiKeys(ctx.env, workspaceId, ctx.nowMs()),
    currentUsage(ctx),
    workspace.countLiveRuns(null),
    workspace.balance(billingPlan.limits.max_credits_per_month * 1000),
  ]);
  return {
    plan_code: billingPlan.code,
    plan_name: billingPlan.name,
    limits: billingPlan.limits,
    usage: {
      current_workflows: workflows,
      current_users: keys,
      current_storage_bytes: storedBytes(storage),
      current_executions: live,
      credits_used_this_month: balance.spent_this_month_milli_credits / 1000,
      credits_reserved: balance.reserved_milli_credits / 1000,
      credits_available: balance.balance_milli_credits / 1000,
    },
  };
}
