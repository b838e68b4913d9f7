import { z } from "zod";

const milli = z.int().describe("In milli-credits; 1,000 are one credit.");

/** What a submit would cost (decisions §4). */
export const Estimate = z
  .object({
    estimated_milli_credits: milli,
    estimated_credits: z.number(),
    is_exact: z
      .boolean()
      .describe("A run without failures is charged exactly the estimate, to the milli-credit."),
    per_node: z.array(
      z.object({
        node_id: z.string(),
        iterations: z.int(),
        unit_milli_credits: milli,
        milli_credits: milli,
        is_exact: z.boolean(),
      }),
    ),
    reserve_milli_credits: milli.describe("What a submit would reserve before its run starts."),
    balance_milli_credits: milli.describe("What the workspace may still reserve."),
    sufficient: z.boolean().describe("The balance covers the reservation and the estimate."),
    warnings: z.array(
      z.object({ code: z.string(), message: z.string(), node_id: z.string().optional() }),
    ),
  })
  .meta({ id: "Estimate" });
export type Estimate = z.infer<typeof Estimate>;
