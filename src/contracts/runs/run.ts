import * as z from "zod";
import type { EmbedOrigin } from "../embeds/embed-origin.ts";
import type { ResolvedReference } from "../references.ts";
import { timestampField } from "../timestamp.ts";
import type { CacheOptions } from "./cache-options.ts";
import { originFields, type RunOrigin } from "./run-origin.ts";

export const TERMINAL_STATUSES = ["completed", "partial_success", "failed", "cancelled"] as const;
export const RunStatus = z
  .enum(["pending", "running", "cancelling", ...TERMINAL_STATUSES])
  .meta({ id: "ExecutionStatus" });
export type RunStatus = z.infer<typeof RunStatus>;

export function isTerminal(status: RunStatus): boolean {
  return (TERMINAL_STATUSES as readonly string[]).includes(status);
}

export const AdmissionLimits = z
  .strictObject({
    max_iterations_per_node: z
      .int()
      .positive()
      .optional()
      .describe("Most iterations that any node may have."),
    max_admitted_milli_credits: z
      .int()
      .positive()
      .optional()
      .describe("Most milli-credits that the run may reserve."),
  })
  .meta({ id: "AdmissionLimits" });
export type AdmissionLimits = z.infer<typeof AdmissionLimits>;

/** The moment of a past state (docs/contract/executions.md#past-states). */
export const AsOf = z
  .object({
    event_id: z.string().describe("The event that was asked for."),
    at: timestampField.describe("When its commit was made."),
  })
  .meta({ id: "AsOf" })
  .describe("The moment that a past state shows; only where `as_of_event` is sent.");
export type AsOf = z.infer<typeof AsOf>;

/** Public execution object (docs/contract/executions.md#fields). */
export const Execution = z
  .object({
    id: z.string().describe("Id of the run, `run_…`."),
    workflow: z.string().describe("Id of the workflow."),
    workflow_name: z.string().describe("Name of the workflow when the run was submitted."),
    workflow_version: z.int().describe("The version that runs."),
    interface: z
      .string()
      .nullable()
      .describe("Id of the custom interface; null for the default one."),
    status: RunStatus.describe(
      "`completed`, `partial_success`, `failed` and `cancelled` are final.",
    ),
    progress: z
      .int()
      .min(0)
      .max(100)
      .describe("Settled share of the planned items in percent; 100 only in a final status."),
    progress_message: z.string().describe("What the run does now, for people."),
    credits_used: z
      .number()
      .optional()
      .describe("Credits charged so far; omitted until the first charge."),
    error_code: z
      .string()
      .nullable()
      .describe("Stable code of the failure shown; null if nothing failed."),
    error_message: z
      .string()
      .nullable()
      .describe("What failed, for people; null if nothing failed."),
    error_node_id: z
      .string()
      .nullable()
      .describe("The node that `error_code` refers to; null if no node caused the failure."),
    error_indices: z
      .array(z.int())
      .nullable()
      .describe(
        "The element of that node, `[]` if it runs once; null if no single element caused the failure.",
      ),
    created_at: timestampField.describe("When the run was accepted."),
    started_at: timestampField
      .nullable()
      .describe("When the run started; null while it is `pending`."),
    completed_at: timestampField.nullable().describe("When the run ended; null until then."),
    end_user_id: z
      .string()
      .nullable()
      .describe("The person of the embed token that started the run; null for other runs."),
    embed: z
      .string()
      .nullable()
      .describe("Id of the embed token that started the run, `emb_…`; null for other runs."),
    ...originFields,
    is_draft: z
      .boolean()
      .describe("Whether the run has a copy of the working definition in place of a version."),
    reused_iterations: z
      .int()
      .describe("Iterations that were taken over from another run in place of working them out."),
    outputs_expired_at: timestampField
      .optional()
      .describe(
        "When the outputs were deleted at the end of the plan's `output_retention_days`; omitted until then.",
      ),
    outputs: z
      .array(z.lazy(() => RawOutput))
      .describe("The first 100 raw outputs; empty in lists."),
    outputs_total: z.int().describe("How many raw outputs there are."),
    last_event_id: z
      .string()
      .describe("Id of the last event of the run; `as_of_event` accepts it. Omitted in lists."),
    as_of: AsOf.optional(),
  })
  .meta({ id: "Execution" });
export type Execution = z.infer<typeof Execution>;

/** The reason why an item has no value: its first failure upstream. */
export const ItemError = z
  .object({
    code: z.string().describe("Stable code of the failure."),
    message: z.string().describe("What failed, for people."),
    node_id: z.string().nullable().describe("The node that failed; null if no node failed."),
  })
  .meta({ id: "ItemError" });

/** Flat, ungrouped output (docs/contract/results.md#raw-outputs). */
export const RawOutput = z
  .object({
    name: z.string().describe("Name with a suffix that is unique among all runs; not a key."),
    logical_name: z.string().describe("The key of the output in results."),
    node_id: z.string().describe("The output node."),
    type: z.string().describe("Type of the value: a port type, such as `text` or `image`."),
    presence: z
      .enum(["present", "absent", "missing"])
      .describe(
        "`present`: it has `value` or `url`. `missing`: something failed. `absent`: a branch was not taken.",
      ),
    value: z.string().optional().describe("The text or JSON text, up to 64 KiB."),
    url: z.string().optional().describe("Address of the file."),
    error: ItemError.nullable().optional().describe("The reason, for a `missing` output."),
    input_indices: z
      .array(z.int())
      .describe("Index of the element in each axis, from 0; empty for a single output."),
  })
  .meta({ id: "RawOutput" });
export type RawOutput = z.infer<typeof RawOutput>;

/** The use of the result cache, with the figures of the plan at submit. */
export interface RunCache extends CacheBounds {
  /** As submitted; null if the submit says nothing. */
  readonly options: CacheOptions | null;
}

/** Figures of the plan that bound what a run writes to the result cache. */
export interface CacheBounds {
  /** Seconds that an entry lives. */
  readonly ttl: number;
  /** Bytes of all entries of the workspace. */
  readonly max_bytes: number;
  /** Storage of the workspace beyond which nothing is written, in bytes; null for no limit. */
  readonly quota_bytes: number | null;
}

/**
 * The start of a run, sent by the API to the run object and kept by the workspace object until the
 * run has acknowledged it. Plain data; `v` grows when a field changes its meaning.
 */
export interface RunStart {
  readonly v: 1;
  readonly run_id: string;
  readonly workspace_id: string;
  readonly organization_id: string;
  readonly correlation_id: string;
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly workflow_version: number;
  readonly interface_id: string | null;
  /**
   * The definition of the pinned version, as JSON text. It is immutable, so id and version can be
   * the key in the plan cache.
   */
  readonly definition_json: string;
  /** Values of the input nodes by node id, each as JSON text; nodes without a value are omitted. */
  readonly inputs: readonly { readonly node_id: string; readonly value_json: string }[];
  /** Input nodes with a stored file as input, and the file as a stored value (`["f", …]`). */
  readonly input_files?: readonly { readonly node_id: string; readonly stored: string }[];
  /** Values that a custom interface sets on node parameters; already checked. */
  readonly parameter_overrides: readonly {
    readonly node_id: string;
    readonly parameter: string;
    readonly value_json: string;
  }[];
  /** Node ids of the outputs in the selected interface; null means all. */
  readonly output_node_ids: readonly string[] | null;
  readonly admission_limits: AdmissionLimits;
  readonly created_at_ms: number;
  /** Milli-credits that the workspace reserved at admission. */
  readonly reserved_milli_credits: number;
  /** Paid nodes that this reservation covers, with the number of iterations of each. */
  readonly prepaid: readonly { readonly node_id: string; readonly iterations: number }[];
  /**
   * Unit cost of each paid node at the time of the reservation; omitted nodes are free. Absent in
   * starts from before this field existed.
   */
  readonly unit_costs?: readonly { readonly node_id: string; readonly milli_credits: number }[];
  /**
   * The content of the definition's references at admission: the run compiles with exactly this
   * content. Absent if there are no references.
   */
  readonly references?: readonly ResolvedReference[];
  /** How the run uses the result cache; absent if neither its submit nor its definition says anything. */
  readonly cache?: RunCache;
  /** The run that this one is a retry of, from which it takes elements over; absent for a run from nothing. */
  readonly retry?: {
    readonly source: string;
    /** Elements that run again although the source has them. */
    readonly rerun: {
      readonly node: string;
      readonly indices: readonly (readonly number[])[] | null;
    } | null;
  };
  /** Keys of inputs of the source that the definition has no place for. */
  readonly dropped_inputs?: readonly string[];
  /** The definition is the working one, of which the run has a copy of its own; absent for a published version. */
  readonly is_draft?: boolean;
  /** The embed token that submitted the run; absent for other runs. */
  readonly embed?: EmbedOrigin;
  /** The members that are not null; absent if all are. */
  readonly origin?: Partial<RunOrigin>;
  /** Maximum duration (plan limit), from the run's start. */
  readonly time_limit_ms: number;
  /**
   * Maximum number of tasks of all runs of the workspace in the runner, by its plan; 256 if absent.
   */
  readonly max_outstanding_tasks?: number;
  /**
   * Accepted beyond the plan's concurrency: the run waits for `promote` from the workspace object.
   */
  readonly is_held: boolean;
}
