import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext, CallerContext } from "../../platform/context.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { WorkflowTexts } from "../../storage/d1/workflow-texts.ts";
import { workspaceObject } from "../../storage/objects/workspace-object.ts";
import type { WorkflowRow } from "../../storage/d1/workflow-row.ts";
import { describeCause } from "../../lib/errors/describe-cause.ts";
import { listPointersBehind } from "../../storage/d1/list-pointers-behind.ts";
import type {
  RemoveWorkflowOutcome,
  WorkflowPointer,
} from "../../contracts/workspaces/admission.ts";

/** A delete older than this is no longer being processed by its own request. */
const DELETE_ABANDONED_MS = 60_000;

/** A round fails only because of another change of the same workflow. */
const ROUNDS_MAX = 20;

/**
 * Sends the committed state in D1 to the workspace object, and records in D1 that it did. D1 comes
 * first: a crash in between leaves `pointer_seq` ahead of `pointer_synced_seq`, which the next
 * change, the next read and the sweep all repair. Repeats have no effect; `seq` prevents that a
 * late call undoes a newer one.
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
      return; // The object removed it before D1 did.
    }
    if (row.pointer_synced_seq >= row.pointer_seq) {
      return;
    }
    if (row.delete_requested_at_ms !== null) {
      if (row.delete_requested_at_ms > ctx.nowMs() - DELETE_ABANDONED_MS) {
        return; // The delete's own request decides about the workflow, and notifies the object.
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

/**
 * After a crash between a change and the call of the workspace object, the next read repairs it,
 * after its response.
 */
export function repairPointers(ctx: CallerContext, rows: readonly WorkflowRow[]): void {
  for (const row of rows) {
    if (row.pointer_seq > row.pointer_synced_seq) {
      ctx.waitUntil(
        syncWorkflowPointer(ctx, row.workspace_id, row.id).catch((error: unknown) => {
          ctx.log.error("workflow_pointer_repair_failed", {
            workflow_id: row.id,
            reason: describeCause(error),
          });
        }),
      );
    }
  }
}

/** A change younger than this is still being sent by its own request. */
const GRACE_MS = 10_000;
const BATCH_MAX = 100;

/**
 * The sweep for crashes between D1 and the workspace object, run by the operator's schedule: sends
 * missed changes to the objects. Returns the number of workflows checked.
 */
export async function repairWorkflowPointers(ctx: AppContext): Promise<number> {
  const behind = await listPointersBehind(ctx, ctx.nowMs() - GRACE_MS, BATCH_MAX);
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
 * Carries out a delete that is recorded in D1: the workspace object decides, in one transaction
 * with its own admissions, that no run is live, and removes the workflow permanently; then D1
 * deletes it. After a crash in between, a repeat has the same result. A rejection removes the
 * record.
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
    ctx.waitUntil(new WorkflowTexts(ctx.env, workspaceId).removeAll(workflowId));
  } else {
    await store.requestDelete(workflowId, null);
  }
  return outcome;
}

/**
 * The pointer in D1, used if the workspace object has none or an outdated one; null if the workflow
 * does not exist, `elsewhere` if it belongs to another workspace.
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
