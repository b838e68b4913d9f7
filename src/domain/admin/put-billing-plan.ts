import type { BillingPlan } from "../../contracts/workspaces/billing-plan.ts";
import type { AppContext } from "../../platform/context.ts";
import { findBillingPlan, upsertBillingPlan } from "../../storage/d1/billing-plan-store.ts";
import {
  organizationAccessObject,
  planAccessObject,
} from "../../storage/objects/organization-access-object.ts";
import { forgetBillingPlans } from "../billing-plans/workspace-billing-plans.ts";
import { changeAccess, forgetCallers } from "../access/access-facts.ts";
import { PLANS } from "../access/kept-facts.ts";
import { requireWorkspace } from "./require-tenant.ts";
import { AppError } from "../../lib/errors/errors.ts";
import {
  setWorkspaceBillingPlan,
  type WorkspaceRow,
} from "../../storage/d1/workspace-row-store.ts";

/** Creates a plan or replaces its limits. Workspaces on it follow within 30 s. */
export async function putBillingPlan(
  ctx: AppContext,
  billingPlan: BillingPlan,
): Promise<BillingPlan> {
  const { code } = billingPlan;
  await changeAccess(ctx, planAccessObject(ctx.env, code), code, () =>
    upsertBillingPlan(ctx.env, billingPlan, ctx.nowMs()),
  );
  forgetBillingPlans();
  return billingPlan;
}

/** Puts a workspace on a plan. Throws `not_found` if either is unknown. */
export async function putWorkspaceBillingPlan(
  ctx: AppContext,
  workspaceId: string,
  billingPlanCode: string,
): Promise<WorkspaceRow> {
  const billingPlan = await findBillingPlan(ctx.env, billingPlanCode);
  if (billingPlan === undefined) {
    throw new AppError(
      "not_found",
      `There is no plan ${billingPlanCode}. PUT /admin/v1/plans/${billingPlanCode} creates it.`,
    );
  }
  const workspace = await requireWorkspace(ctx, workspaceId);
  await changeAccess(ctx, organizationAccessObject(ctx.env, workspace.organization_id), PLANS, () =>
    setWorkspaceBillingPlan(ctx.env, workspaceId, billingPlan),
  );
  forgetCallers();
  return { ...workspace, plan_code: billingPlanCode };
}
