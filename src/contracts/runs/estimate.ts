import * as z from "zod";
import type { WarningCode } from "../../lib/errors/warning-guides.ts";
import { USAGE_UNITS } from "./task.ts";

const milli = z.int().describe("In milli-credits; 1,000 are one credit.");

/** The first four mean `will_fail`. The others give the reason why the figure is not exact. */
export const EstimateWarningCode = z.enum([
  "ITERATION_LIMIT_EXCEEDED",
  "ADMISSION_LIMIT_EXCEEDED",
  "INSUFFICIENT_CREDITS",
  "COLUMN_NOT_FOUND",
  "RESOLVED_AT_RUN_TIME",
  "MAY_NOT_RUN",
  "COST_IS_A_CEILING",
] as const satisfies readonly WarningCode[]);

/** The cost of a submit (docs/contract/workflows.md#estimate). */
export const Estimate = z
  .object({
    estimated_milli_credits: milli,
    estimated_credits: z.number().describe("The same in credits."),
    is_exact: z
      .boolean()
      .describe(
        "The figure is right: a run without failures, were it admitted, is charged exactly the estimate, to the milli-credit.",
      ),
    will_fail: z
      .boolean()
      .describe("This submit is known to be refused or to fail; `warnings` says why."),
    per_node: z
      .array(
        z.object({
          node_id: z.string().describe("The node."),
          iterations: z.int().describe("How often the node runs."),
          unit: z
            .enum(USAGE_UNITS)
            .nullable()
            .describe("What the node's usage is counted in; null for a node that costs nothing."),
          unit_milli_credits: z
            .int()
            .describe("The most that one run of the node is charged, in milli-credits."),
          milli_credits: milli,
          is_exact: z.boolean().describe("Whether the count is known before the run."),
        }),
      )
      .describe("The count and the cost of each node."),
    reserve_milli_credits: milli.describe("What a submit would reserve before its run starts."),
    balance_milli_credits: milli.describe("What the workspace may still reserve."),
    sufficient: z.boolean().describe("The balance covers the reservation and the estimate."),
    warnings: z
      .array(
        z
          .object({
            code: EstimateWarningCode.describe("Stable code of the warning, for programs."),
            message: z.string().describe("What the warning means, for people."),
            node_id: z.string().optional().describe("The node that the warning refers to."),
            iterations: z
              .int()
              .optional()
              .describe("Of `ITERATION_LIMIT_EXCEEDED`: how many there would be."),
            milli_credits: z
              .int()
              .optional()
              .describe(
                "Of `ADMISSION_LIMIT_EXCEEDED` and `INSUFFICIENT_CREDITS`: what is needed.",
              ),
            limit: z
              .int()
              .optional()
              .describe("The bound, the ceiling or the balance that is exceeded."),
          })
          .meta({ id: "EstimateWarning" }),
      )
      .describe("Why the submit would fail, or why the figure is not exact."),
  })
  .meta({ id: "Estimate" });
export type Estimate = z.infer<typeof Estimate>;
