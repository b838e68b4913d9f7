import type { WorkflowItem } from "../../contracts/workflow.ts";
import type { WorkflowRow } from "../../storage/d1/workflow-row.ts";

/** A workflow as lists show it. */
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
