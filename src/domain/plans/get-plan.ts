import type { Plan } from "../../contracts/plan.ts";
import type { AppContext } from "../../platform/context.ts";
import { workspacePlans } from "./workspace-plans.ts";

/**
 * The plan a workspace is on, with its limits. At most 30 s old: a change by the operator reaches
 * every isolate within that. Throws `not_found` for an unknown workspace.
 */
export async function getPlan(ctx: AppContext, workspaceId: string): Promise<Plan> {
  return (await workspacePlans(ctx, workspaceId)).plan;
}
