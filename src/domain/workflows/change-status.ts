import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { WorkflowRow } from "../../storage/d1/workflow-row.ts";
import { requireWorkflow } from "./require-workflow.ts";
import { syncWorkflowPointer } from "./sync-workflow-pointer.ts";

const ATTEMPTS_MAX = 20;

/**
 * Tries a conditional change of a workflow until its state is the one that the change was decided
 * on, then reports it to the workspace object. `change` returns false if the state has changed.
 * Returns the new row.
 */
export async function changeStatus(
  ctx: CallerContext,
  id: string,
  change: (row: WorkflowRow) => Promise<boolean>,
): Promise<WorkflowRow> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    if (await change(await requireWorkflow(ctx, id))) {
      await syncWorkflowPointer(ctx, ctx.principal.workspaceId, id);
      return await requireWorkflow(ctx, id);
    }
  }
  throw new AppError("service_unavailable", `The workflow ${id} is being changed. Try again.`);
}
