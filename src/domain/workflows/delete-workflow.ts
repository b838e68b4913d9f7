import { AppError } from "../../lib/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { workspaceObject } from "../../storage/objects/workspace-object.ts";
import { requireWorkflow } from "./require-workflow.ts";
import { syncWorkflowPointer } from "./sync-workflow-pointer.ts";

/**
 * Removes a workflow and its versions; its runs stay readable. The workspace object decides first,
 * in one transaction with its own admissions, that nothing is running; a crash after that leaves a
 * workflow without pointer, which the next submit or read restores.
 * Throws `executions_in_progress`, `not_found`, `forbidden`.
 */
export async function deleteWorkflow(ctx: CallerContext, id: string): Promise<void> {
  const { workspaceId } = ctx.principal;
  await requireWorkflow(ctx, id);
  const outcome = await workspaceObject(ctx, workspaceId).removeWorkflow(id);
  if (outcome.kind === "executions_in_progress") {
    throw new AppError(
      "executions_in_progress",
      `${outcome.live} execution${outcome.live === 1 ? "" : "s"} of ${id} ${outcome.live === 1 ? "has" : "have"} not ended. Wait for them or cancel them, then delete again.`,
    );
  }
  const store = new WorkflowStore(ctx.env, workspaceId);
  await store.remove(id, ctx.nowMs());
  // A submit may have brought the pointer back in between.
  await syncWorkflowPointer(ctx, workspaceId, id);
  ctx.waitUntil(store.removeTexts(id));
}
