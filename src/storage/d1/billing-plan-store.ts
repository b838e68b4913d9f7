import * as z from "zod";
import { type BillingPlan, BillingPlanLimits } from "../../contracts/workspaces/billing-plan.ts";

const BillingPlanRow = z
  .object({
    code: z.string(),
    name: z.string(),
    limits: z.string().transform((text) => BillingPlanLimits.parse(JSON.parse(text))),
  })
  .readonly();

const IsOwn = z.object({ is_own: z.literal([0, 1]).transform((flag) => flag === 1) });

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

export interface WorkspaceBillingPlans {
  /** Id of the workspace's plan. */
  readonly plan: BillingPlan;
  /** Requests per minute. */
  readonly requests: {
    /** Limit of each API key of the workspace, from its plan. */
    readonly key: number;
    /** Limit of the organization: the largest among the plans of its workspaces. */
    readonly organization: number;
  };
}

/** Returns the limits that plans set for a workspace and its callers; undefined if there is no such workspace. */
export async function findWorkspaceBillingPlans(
  db: D1Database,
  workspaceId: string,
): Promise<WorkspaceBillingPlans | undefined> {
  const { results } = await db
    .prepare(
      `SELECT others.id = own.id AS is_own, plans.code, plans.name, plans.limits
       FROM workspaces own
       JOIN workspaces others ON others.organization_id = own.organization_id
       JOIN plans ON plans.code = others.plan_code
       WHERE own.id = ? GROUP BY is_own, plans.code`,
    )
    .bind(workspaceId)
    .all();
  const rows = results.map((row) => ({ ...IsOwn.parse(row), plan: BillingPlanRow.parse(row) }));
  const own = rows.find(({ is_own }) => is_own);
  return own === undefined
    ? undefined
    : {
        plan: own.plan,
        requests: {
          key: own.plan.limits.requests_per_minute,
          organization: Math.max(
            ...rows.map(({ plan: billingPlan }) => billingPlan.limits.requests_per_minute),
          ),
        },
      };
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
