import type { Plan } from "../../contracts/plan.ts";
import type { AppContext } from "../../platform/context.ts";
import { upsertPlan } from "../../storage/d1/plan-store.ts";
import { forgetPlans } from "../plans/workspace-plans.ts";

/** Creates a plan or replaces its limits. Workspaces on it follow within 30 s. */
export async function putPlan(ctx: AppContext, plan: Plan): Promise<Plan> {
  await upsertPlan(ctx.env.DB, plan, ctx.nowMs());
  forgetPlans();
  return plan;
}
