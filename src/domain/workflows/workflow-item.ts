import type { WorkflowItem } from "../../contracts/workflows/workflow.ts";
import type { WorkflowRow } from "../../storage/d1/workflow-row.ts";
import { tryParseId } from "../../platform/ids.ts";
import type { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { badCursor } from "../list-page.ts";

/** The view of a workflow in lists. */
export function workflowItem(row: WorkflowRow): WorkflowItem {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    version: row.version,
    status: row.status,
    tags: row.tags,
    folder_id: row.folder_id,
    created_at: new Date(row.created_at_ms).toISOString(),
    updated_at: new Date(row.updated_at_ms).toISOString(),
  };
}

/** The position of a cursor in the list: a workflow's id, also of a deleted one. */
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
    throw badCursor(given, "a workflow of this workspace");
  }
  return row.seq;
}
