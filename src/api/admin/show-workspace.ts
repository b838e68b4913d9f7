import type { Workspace } from "../../contracts/workspaces/organization.ts";

interface StoredWorkspace {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly plan_code: string;
  readonly created_at_ms: number;
}

export function showWorkspace(row: StoredWorkspace): Workspace {
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    plan: row.plan_code,
    created_at: new Date(row.created_at_ms).toISOString(),
  };
}
