import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { WorkflowRow } from "../../storage/d1/workflow-row.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";

/**
 * The workflow, if it belongs to the caller's workspace. Throws `not_found` if it does not exist
 * and `forbidden` if it belongs to another workspace (docs/contract/access.md#tokens).
 */
export async function requireWorkflow(ctx: CallerContext, id: string): Promise<WorkflowRow> {
  const found = await new WorkflowStore(ctx.env, ctx.principal.workspaceId).find(id);
  if (found === "elsewhere") {
    throw new AppError(
      "forbidden",
      `The workflow ${id} belongs to another workspace. Use a key of that workspace.`,
    );
  }
  if (found === undefined) {
    throw new AppError(
      "not_found",
      `There is no workflow ${id}. It may have been deleted; GET /api/v1/workflows?status=all lists all workflows.`,
    );
  }
  return found;
}
