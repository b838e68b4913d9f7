import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const count = z.int().nonnegative();
const CREDITS_MAX = LIMITS.monthly_credits.value;

/**
 * The limits of a plan (docs/contract/access.md#plans). A limit that a plan omits is that of the
 * plan `dev`, except for the request rate, whose fallback is in
 * docs/contract/rate-limits.md#requests. `null` means no limit.
 */
export const BillingPlanLimits = z
  .strictObject({
    max_credits_per_month: count
      .max(CREDITS_MAX)
      .default(1_000_000)
      .describe("Credits granted each calendar month."),
    max_workflows: count.nullable().default(null).describe("Workflows; null means no limit."),
    max_users: count
      .nullable()
      .default(null)
      .describe("API keys that are neither revoked nor expired; null means no limit."),
    max_workspaces: count
      .nullable()
      .default(null)
      .describe("Workspaces of the organization; null means no limit."),
    max_storage_bytes: count
      .nullable()
      .default(10_737_418_240)
      .describe("Stored bytes; null means no limit."),
    /** Custom interfaces of one workflow; 0 if the plan allows none. */
    max_custom_interfaces: count
      .nullable()
      .default(null)
      .describe("Custom interfaces of one workflow; null means no limit."),
    max_concurrent_executions: z
      .int()
      .positive()
      .default(256)
      .describe("Executions running at once; further ones wait as `pending`."),
    /** A run that takes longer ends with `RUN_TIMEOUT`. */
    max_run_seconds: z
      .int()
      .positive()
      .max(LIMITS.run_seconds.value)
      .default(86_400)
      .describe("Seconds from the start after which a run ends with `RUN_TIMEOUT`."),
    max_outstanding_tasks: z
      .int()
      .positive()
      .default(256)
      .describe("Node tasks of all runs that may be with the workers at once."),
    output_retention_days: z
      .int()
      .positive()
      .default(60)
      .describe("Days for which outputs are kept after a run has ended."),
    max_cache_bytes: count
      .default(1024 ** 3)
      .describe("Bytes of the results that the workspace keeps for other runs."),
    max_webhook_endpoints: count.default(100).describe("Webhook endpoints that are not archived."),
    max_schedules: count.default(100).describe("Schedules of one workspace."),
    min_schedule_interval_seconds: z
      .int()
      .positive()
      .default(60)
      .describe("Shortest `interval_seconds` of a schedule."),
    requests_per_minute: z
      .int()
      .positive()
      .default(60)
      .describe("Requests in any window of one minute."),
    api_access: z.boolean().default(true).describe("Whether the API may be used."),
    embed_access: z.boolean().default(true).describe("Whether workflows may be embedded."),
    embed_requests_per_minute: z
      .int()
      .positive()
      .default(300)
      .describe("Pages and calls of one embed token in any window of one minute."),
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
  .object({
    code: BillingPlanCode.describe("Code that workspaces name the plan by."),
    name: z.string().describe("Name of the plan for people."),
    limits: BillingPlanLimits.describe("What the plan allows."),
  })
  .meta({ id: "Plan" });
export type BillingPlan = z.infer<typeof BillingPlan>;

/** `GET /api/v1/plan` (docs/contract/access.md#plans). */
export const BillingPlanView = z
  .object({
    plan_code: z.string().describe("Code of the plan that applies."),
    plan_name: z.string().describe("Name of the plan for people."),
    limits: BillingPlanLimits.describe("What the plan allows."),
    usage: z
      .object({
        current_workflows: z.int().describe("Workflows that exist now."),
        current_users: z.int().describe("API keys that are neither revoked nor expired."),
        current_storage_bytes: z.int().describe("Bytes stored now, open upload sessions included."),
        credits_used_this_month: z
          .number()
          .describe("Credits charged since the first of the month, UTC."),
        credits_reserved: z.number().describe("Held by runs that have not ended."),
        credits_available: z.number().describe("Credits that may still be reserved."),
        current_executions: z
          .int()
          .describe("Accepted and not ended; executions beyond `max_concurrent_executions` wait."),
      })
      .describe("How much of it is used."),
  })
  .meta({ id: "PlanView" });
export type BillingPlanView = z.infer<typeof BillingPlanView>;
