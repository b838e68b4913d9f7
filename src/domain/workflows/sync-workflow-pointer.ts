import { AppError } from "../../lib/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { workspaceObject } from "../../storage/objects/workspace-object.ts";
import { finishDelete } from "./finish-delete.ts";

/** A delete older than this is not being worked on by its own request any more. */
const DELETE_ABANDONED_MS = 60_000;

/** Each round is lost only to another change of the same workflow. */
const ROUNDS_MAX = 20;

/**
 * Tells the workspace object what D1 has committed, and notes in D1 that it did. D1 comes first: a
 * crash in between leaves `pointer_seq` ahead of `pointer_synced_seq`, which the next change, the
 * next read and the sweep all mend. Repeats change nothing; `seq` keeps late calls from undoing newer ones.
 */
export async function syncWorkflowPointer(
  ctx: Pick<AppContext, "env" | "nowMs" | "waitUntil">,
  workspaceId: string,
  workflowId: string,
): Promise<void> {
  const store = new WorkflowStore(ctx.env, workspaceId);
  const object = workspaceObject(ctx, workspaceId);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const row = await store.findEvenDeleted(workflowId);
    if (row === undefined || row.deleted_at_ms !== null) {
      return; // The object forgot it before D1 did.
    }
    if (row.pointer_synced_seq >= row.pointer_seq) {
      return;
    }
    if (row.delete_requested_at_ms !== null) {
      if (row.delete_requested_at_ms > ctx.nowMs() - DELETE_ABANDONED_MS) {
        return; // Its request decides what becomes of the workflow, and tells the object.
      }
      await finishDelete(ctx, workspaceId, workflowId);
      continue;
    }
    await object.setWorkflowPointer({
      workflow_id: row.id,
      name: row.name,
      status: row.status,
      version: row.version,
      seq: row.pointer_seq,
    });
    if (await store.markPointerSynced(workflowId, row.pointer_seq)) {
      return;
    }
  }
  throw new AppError(
    "service_unavailable",
    `The workflow ${workflowId} is being changed by many callers at once. Try again.`,
  );
}
