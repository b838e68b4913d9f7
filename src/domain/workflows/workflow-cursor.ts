import { AppError } from "../../lib/errors.ts";
import { tryParseId } from "../../platform/ids.ts";
import type { WorkflowStore } from "../../storage/d1/workflow-store.ts";

/** The place in the order that a cursor names: a workflow's id, of a deleted one too. */
export async function workflowCursor(
  store: WorkflowStore,
  given: string | undefined,
): Promise<number | null> {
  if (given === undefined) {
    return null;
  }
  const id = tryParseId("workflow", given);
  const row = id === undefined ? undefined : await store.findEvenDeleted(id);
  if (row === undefined) {
    throw new AppError(
      "invalid_request",
      `starting_after "${given.slice(0, 80)}" is not a workflow of this workspace. Send next_cursor of the page before, as it was returned.`,
    );
  }
  return row.seq;
}
