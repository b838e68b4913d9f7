import type { AppContext } from "../../platform/context.ts";
import { listPointersBehind } from "../../storage/d1/list-pointers-behind.ts";
import { syncWorkflowPointer } from "./sync-workflow-pointer.ts";
import { describeCause } from "../../lib/describe-cause.ts";

/** A change younger than this is still being told by the request that made it. */
const GRACE_MS = 10_000;
const BATCH_MAX = 100;

/**
 * The sweep behind a crash between D1 and the workspace object, for the operator's schedule: tells
 * the objects what they missed. Answers how many workflows it looked at.
 */
export async function repairWorkflowPointers(ctx: AppContext): Promise<number> {
  const behind = await listPointersBehind(ctx.env.DB, ctx.nowMs() - GRACE_MS, BATCH_MAX);
  for (const { workspace_id, id } of behind) {
    try {
      await syncWorkflowPointer(ctx, workspace_id, id);
    } catch (error) {
      ctx.log.error("workflow_pointer_repair_failed", {
        workflow_id: id,
        reason: describeCause(error),
      });
    }
  }
  return behind.length;
}
