import { z } from "zod";
import { type Plan, PlanLimits } from "../../contracts/plan.ts";

const PlanRow = z
  .object({
    code: z.string(),
    name: z.string(),
    limits: z.string().transform((text) => PlanLimits.parse(JSON.parse(text))),
  })
  .readonly();

export async function findPlan(db: D1Database, code: string): Promise<Plan | undefined> {
  const row = await db
    .prepare("SELECT code, name, limits FROM plans WHERE code = ?")
    .bind(code)
    .first();
  return row === null ? undefined : PlanRow.parse(row);
}

/** The plan a workspace is on. */
export async function findPlanOfWorkspace(
  db: D1Database,
  workspaceId: string,
): Promise<Plan | undefined> {
  const row = await db
    .prepare(
      `SELECT plans.code, plans.name, plans.limits
       FROM workspaces JOIN plans ON plans.code = workspaces.plan_code WHERE workspaces.id = ?`,
    )
    .bind(workspaceId)
    .first();
  return row === null ? undefined : PlanRow.parse(row);
}

export async function upsertPlan(db: D1Database, plan: Plan, nowMs: number): Promise<void> {
  await db
    .prepare(
      `INSERT INTO plans (code, name, limits, updated_at_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (code) DO UPDATE SET name = excluded.name, limits = excluded.limits, updated_at_ms = excluded.updated_at_ms`,
    )
    .bind(plan.code, plan.name, JSON.stringify(plan.limits), nowMs)
    .run();
}
