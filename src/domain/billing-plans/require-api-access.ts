import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext, Principal } from "../../platform/context.ts";
import { getBillingPlan } from "./workspace-billing-plans.ts";

/**
 * Throws `plan_limit_exceeded` if the workspace's plan does not include the API
 * (docs/contract/access.md#plans).
 */
export async function requireApiAccess(ctx: AppContext, principal: Principal): Promise<void> {
  const { code, limits } = await getBillingPlan(ctx, principal);
  if (!limits.api_access) {
    throw new AppError(
      "plan_limit_exceeded",
      `The plan ${code} does not include access to the API. Change the plan. GET /api/v1/plan returns the limits of this one.`,
    );
  }
}
