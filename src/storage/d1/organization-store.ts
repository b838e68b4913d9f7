import * as z from "zod";
import { type OnceStatements, runOnce } from "./idempotency-store.ts";

const OrganizationRow = z
  .object({ id: z.string(), name: z.string(), plan_code: z.string(), created_at_ms: z.int() })
  .readonly();
export type OrganizationRow = z.infer<typeof OrganizationRow>;

export async function findOrganization(
  db: D1Database,
  id: string,
): Promise<OrganizationRow | undefined> {
  const row = await db.prepare("SELECT * FROM organizations WHERE id = ?").bind(id).first();
  return row === null ? undefined : OrganizationRow.parse(row);
}

export async function insertOrganization(
  db: D1Database,
  row: OrganizationRow,
  once?: OnceStatements,
): Promise<void> {
  const create = db
    .prepare("INSERT INTO organizations (id, name, plan_code, created_at_ms) VALUES (?, ?, ?, ?)")
    .bind(row.id, row.name, row.plan_code, row.created_at_ms);
  await runOnce(db, create, row.id, once);
}
