import type { WorkflowPointer } from "../../../contracts/workspaces/admission.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { workspaceObject } from "../../../storage/objects/workspace-object.ts";
import { loadWorkflowPointer } from "../../workflows/sync-workflow-pointer.ts";

const POINTERS_MAX = 5000;

/**
 * Pointers that this isolate has seen, of any age: `admit` compares them with the current one, and
 * a submit that is rejected with an old one reads it again. A submit therefore needs no call for a
 * pointer that it already has.
 */
const seen = new Map<string, WorkflowPointer>();

/** The pointer as last seen by this isolate; undefined if it has not seen it. */
export function rememberedPointer(
  ctx: CallerContext,
  workflowId: string,
): WorkflowPointer | undefined {
  return seen.get(`${ctx.principal.workspaceId}/${workflowId}`);
}

/**
 * The pointer in the workspace object, else in D1, which the object then stores. Throws
 * `workflow_not_found`, or `forbidden` if it belongs to another workspace.
 */
export async function fetchPointer(
  ctx: CallerContext,
  workflowId: string,
): Promise<WorkflowPointer> {
  const { workspaceId } = ctx.principal;
  const workspace = workspaceObject(ctx, workspaceId);
  let pointer = await workspace.getWorkflowPointer(workflowId);
  if (pointer === null) {
    const stored = await loadWorkflowPointer(ctx, workflowId);
    if (stored === "elsewhere") {
      throw new AppError(
        "forbidden",
        `The workflow ${workflowId} belongs to another workspace. Use a key of that workspace.`,
      );
    }
    if (stored === null) {
      seen.delete(`${workspaceId}/${workflowId}`);
      throw new AppError(
        "workflow_not_found",
        `There is no workflow ${workflowId}. GET /api/v1/workflows lists the workflows of this workspace.`,
      );
    }
    await workspace.setWorkflowPointer(stored);
    pointer = stored;
  }
  if (seen.size >= POINTERS_MAX) {
    seen.clear();
  }
  seen.set(`${workspaceId}/${workflowId}`, pointer);
  return pointer;
}
