import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { finishDelete, syncWorkflowPointer } from "./sync-workflow-pointer.ts";
import { requireWorkflow } from "./require-workflow.ts";

/**
 * Deletes a workflow and its versions; its runs stay readable. Throws `executions_in_progress` if
 * one of them has not ended, `not_found`, `forbidden`.
 */
export async function deleteWorkflow(ctx: CallerContext, id: string): Promise<void> {
  const { workspaceId } = ctx.principal;
  await requireWorkflow(ctx, id);
  await new WorkflowStore(ctx.env, workspaceId).requestDelete(id, ctx.nowMs());
  const outcome = await finishDelete(ctx, workspaceId, id);
  if (outcome.kind === "executions_in_progress") {
    await syncWorkflowPointer(ctx, workspaceId, id);
    const runs = outcome.live === 1 ? "1 execution" : `${outcome.live} executions`;
    throw new AppError(
      "executions_in_progress",
      `${runs} of ${id} ${outcome.live === 1 ? "has" : "have"} not ended. Wait for the end or cancel, then delete again.`,
    );
  }
}
