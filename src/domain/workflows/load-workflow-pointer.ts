import type { WorkflowPointer } from "../../contracts/admission.ts";
import type { CallerContext } from "../../platform/context.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";

/**
 * The pointer as D1 has it, for when the workspace object has none or a stale one; null when the
 * workflow does not exist, `elsewhere` when it is another workspace's.
 */
export async function loadWorkflowPointer(
  ctx: Pick<CallerContext, "env" | "principal">,
  workflowId: string,
): Promise<WorkflowPointer | "elsewhere" | null> {
  const row = await new WorkflowStore(ctx.env, ctx.principal.workspaceId).find(workflowId);
  if (row === undefined || row === "elsewhere") {
    return row ?? null;
  }
  return {
    workflow_id: row.id,
    name: row.name,
    status: row.status,
    version: row.version,
    seq: row.pointer_seq,
  };
}
