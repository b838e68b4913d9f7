import type { RemoveWorkflowOutcome } from "../../contracts/admission.ts";
import type { AppContext } from "../../platform/context.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { workspaceObject } from "../../storage/objects/workspace-object.ts";

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
