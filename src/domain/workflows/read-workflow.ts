import type { WorkflowDetail } from "../../contracts/workflow.ts";
import type { CallerContext } from "../../platform/context.ts";
import { describeWorkflow } from "./describe-workflow.ts";
import { parseVersion } from "./parse-version.ts";
import { requireWorkflow } from "./require-workflow.ts";
import { syncWorkflowPointer } from "./sync-workflow-pointer.ts";

/**
 * The detail of a workflow, of any status. `version` is what the caller wrote.
 * Throws `not_found`, `forbidden`, `invalid_version` (with the valid range), `version_not_available`.
 */
export async function readWorkflow(
  ctx: CallerContext,
  id: string,
  version?: string,
): Promise<WorkflowDetail> {
  const row = await requireWorkflow(ctx, id);
  if (row.pointer_seq > row.pointer_synced_seq) {
    // A crash came between a change and telling the workspace object: whoever looks mends it.
    ctx.waitUntil(syncWorkflowPointer(ctx, ctx.principal.workspaceId, id));
  }
  return await describeWorkflow(
    ctx,
    row,
    version === undefined ? undefined : parseVersion(row, version),
  );
}
