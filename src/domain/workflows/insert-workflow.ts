import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import { type NewWorkflow, WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { getBillingPlan } from "../billing-plans/workspace-billing-plans.ts";

/** Stores a new draft within the plan's number of workflows. Throws `plan_limit_exceeded`. */
export async function insertWorkflow(
  ctx: CallerContext,
  workflow: NewWorkflow,
  once?: OnceStatements,
): Promise<void> {
  const { workspaceId } = ctx.principal;
  const { code, limits } = await getBillingPlan(ctx, ctx.principal);
  const store = new WorkflowStore(ctx.env, workspaceId);
  if (!(await store.insert(workflow, limits.max_workflows, once))) {
    throw new AppError(
      "plan_limit_exceeded",
      `The plan ${code} allows ${limits.max_workflows} workflows, and the workspace has reached this limit. Delete one, or change the plan.`,
    );
  }
}
