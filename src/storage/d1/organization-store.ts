import * as z from "zod";
import type { BillingPlan } from "../../contracts/workspaces/billing-plan.ts";
import { copyStatements } from "./billing-plan-store.ts";
import {
  askHome,
  believeHome,
  databaseAt,
  type Databases,
  directoryOf,
  homeOf,
} from "./databases.ts";
import { type OnceStatements, runOnce } from "./idempotency-store.ts";

const OrganizationRow = z
  .object({ id: z.string(), name: z.string(), plan_code: z.string(), created_at_ms: z.int() })
  .readonly();
/** An organization, and the shard that has its rows. */
export type OrganizationRow = z.infer<typeof OrganizationRow> & { readonly shard: number };

export async function findOrganization(
  bindings: Databases,
  id: string,
): Promise<OrganizationRow | undefined> {
  const { shard, db } = await homeOf(bindings, id);
  const row = await db.prepare("SELECT * FROM organizations WHERE id = ?").bind(id).first();
  if (row === null) {
    // 503 rather than unknown, if the organization's shard has no binding here.
    await askHome(bindings, id);
    return undefined;
  }
  return { ...OrganizationRow.parse(row), shard };
}

/**
 * Creates an organization on its shard. The directory's row, with the record of `once`, is the last: without it nobody
 * finds the organization.
 */
export async function insertOrganization(
  bindings: Databases,
  row: OrganizationRow,
  plan: BillingPlan,
  once?: OnceStatements,
): Promise<void> {
  const db = databaseAt(bindings, row.shard);
  await db.batch([
    ...copyStatements({ shard: row.shard, db }, plan),
    db
      .prepare("INSERT INTO organizations (id, name, plan_code, created_at_ms) VALUES (?, ?, ?, ?)")
      .bind(row.id, row.name, row.plan_code, row.created_at_ms),
  ]);
  const directory = directoryOf(bindings);
  const entry = directory
    .prepare("INSERT INTO organization_homes (organization_id, shard) VALUES (?, ?)")
    .bind(row.id, row.shard);
  await runOnce(directory, entry, row.id, once);
  believeHome(row.id, row.shard);
}
