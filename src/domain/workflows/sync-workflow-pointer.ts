import { AppError } from "../../lib/errors.ts";
import type { AppContext, CallerContext } from "../../platform/context.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { workspaceObject } from "../../storage/objects/workspace-object.ts";
import type { WorkflowRow } from "../../storage/d1/workflow-row.ts";
import { describeCause } from "../../lib/describe-cause.ts";
import { listPointersBehind } from "../../storage/d1/list-pointers-behind.ts";
import type { RemoveWorkflowOutcome, WorkflowPointer } from "../../contracts/admission.ts";

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

/** When a crash came between a change and telling the workspace object, whoever looks next mends it, after the answer. */
export function repairPointers(ctx: CallerContext, rows: readonly WorkflowRow[]): void {
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

/**
 * Carries out a delete that D1 has a note of: the workspace object decides, in one transaction with
 * its own admissions, that no run is live, and forgets the workflow for good; then D1 empties it.
 * After a crash in between, doing it again ends the same. A refusal withdraws the note.
 */
export async function finishDelete(
  ctx: Pick<AppContext, "env" | "nowMs" | "waitUntil">,
  workspaceId: string,
  workflowId: string,
): Promise<RemoveWorkflowOutcome> {
  const store = new WorkflowStore(ctx.env, workspaceId);
  const outcome = await workspaceObject(ctx, workspaceId).removeWorkflow(workflowId);
  if (outcome.kind === "removed") {
    await store.remove(workflowId, ctx.nowMs());
    ctx.waitUntil(store.removeTexts(workflowId));
  } else {
    await store.requestDelete(workflowId, null);
  }
  return outcome;
}

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
