import { describeCause } from "../../lib/errors/describe-cause.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { RefreshingCache } from "../../lib/memory/refreshing-cache.ts";
import { BillingPlan } from "../../contracts/workspaces/billing-plan.ts";
import type { AppContext } from "../../platform/context.ts";
import {
  findBillingPlan,
  findBillingPlanOfWorkspace,
} from "../../storage/d1/billing-plan-store.ts";
import { planAccessObject } from "../../storage/objects/organization-access-object.ts";
import { type Caller, knownCaller } from "../access/access-facts.ts";
import { CACHE_LIMITS } from "../cache-limits.ts";

/** Requests per minute. */
interface RequestFigures {
  /** Limit of each API key of the workspace, from its plan. */
  readonly key: number;
  /** Limit of the organization: the largest among the plans of its workspaces. */
  readonly organization: number;
}

/** By code: the tenants of an isolate share a few plans. */
const cache = new RefreshingCache<BillingPlan>(CACHE_LIMITS.plans);

/**
 * The plan of a caller's workspace with its limits. No I/O while this isolate knows it. A change of the plan by the
 * operator, or of the workspace's plan, reaches every isolate within 30 s. Throws `not_found` for an unknown workspace.
 */
export async function getBillingPlan(ctx: AppContext, caller: Caller): Promise<BillingPlan> {
  const known = await knownCaller(ctx, caller);
  return await planOf(ctx, known?.plans?.workspace, caller.workspaceId);
}

/** The limits of requests of a caller; otherwise as `getBillingPlan`. */
export async function requestFigures(ctx: AppContext, caller: Caller): Promise<RequestFigures> {
  const { workspaceId } = caller;
  const plans = (await knownCaller(ctx, caller))?.plans;
  const own = await planOf(ctx, plans?.workspace, workspaceId);
  let organization = own.limits.requests_per_minute;
  for (const code of plans?.organization ?? []) {
    if (code !== own.code) {
      const { limits } = await planOf(ctx, code, workspaceId);
      organization = Math.max(organization, limits.requests_per_minute);
    }
  }
  return { key: own.limits.requests_per_minute, organization };
}

/** The plan of any workspace, for the operator: read from D1. Throws `not_found` for an unknown workspace. */
export async function readBillingPlan(ctx: AppContext, workspaceId: string): Promise<BillingPlan> {
  const plan = await findBillingPlanOfWorkspace(ctx.env, workspaceId);
  if (plan === undefined) {
    throw noWorkspace(workspaceId);
  }
  return plan;
}

/** Clears this isolate's cache after a change by the operator. */
export function forgetBillingPlans(): void {
  cache.clear();
}

async function planOf(
  ctx: AppContext,
  code: string | undefined,
  workspaceId: string,
): Promise<BillingPlan> {
  const plan =
    code === undefined
      ? undefined
      : await cache.get(code, {
          nowMs: () => ctx.nowMs(),
          waitUntil: (read) => ctx.waitUntil(read),
          read: () => readPlan(ctx, code),
        });
  if (plan === undefined) {
    throw noWorkspace(workspaceId);
  }
  return plan;
}

/** From the plan's access object, or from D1 where that is of no use. */
async function readPlan(ctx: AppContext, code: string): Promise<BillingPlan | undefined> {
  try {
    const kept = await planAccessObject(ctx.env, code).readPlan({ v: 1, code });
    // An older deploy, which did not have all limits of today, may have kept it.
    const plan = BillingPlan.safeParse(kept);
    if (plan.success) {
      return plan.data;
    }
  } catch (cause) {
    ctx.log.error("organization_access.unreachable", { cause: describeCause(cause) });
  }
  return await findBillingPlan(ctx.env, code);
}

function noWorkspace(workspaceId: string): AppError {
  return new AppError("not_found", `There is no workspace ${workspaceId}.`);
}
