import * as z from "zod";
import { timestampField } from "../timestamp.ts";
import { AsOf, RunStatus } from "./run.ts";
import { USAGE_UNITS } from "./task.ts";

/**
 * `skipped`: an optional input or a branch was absent. `blocked`: a node upstream failed.
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

/** A stable code, and the fixed sentence of that code: never the message of the node itself. */
const TraceError = z
  .object({
    code: z.string().describe("Stable code of the failure."),
    message: z.string().describe("What the code means, for people."),
  })
  .meta({ id: "TraceError" });

const ModelUse = z.object({
  provider: z.string().describe("Id of the model's provider."),
  model: z.string().describe("Name of the model."),
  calls: z.int().describe("Requests that were sent, without polls of jobs."),
  unconfirmed_repeats: z
    .int()
    .describe("Those of them that repeat a submission whose answer was lost."),
});

const Credits = z
  .number()
  .describe("The credits charged so far: at most the reserved amount, and less if less was used.");

const NodeUsage = z
  .object({
    unit: z.enum(USAGE_UNITS).describe("What is counted."),
    quantity: z.number().describe("How many of it were used."),
  })
  .meta({ id: "NodeUsage" })
  .nullable()
  .describe("The usage so far, in the node's unit; null if the node does not report it.");

const IterationSummary = z
  .object({
    total: z.int().nullable().describe("Null until it is known."),
    completed: z.int().describe("Iterations that succeeded."),
    reused: z.int().describe("Those of `completed` that were taken over from another run."),
    failed: z.int().describe("Iterations that failed."),
    blocked: z.int().describe("Iterations whose inputs failed."),
    skipped: z.int().describe("Iterations whose required inputs were absent."),
    pending: z.int().describe("Iterations that have not ended."),
  })
  .meta({ id: "IterationSummary" });

const CreditsSaved = z
  .number()
  .describe(
    "Credits that the iterations that were taken over were charged in the run that did the work.",
  );

const ReusedFrom = z
  .object({
    by: z.enum(["retry", "cache"]).describe("Why it could be taken over."),
    execution: z.string().describe("Id of the run that did the work, `run_…`."),
  })
  .meta({ id: "ReusedFrom" })
  .nullable()
  .describe("Where the iteration was taken over from; null if this run worked it out.");

const Attempts = {
  retry_count: z.int().describe("Attempts that were repeated after a transient fault."),
  attempt_count: z.int().describe("0 before the first start, else `retry_count` + 1."),
};

const MediaProcessing = z
  .object({
    source_bytes: z.int().describe("Bytes of the files that the node read."),
    output_bytes: z.int().describe("Bytes of the files that the node stored."),
    elapsed_ms: z.int().describe("Milliseconds of work in the media Worker."),
    caption_count: z
      .int()
      .nullable()
      .describe("Subtitles that `video/add_subtitles` wrote; null for other nodes."),
    faststart: z
      .boolean()
      .nullable()
      .describe(
        "Whether every MP4 and MOV has its metadata before its data; null if the node made none.",
      ),
  })
  .meta({ id: "MediaProcessing" });
export type MediaProcessing = z.infer<typeof MediaProcessing>;

const PictureColors = z
  .object({
    by_profile: z.int().describe("Pictures that were converted to sRGB by their color profile."),
    without_profile: z
      .int()
      .describe("CMYK pictures without a profile: each color was multiplied with black."),
    profile_not_applied: z
      .int()
      .describe(
        "Pictures whose profile is damaged, too large or of other channels: their colors were taken as if they had none.",
      ),
  })
  .meta({ id: "PictureColors" });

/** One node of the definition (docs/contract/trace.md#report). */
export const NodeTrace = z
  .object({
    node_id: z.string().describe("The node."),
    state: NodeTraceState.describe("State of the node over all its iterations."),
    started_at: timestampField
      .nullable()
      .describe("When its first iteration started; null before."),
    completed_at: timestampField.nullable().describe("When its last iteration ended; null before."),
    duration_ms: z
      .int()
      .nullable()
      .describe("Milliseconds from its start to its end; null until it ended."),
    ...Attempts,
    credits: Credits,
    credits_saved: CreditsSaved,
    usage: NodeUsage,
    models: z.array(ModelUse).describe("The models that the node used."),
    media_processing: MediaProcessing.optional().describe(
      "Sums over the iterations of a completed node of the category `video`; other nodes do not have it.",
    ),
    picture_colors: PictureColors.optional().describe(
      "Pictures in other colors than sRGB that a completed node converted, summed over its iterations; omitted if there were none.",
    ),
    iterations: IterationSummary.describe("Its iterations by state."),
    error: TraceError.nullable().describe("The first failure of the node; null if none failed."),
  })
  .meta({ id: "NodeTrace" });
export type NodeTrace = z.infer<typeof NodeTrace>;

/** `GET /executions/{run_id}/trace` (docs/contract/trace.md#report). */
export const Trace = z
  .object({
    execution_id: z.string().describe("Id of the run."),
    status: RunStatus.describe("Status of the run."),
    started_at: timestampField.nullable().describe("When the run started; null before."),
    completed_at: timestampField.nullable().describe("When the run ended; null until then."),
    nodes: z.array(NodeTrace).describe("Every node of the definition."),
    totals: z
      .object({
        nodes: z.int().describe("How many nodes there are."),
        iterations: IterationSummary.describe("The iterations of all nodes by state."),
        retry_count: z.int().describe("Attempts that were repeated after a transient fault."),
        attempt_count: z.int().describe("Attempts that were started."),
        credits: z.number().describe("Credits charged."),
        credits_saved: CreditsSaved,
        duration_ms: z
          .int()
          .nullable()
          .describe("Milliseconds from the start of the run to its end; null until it ended."),
      })
      .describe("Sums over all nodes."),
    as_of: AsOf.optional(),
  })
  .meta({ id: "Trace" });
export type Trace = z.infer<typeof Trace>;

/** Filter of iterations, by outcome or by state. */
export const ITERATION_FILTERS = [
  "ok",
  "failed",
  "blocked",
  "absent",
  "running",
  "pending",
] as const;
export type IterationFilter = (typeof ITERATION_FILTERS)[number];

/** One run of a node: positions only, no values. */
export const TraceIteration = z
  .object({
    input_indices: z
      .array(z.int())
      .describe("Index of the element in each axis, from 0; empty for a node that runs once."),
    state: NodeTraceState.exclude(["partial_success"]).describe("What became of the iteration."),
    ...Attempts,
    duration_ms: z
      .int()
      .nullable()
      .describe("Time in the runner; null if the run executed the node itself."),
    credits: Credits,
    usage: NodeUsage,
    reused: ReusedFrom,
    error: TraceError.nullable().describe("Why the iteration failed; null if it did not."),
  })
  .meta({ id: "TraceIteration" });
export type TraceIteration = z.infer<typeof TraceIteration>;

export const TraceIterationPage = z
  .object({
    data: z.array(TraceIteration).describe("The iterations of this page."),
    has_more: z.boolean().describe("Whether more pages exist; stop when false."),
    next_cursor: z.string().nullable().describe("Pass as `after` for the next page."),
    total_count: z.int().describe("How many iterations match in all."),
  })
  .meta({ id: "TraceIterationPage" });
export type TraceIterationPage = z.infer<typeof TraceIterationPage>;
