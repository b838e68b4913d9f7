import * as z from "zod";

const count = z.int().nonnegative();
/** In milli-credits still far from 2^53, so that no sum of a ledger loses a digit. */
const CREDITS_MAX = 1_000_000_000_000;

/**
 * What a plan allows (docs/contract/access.md#plans). A figure a plan does not name is that of plan
 * `dev`, but for the request rate, where docs/contract/rate-limits.md#requests names the fallback. `null` is no limit.
 */
export const BillingPlanLimits = z
  .strictObject({
    max_credits_per_month: count.max(CREDITS_MAX).default(1_000_000),
    max_workflows: count.nullable().default(null),
    max_users: count.nullable().default(null),
    max_workspaces: count.nullable().default(null),
    max_storage_bytes: count.nullable().default(10_737_418_240),
    /** Of one workflow; 0 where the plan has none. */
    max_custom_interfaces: count.nullable().default(null),
    max_concurrent_executions: z.int().positive().default(256),
    /** A run that takes longer ends with `RUN_TIMEOUT`. */
    max_run_seconds: z.int().positive().max(2_592_000).default(86_400),
    max_outstanding_tasks: z.int().positive().default(256),
    output_retention_days: z.int().positive().default(60),
    max_webhook_endpoints: count.default(100),
    requests_per_minute: z.int().positive().default(60),
    api_access: z.boolean().default(true),
    embed_access: z.boolean().default(true),
  })
  .meta({ id: "PlanLimits" });
export type BillingPlanLimits = z.infer<typeof BillingPlanLimits>;

export const BillingPlanCode = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,39}$/,
    "Must be 1 to 40 of a-z, 0-9, _ and -, beginning with a letter",
  );

export const BillingPlan = z
  .object({ code: BillingPlanCode, name: z.string(), limits: BillingPlanLimits })
  .meta({ id: "Plan" });
export type BillingPlan = z.infer<typeof BillingPlan>;

/** `GET /api/v1/plan` (docs/contract/access.md#plans). */
export const BillingPlanView = z
  .object({
    plan_code: z.string(),
    plan_name: z.string(),
    limits: BillingPlanLimits,
    usage: z.object({
      current_workflows: z.int(),
      current_users: z.int().describe("API keys that are neither revoked nor expired."),
      current_storage_bytes: z.int(),
      credits_used_this_month: z.number(),
      credits_reserved: z.number().describe("Held by runs that have not ended."),
      credits_available: z.number(),
      current_executions: z
        .int()
        .describe("Accepted and not ended; executions beyond `max_concurrent_executions` wait."),
    }),
  })
  .meta({ id: "PlanView" });
export type BillingPlanView = z.infer<typeof BillingPlanView>;
