import { AppError } from "../../lib/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { findPlan } from "../../storage/d1/plan-store.ts";
import {
  findWorkspace,
  setWorkspacePlan,
  type WorkspaceRow,
} from "../../storage/d1/workspace-row-store.ts";
import { forgetPlans } from "../plans/workspace-plans.ts";

/** Puts a workspace on a plan. Throws `not_found` for either. */
export async function putWorkspacePlan(
  ctx: AppContext,
  workspaceId: string,
  planCode: string,
): Promise<WorkspaceRow> {
  if ((await findPlan(ctx.env.DB, planCode)) === undefined) {
    throw new AppError(
      "not_found",
      `There is no plan ${planCode}. PUT /admin/v1/plans/${planCode} creates it.`,
    );
  }
  await setWorkspacePlan(ctx.env.DB, workspaceId, planCode);
  const workspace = await findWorkspace(ctx.env.DB, workspaceId);
  if (workspace === undefined) {
    throw new AppError("not_found", `There is no workspace ${workspaceId}.`);
  }
  forgetPlans();
  return workspace;
}
