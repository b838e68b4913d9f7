import * as z from "zod";
import { type BillingPlan, BillingPlanLimits } from "../../contracts/workspaces/billing-plan.ts";
import {
  databaseAt,
  databaseOf,
  type Databases,
  directoryOf,
  type Home,
  shardsOf,
} from "./databases.ts";

const BillingPlanRow = z
  .object({
    code: z.string(),
    name: z.string(),
    limits: z.string().transform((text) => BillingPlanLimits.parse(JSON.parse(text))),
  })
  .readonly();

export async function findBillingPlan(
  bindings: Databases,
  code: string,
): Promise<BillingPlan | undefined> {
  const row = await directoryOf(bindings)
    .prepare("SELECT code, name, limits FROM plans WHERE code = ?")
    .bind(code)
    .first();
  return row === null ? undefined : BillingPlanRow.parse(row);
}

/** The billing plan of a workspace. */
export async function findBillingPlanOfWorkspace(
  bindings: Databases,
  workspaceId: string,
): Promise<BillingPlan | undefined> {
  const row = await databaseOf(bindings, workspaceId)
    .prepare(
      `SELECT plans.code, plans.name, plans.limits
       FROM workspaces JOIN plans ON plans.code = workspaces.plan_code WHERE workspaces.id = ?`,
    )
    .bind(workspaceId)
    .first();
  return row === null ? undefined : BillingPlanRow.parse(row);
}

/**
 * Writes a plan to the directory and then its copy to every other shard, whose rows refer to it. A failure in between is
 * repaired by a repeat. The directory orders writes at the same time: each has a later `updated_at_ms` than the one before,
 * and a copy never replaces a later one.
 */
export async function upsertBillingPlan(
  bindings: Databases,
  billingPlan: BillingPlan,
  nowMs: number,
): Promise<void> {
  const { code, name, limits } = billingPlan;
  const writtenAtMs = await directoryOf(bindings)
    .prepare(
      `INSERT INTO plans (code, name, limits, updated_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (code) DO UPDATE SET name = excluded.name, limits = excluded.limits,
         updated_at_ms = max(excluded.updated_at_ms, plans.updated_at_ms + 1) RETURNING updated_at_ms`,
    )
    .bind(code, name, JSON.stringify(limits), nowMs)
    .first<number>("updated_at_ms");
  for (const shard of shardsOf(bindings).slice(1)) {
    await copyStatement(databaseAt(bindings, shard), billingPlan, writtenAtMs ?? nowMs).run();
  }
}

/**
 * The statements that copy a plan to a shard before a row refers to it. A copy that is there may be newer than this one and
 * stays, unless it is the migration's or of this kind: of no known time.
 */
export function copyStatements(
  { shard, db }: Home,
  billingPlan: BillingPlan,
): D1PreparedStatement[] {
  return shard === 0 ? [] : [copyStatement(db, billingPlan, 0)];
}

function copyStatement(
  db: D1Database,
  billingPlan: BillingPlan,
  writtenAtMs: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO plans (code, name, limits, updated_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (code) DO UPDATE SET name = excluded.name, limits = excluded.limits, updated_at_ms = excluded.updated_at_ms
       WHERE plans.updated_at_ms = 0 OR plans.updated_at_ms < excluded.updated_at_ms`,
    )
    .bind(billingPlan.code, billingPlan.name, JSON.stringify(billingPlan.limits), writtenAtMs);
}
