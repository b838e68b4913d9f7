import * as z from "zod";
import type { BillingPlan } from "../../contracts/workspaces/billing-plan.ts";
import { copyStatements } from "./billing-plan-store.ts";
import { atHome, databaseOf, type Databases, organizationOf } from "./databases.ts";
import { type OnceStatements, runOnce } from "./idempotency-store.ts";

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
  bindings: Databases,
  workspaceId: string,
): Promise<WorkspaceRow | undefined> {
  const row = await databaseOf(bindings, workspaceId)
    .prepare("SELECT * FROM workspaces WHERE id = ?")
    .bind(workspaceId)
    .first();
  return row === null ? undefined : WorkspaceRow.parse(row);
}

/** Returns false if the organization already has `workspacesMax` workspaces; null means no limit. */
export async function insertWorkspace(
  bindings: Databases,
  row: WorkspaceRow,
  workspacesMax: number | null,
  once?: OnceStatements,
): Promise<boolean> {
  return await atHome(bindings, row.organization_id, async ({ db }) => {
    const create = db
      .prepare(
        `INSERT INTO workspaces (id, organization_id, name, plan_code, created_at_ms)
         SELECT ?1, ?2, ?3, ?4, ?5
         WHERE ?6 IS NULL OR (SELECT count(*) FROM workspaces WHERE organization_id = ?2) < ?6`,
      )
      .bind(row.id, row.organization_id, row.name, row.plan_code, row.created_at_ms, workspacesMax);
    return (await runOnce(db, create, row.id, once)).changes > 0;
  });
}

/** Returns false if there is no such workspace. */
export async function setWorkspaceBillingPlan(
  bindings: Databases,
  workspaceId: string,
  billingPlan: BillingPlan,
): Promise<boolean> {
  const organizationId = await organizationOf(bindings, workspaceId);
  if (organizationId === undefined) {
    return false;
  }
  return await atHome(bindings, organizationId, async (home) => {
    const update = home.db
      .prepare("UPDATE workspaces SET plan_code = ? WHERE id = ?")
      .bind(billingPlan.code, workspaceId);
    const results = await home.db.batch([...copyStatements(home, billingPlan), update]);
    return (results.at(-1)?.meta.changes ?? 0) > 0;
  });
}
