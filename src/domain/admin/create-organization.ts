import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import { insertOrganization, type OrganizationRow } from "../../storage/d1/organization-store.ts";
import { chooseShard } from "./shards.ts";
import { findBillingPlan } from "../../storage/d1/billing-plan-store.ts";

/**
 * Creates an organization; its workspaces begin on `plan`. Throws `validation_error` for an unknown
 * plan, and the errors of `chooseShard`.
 */
export async function createOrganization(
  ctx: AppContext,
  request: { readonly name: string; readonly plan: string; readonly shard?: number | undefined },
  once?: OnceStatements,
): Promise<OrganizationRow> {
  const plan = await findBillingPlan(ctx.env, request.plan);
  if (plan === undefined) {
    const message = `There is no plan "${request.plan}". Create it with PUT /admin/v1/plans/${request.plan}.`;
    throw new AppError("validation_error", `plan: ${message}`, {
      errors: [{ field: "plan", message }],
    });
  }
  const nowMs = ctx.nowMs();
  const row = {
    id: newId("organization", nowMs),
    name: request.name,
    plan_code: request.plan,
    created_at_ms: nowMs,
    shard: await chooseShard(ctx, request.shard),
  };
  await insertOrganization(ctx.env, row, plan, once);
  return row;
}
