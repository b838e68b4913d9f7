import type { CallerContext } from "../../platform/context.ts";
import type { WorkflowRow } from "../../storage/d1/workflow-row.ts";
import { syncWorkflowPointer } from "./sync-workflow-pointer.ts";
import { describeCause } from "../../lib/describe-cause.ts";

/** When a crash came between a change and telling the workspace object, whoever looks next mends it, after the answer. */
export function mendPointers(ctx: CallerContext, rows: readonly WorkflowRow[]): void {
  for (const row of rows) {
    if (row.pointer_seq > row.pointer_synced_seq) {
      ctx.waitUntil(
        syncWorkflowPointer(ctx, row.workspace_id, row.id).catch((error: unknown) => {
          ctx.log.error("workflow_pointer_not_mended", {
            workflow_id: row.id,
            reason: describeCause(error),
          });
        }),
      );
    }
  }
}
