import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { CacheOptions } from "./cache-options.ts";
import { InputEntry } from "./execution-requests.ts";
import { AdmissionLimits } from "./run.ts";
import { clientReferenceField } from "./run-origin.ts";

/** Body of `POST /api/v1/executions/{id}/retry` (docs/retries-and-reuse.md#retry). */
export const RetryExecution = z
  .strictObject({
    from: z
      .enum(["failure", "start"])
      .optional()
      .describe("`start` works everything out again; without it, what the run has is taken over."),
    from_node: z
      .string()
      .max(LIMITS.identifier.value)
      .optional()
      .describe("A node that runs again, with all that depends on it."),
    from_indices: z
      .array(z.array(z.int().min(0)).max(LIMITS.retry_indices.value))
      .max(LIMITS.retry_indices.value)
      .optional()
      .describe("With `from_node`: only these elements of it, by their indices."),
    version: z
      .union([z.int(), z.enum(["latest", "draft"])])
      .optional()
      .describe(
        "A version, the `latest` published one, or the working definition (`draft`); without it, that of the run.",
      ),
    inputs: z
      .record(z.string(), InputEntry.nullable())
      .optional()
      .describe(
        "Replaces inputs of the run by key; null takes one out. The others are those of the run.",
      ),
    admission_limits: AdmissionLimits.optional().describe("Without it, those of the run."),
    cache: CacheOptions.optional().describe(
      "For what is not taken over: takes results of other runs, or keeps them.",
    ),
    client_reference: clientReferenceField
      .optional()
      .describe("Your own reference of the retry; that of the run is not taken over."),
  })
  .meta({ id: "RetryExecution" });
export type RetryExecution = z.infer<typeof RetryExecution>;
