import type { BillingPlan } from "../../../contracts/workspaces/billing-plan.ts";
import type { CacheOptions } from "../../../contracts/runs/cache-options.ts";
import type { RunStart } from "../../../contracts/runs/run.ts";
import type { Plan } from "../../../engine/plan/plan.ts";

const DAY_S = 86_400;

/** Returns the part of a start about the result cache: empty if neither the submit nor a node names a mode. */
export function runCache(
  options: CacheOptions | undefined,
  plan: Pick<Plan, "nodes">,
  { limits }: BillingPlan,
): Pick<RunStart, "cache"> {
  return options === undefined && plan.nodes.every(({ cache }) => cache === undefined)
    ? {}
    : {
        cache: {
          options: options ?? null,
          ttl: limits.output_retention_days * DAY_S,
          max_bytes: limits.max_cache_bytes,
          quota_bytes: limits.max_storage_bytes,
        },
      };
}
