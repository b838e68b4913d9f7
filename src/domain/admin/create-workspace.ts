import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import { findBillingPlan } from "../../storage/d1/billing-plan-store.ts";
import { insertWorkspace, type WorkspaceRow } from "../../storage/d1/workspace-row-store.ts";
import { organizationAccessObject } from "../../storage/objects/organization-access-object.ts";
import { changeAccess } from "../access/access-facts.ts";
import { PLANS } from "../access/kept-facts.ts";
import { requireOrganization } from "./require-tenant.ts";

/** Creates a workspace on its organization's plan. Throws `not_found`, `plan_limit_exceeded`. */
export async function createWorkspace(
  ctx: AppContext,
  request: { readonly organizationId: string; readonly name: string },
  once?: OnceStatements,
): Promise<WorkspaceRow> {
  const organization = await requireOrganization(ctx, request.organizationId);
  const nowMs = ctx.nowMs();
  const row = {
    id: newId("workspace", nowMs),
    organization_id: organization.id,
    name: request.name,
    plan_code: organization.plan_code,
    created_at_ms: nowMs,
  };
  const limits = (await findBillingPlan(ctx.env, organization.plan_code))?.limits;
  const isInserted = await changeAccess(
    ctx,
    organizationAccessObject(ctx.env, organization.id),
    PLANS,
    () => insertWorkspace(ctx.env, row, limits?.max_workspaces ?? null, once),
  );
  if (!isInserted) {
    throw new AppError(
      "plan_limit_exceeded",
      `The plan ${organization.plan_code} allows ${String(limits?.max_workspaces)} workspaces, and the organization has reached this limit.`,
    );
  }
  return row;
}
