import type { WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import type { CallerContext } from "../../platform/context.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { changeStatus } from "./change-status.ts";
import { describeWorkflow } from "./describe-workflow.ts";

/**
 * Takes a workflow out of use permanently: it can be read and cloned, but not run. Repeats have no
 * effect.
 */
export async function archiveWorkflow(ctx: CallerContext, id: string): Promise<WorkflowDetail> {
  const store = new WorkflowStore(ctx.env, ctx.principal.workspaceId);
  const row = await changeStatus(
    ctx,
    id,
    async (found) =>
      found.status === "archived" || (await store.setStatus(id, found, "archived", ctx.nowMs())),
  );
  return await describeWorkflow(ctx, row);
}
