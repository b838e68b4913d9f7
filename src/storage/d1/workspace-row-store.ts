import { z } from "zod";

const WorkspaceRow = z
  .object({
    id: z.string(),
    organization_id: z.string(),
    name: z.string(),
    plan_code: z.string(),
    created_at_ms: z.int(),
  })
  .readonly();
export type WorkspaceRow = z.infer<typeof WorkspaceRow>;

export async function findWorkspace(
  db: D1Database,
  workspaceId: string,
): Promise<WorkspaceRow | undefined> {
  const row = await db.prepare("SELECT * FROM workspaces WHERE id = ?").bind(workspaceId).first();
  return row === null ? undefined : WorkspaceRow.parse(row);
}

export async function insertWorkspace(db: D1Database, row: WorkspaceRow): Promise<void> {
  await db
    .prepare(
      "INSERT INTO workspaces (id, organization_id, name, plan_code, created_at_ms) VALUES (?, ?, ?, ?, ?)",
    )
    .bind(row.id, row.organization_id, row.name, row.plan_code, row.created_at_ms)
    .run();
}

/** False when there is no such workspace. */
export async function setWorkspacePlan(
  db: D1Database,
  workspaceId: string,
  planCode: string,
): Promise<boolean> {
  const outcome = await db
    .prepare("UPDATE workspaces SET plan_code = ? WHERE id = ?")
    .bind(planCode, workspaceId)
    .run();
  return outcome.meta.changes > 0;
}
