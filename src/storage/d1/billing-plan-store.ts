import * as z from "zod";
import { type BillingPlan, BillingPlanLimits } from "../../contracts/workspaces/billing-plan.ts";
import type { PlanCodes } from "../../contracts/workspaces/organization-access.ts";

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
  db: D1Database,
  code: string,
): Promise<BillingPlan | undefined> {
  const row = await db
    .prepare("SELECT code, name, limits FROM plans WHERE code = ?")
    .bind(code)
    .first();
  return row === null ? undefined : BillingPlanRow.parse(row);
}

/** The billing plan of a workspace. */
export async function findBillingPlanOfWorkspace(
  db: D1Database,
  workspaceId: string,
): Promise<BillingPlan | undefined> {
  const row = await db
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
  db: D1Database,
  workspaceId: string,
): Promise<PlanCodes | undefined> {
  const { results } = await db
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

export async function upsertBillingPlan(
  db: D1Database,
  billingPlan: BillingPlan,
  nowMs: number,
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO plans (code, name, limits, updated_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (code) DO UPDATE SET name = excluded.name, limits = excluded.limits, updated_at_ms = excluded.updated_at_ms`,
    )
    .bind(billingPlan.code, billingPlan.name, JSON.stringify(billingPlan.limits), nowMs)
    .run();
}
