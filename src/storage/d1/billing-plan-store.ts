import * as z from "zod";
import { type BillingPlan, BillingPlanLimits } from "../../contracts/workspaces/billing-plan.ts";
import type { PlanCodes } from "../../contracts/workspaces/organization-access.ts";
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

const PlanCodeRow = z.object({
  code: z.string(),
  is_own: z.literal([0, 1]).transform((flag) => flag === 1),
});

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

/** The codes of the plans of a workspace and of its organization; undefined if there is no such workspace. */
export async function findPlanCodes(
  bindings: Databases,
  workspaceId: string,
): Promise<PlanCodes | undefined> {
  const { results } = await databaseOf(bindings, workspaceId)
    .prepare(
      `SELECT max(others.id = own.id) AS is_own, others.plan_code AS code
       FROM workspaces own JOIN workspaces others ON others.organization_id = own.organization_id
       WHERE own.id = ? GROUP BY others.plan_code ORDER BY others.plan_code`,
    )
    .bind(workspaceId)
    .all();
  const rows = results.map((row) => PlanCodeRow.parse(row));
  const own = rows.find(({ is_own }) => is_own);
  return own === undefined
    ? undefined
    : { workspace: own.code, organization: rows.map(({ code }) => code) };
}

/**
 * Writes a plan to the directory and then its copy to every other shard, whose rows refer to it. A failure in between is
 * repaired by a repeat.
 */
export async function upsertBillingPlan(
  bindings: Databases,
  billingPlan: BillingPlan,
  nowMs: number,
): Promise<void> {
  for (const shard of shardsOf(bindings)) {
    await upsertStatement(databaseAt(bindings, shard), billingPlan, nowMs).run();
  }
}

/**
 * The statements that copy a plan to a shard before a row refers to it. A copy that is there is newer, unless it is the
 * migration's.
 */
export function copyStatements(
  { shard, db }: Home,
  billingPlan: BillingPlan,
  nowMs: number,
): D1PreparedStatement[] {
  return shard === 0
    ? []
    : [upsertStatement(db, billingPlan, nowMs, "WHERE plans.updated_at_ms = 0")];
}

function upsertStatement(
  db: D1Database,
  billingPlan: BillingPlan,
  nowMs: number,
  where = "",
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO plans (code, name, limits, updated_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (code) DO UPDATE SET name = excluded.name, limits = excluded.limits, updated_at_ms = excluded.updated_at_ms ${where}`,
    )
    .bind(billingPlan.code, billingPlan.name, JSON.stringify(billingPlan.limits), nowMs);
}
