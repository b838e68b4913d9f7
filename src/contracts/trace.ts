import * as z from "zod";
import { timestampField } from "./timestamp.ts";
import { RunStatus } from "./run.ts";
import { USAGE_UNITS } from "./task.ts";

/**
 * `skipped`: an optional input or a branch was absent. `blocked`: something before it failed.
 * `partial_success`: some iterations failed or were blocked. `cancelled`: the run ended first.
 */
export const NodeTraceState = z.enum([
  "pending",
  "running",
  "completed",
  "partial_success",
  "failed",
  "blocked",
  "skipped",
  "cancelled",
]);
export type NodeTraceState = z.infer<typeof NodeTraceState>;

/** A stable code and a sentence that belongs to the code: never what the node itself said. */
const TraceError = z.object({ code: z.string(), message: z.string() }).meta({ id: "TraceError" });

const ModelUse = z.object({ provider: z.string(), model: z.string() });

const Credits = z
  .number()
  .describe("The credits charged so far: at most the reserved amount, and less if less was used.");

const NodeUsage = z
  .object({ unit: z.enum(USAGE_UNITS), quantity: z.number() })
  .meta({ id: "NodeUsage" })
  .nullable()
  .describe("The usage so far, in the node's unit; null if the node does not report it.");

const IterationSummary = z
  .object({
    total: z.int().nullable().describe("Null until it is known."),
    completed: z.int(),
    failed: z.int(),
    blocked: z.int(),
    skipped: z.int(),
    pending: z.int(),
  })
  .meta({ id: "IterationSummary" });

const Attempts = {
  retry_count: z.int(),
  attempt_count: z.int().describe("0 before the first start, else `retry_count` + 1."),
};

/** One node of the definition (docs/contract/trace.md#report). */
export const NodeTrace = z
  .object({
    node_id: z.string(),
    state: NodeTraceState,
    started_at: timestampField.nullable(),
    completed_at: timestampField.nullable(),
    duration_ms: z.int().nullable(),
    ...Attempts,
    credits: Credits,
    usage: NodeUsage,
    models: z.array(ModelUse),
    iterations: IterationSummary,
    error: TraceError.nullable(),
  })
  .meta({ id: "NodeTrace" });
export type NodeTrace = z.infer<typeof NodeTrace>;

/** `GET /executions/{run_id}/trace` (docs/contract/trace.md#report). */
export const Trace = z
  .object({
    execution_id: z.string(),
    status: RunStatus,
    started_at: timestampField.nullable(),
    completed_at: timestampField.nullable(),
    nodes: z.array(NodeTrace),
    totals: z.object({
      nodes: z.int(),
      iterations: IterationSummary,
      retry_count: z.int(),
      attempt_count: z.int(),
      credits: z.number(),
      duration_ms: z.int().nullable(),
    }),
  })
  .meta({ id: "Trace" });
export type Trace = z.infer<typeof Trace>;

/** How iterations are filtered: by what became of them, or how far they are. */
export const ITERATION_FILTERS = [
  "ok",
  "failed",
  "blocked",
  "absent",
  "running",
  "pending",
] as const;
export type IterationFilter = (typeof ITERATION_FILTERS)[number];

/** One run of a node: positions only, never values. */
export const TraceIteration = z
  .object({
    input_indices: z.array(z.int()),
    state: NodeTraceState.exclude(["partial_success"]),
    ...Attempts,
    duration_ms: z
      .int()
      .nullable()
      .describe("Time in the runner; null if the run executed the node itself."),
    credits: Credits,
    usage: NodeUsage,
    error: TraceError.nullable(),
  })
  .meta({ id: "TraceIteration" });
export type TraceIteration = z.infer<typeof TraceIteration>;

export const TraceIterationPage = z
  .object({
    data: z.array(TraceIteration),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().describe("Pass as `after` for the next page."),
    total_count: z.int(),
  })
  .meta({ id: "TraceIterationPage" });
export type TraceIterationPage = z.infer<typeof TraceIterationPage>;
