import * as z from "zod";
import { listOf } from "./list.ts";
import { AdmissionLimits, Execution, ItemError, RawOutput } from "./run.ts";

/** Read once more from the body's own text, so that keys like `__proto__` are seen: `bindInputs` checks each entry. */
const Inputs = z
  .record(
    z.string(),
    z.unknown().meta({
      type: "object",
      oneOf: [
        {
          type: "object",
          properties: {
            value: {
              type: "string",
              description: "The input serialised to JSON, carried as a string.",
            },
          },
          required: ["value"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            asset_path: { type: "string", description: "The storage path of a stored file." },
          },
          required: ["asset_path"],
          additionalProperties: false,
        },
      ],
    }),
  )
  .describe("By input key: exactly one of `value` (JSON-encoded) and `asset_path`.");

/** Body of `POST /api/v1/executions` (docs/contract/executions.md#submit). */
export const SubmitExecution = z
  .strictObject({
    workflow: z.string().describe("`wf_…`"),
    inputs: Inputs.optional(),
    version: z.int().optional().describe("Pins a version; without it the latest published one."),
    interface: z
      .string()
      .max(200)
      .nullable()
      .optional()
      .describe("Id of a custom interface; without it the default one."),
    admission_limits: AdmissionLimits.optional(),
  })
  .meta({ id: "SubmitExecution" });
export type SubmitExecution = z.infer<typeof SubmitExecution>;

/** In lists `outputs` is empty, and their total is left out. */
export const ExecutionListItem = Execution.omit({ outputs_total: true }).meta({
  id: "ExecutionListItem",
});
export type ExecutionListItem = z.infer<typeof ExecutionListItem>;

export const ExecutionList = listOf(ExecutionListItem).meta({ id: "ExecutionList" });
export type ExecutionList = z.infer<typeof ExecutionList>;

export const RawOutputList = listOf(RawOutput).meta({ id: "RawOutputList" });

export const ResultItem = z
  .object({
    key: z.string(),
    type: z.string(),
    delivery: z.enum(["inline", "resolved_text", "asset", "absent", "unavailable"]),
    value: z.unknown(),
    url: z.string().nullable(),
    parse: z.object({
      status: z.enum(["parsed", "failed", "not_attempted", "too_large"]),
      format: z.enum(["json", "text"]).nullable(),
      strategy: z.string(),
    }),
    raw_value: z.string().nullable(),
    thumbnail_url: z
      .string()
      .nullable()
      .optional()
      .describe(
        "Of image outputs: an address that browsers draw, today that of the picture itself; null where there is no such picture.",
      ),
    content_type: z.string().optional(),
    size_bytes: z.int().optional(),
    error: ItemError.nullable().optional().describe("Of what is `unavailable`: why."),
    source: z.object({ name: z.string(), logical_name: z.string(), node_id: z.string() }),
    input_indices: z.array(z.int()),
  })
  .meta({ id: "ResultItem" });

/** `GET /api/v1/executions/{id}/result` (docs/contract/results.md#result-view). */
export const ExecutionResult = z
  .object({
    execution_id: z.string(),
    workflow_id: z.string(),
    status: Execution.shape.status,
    is_terminal: z.boolean(),
    next_poll_after_ms: z.number().nullable(),
    credits_used: z.number().optional(),
    result: z.object({
      by_key: z.record(
        z.string(),
        z.object({
          key: z.string(),
          cardinality: z.enum(["single", "multiple"]),
          state: z.enum(["present", "absent", "missing", "not_ready"]),
          value: z.unknown().optional(),
          url: z.string().nullable().optional(),
          items: z.array(ResultItem),
        }),
      ),
      items: z.array(ResultItem),
    }),
    diagnostics: z.object({
      message: z.string(),
      lookup_rule: z.string(),
      expected_output_keys: z.array(z.string()),
      available_output_keys: z.array(z.string()),
      warnings: z.array(z.looseObject({ code: z.string() })),
    }),
  })
  .meta({ id: "ExecutionResult" });
