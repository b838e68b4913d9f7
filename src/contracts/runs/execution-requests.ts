import * as z from "zod";
import { listOf } from "../list.ts";
import { CacheOptions } from "./cache-options.ts";
import { AdmissionLimits, AsOf, Execution, ItemError, RawOutput } from "./run.ts";
import { clientReferenceField } from "./run-origin.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/**
 * Read again from the text of the body, so that keys like `__proto__` are kept: `bindInputs` checks
 * each entry.
 */
export const InputEntry = z.unknown().meta({
  type: "object",
  oneOf: [
    {
      type: "object",
      properties: {
        value: {
          type: "string",
          description: "The input serialized to JSON, carried as a string.",
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
});

/** Inputs of a submit, by key. */
export const Inputs = z
  .record(z.string(), InputEntry)
  .describe("By input key: exactly one of `value` (JSON-encoded) and `asset_path`.");

/** Body of `POST /api/v1/executions` (docs/contract/executions.md#submit). */
export const SubmitExecution = z
  .strictObject({
    workflow: z.string().describe("`wf_…`"),
    inputs: Inputs.optional(),
    version: z.int().optional().describe("Pins a version; without it the latest published one."),
    interface: z
      .string()
      .max(LIMITS.identifier.value)
      .nullable()
      .optional()
      .describe("Id of a custom interface; without it the default one."),
    admission_limits: AdmissionLimits.optional(),
    cache: CacheOptions.optional().describe(
      "Takes results of other runs, or keeps them (docs/contract/cache.md); without it, what the nodes say.",
    ),
    client_reference: clientReferenceField
      .optional()
      .describe(
        "Your own reference of the run: on the execution, in its event, and a filter of lists. Need not be unique.",
      ),
  })
  .meta({ id: "SubmitExecution" });
export type SubmitExecution = z.infer<typeof SubmitExecution>;

/** In lists, `outputs` is empty, and the total and the last event are omitted. */
export const ExecutionListItem = Execution.omit({
  outputs_total: true,
  last_event_id: true,
  as_of: true,
}).meta({ id: "ExecutionListItem" });
export type ExecutionListItem = z.infer<typeof ExecutionListItem>;

export const ExecutionList = listOf(ExecutionListItem).meta({ id: "ExecutionList" });
export type ExecutionList = z.infer<typeof ExecutionList>;

export const RawOutputList = listOf(RawOutput).meta({ id: "RawOutputList" });

export const ResultItem = z
  .object({
    key: z.string().describe("The key of the output."),
    type: z.string().describe("Type of the value: a port type, such as `text` or `image`."),
    delivery: z
      .enum(["inline", "resolved_text", "asset", "absent", "unavailable"])
      .describe("Where the value is: in `value`, at `url`, or nowhere."),
    value: z
      .unknown()
      .describe("The parsed JSON, or the text; null for files and for absent items."),
    url: z.string().nullable().describe("Address of the file; null where the value is inline."),
    parse: z
      .object({
        status: z
          .enum(["parsed", "failed", "not_attempted", "too_large"])
          .describe("Whether the body was parsed as JSON."),
        format: z.enum(["json", "text"]).nullable().describe("Format of the body; null for files."),
        strategy: z.string().describe("The rule that decided it."),
      })
      .describe("How `value` was made from the body."),
    raw_value: z.string().nullable().describe("The body as text before parsing; null for files."),
    thumbnail_url: z
      .string()
      .nullable()
      .optional()
      .describe(
        "Of image outputs: an address that browsers can show; at present, the address of the picture itself. Null if there is no picture.",
      ),
    content_type: z.string().optional().describe("Media type of the file."),
    size_bytes: z.int().optional().describe("Size of the body in bytes."),
    error: ItemError.nullable().optional().describe("Of `unavailable` outputs: the reason."),
    source: z
      .object({
        name: z.string().describe("Name with a suffix that is unique among all runs; not a key."),
        logical_name: z.string().describe("The key of the output, as raw outputs have it."),
        node_id: z.string().describe("The output node."),
      })
      .describe("The output that the item came from."),
    input_indices: z
      .array(z.int())
      .describe("Index of the element in each axis, from 0; empty for a single output."),
  })
  .meta({ id: "ResultItem" });

/** `GET /api/v1/executions/{id}/result` (docs/contract/results.md#result-view). */
export const ExecutionResult = z
  .object({
    execution_id: z.string().describe("Id of the run."),
    workflow_id: z.string().describe("Id of the workflow."),
    status: Execution.shape.status.describe("Status of the run."),
    is_terminal: z.boolean().describe("Whether the run has ended and the result is final."),
    next_poll_after_ms: z
      .number()
      .nullable()
      .describe("Milliseconds to wait before the next poll; null when the run has ended."),
    credits_used: z.number().optional().describe("Credits charged; only when the run has ended."),
    result: z
      .object({
        by_key: z
          .record(
            z.string(),
            z
              .object({
                key: z.string().describe("The key of the output."),
                cardinality: z
                  .enum(["single", "multiple"])
                  .describe("`multiple` where the output has an item for each iteration."),
                state: z
                  .enum(["present", "absent", "missing", "not_ready"])
                  .describe(
                    "`missing`: something failed. `absent`: a branch was not taken. `not_ready`: the run is live.",
                  ),
                value: z
                  .unknown()
                  .optional()
                  .describe("Value of the only item, where `cardinality` is `single`."),
                url: z
                  .string()
                  .nullable()
                  .optional()
                  .describe("Address of the only item, where `cardinality` is `single`."),
                items: z
                  .array(ResultItem)
                  .describe("Every item of the output, in the order of its indices."),
              })
              .meta({ id: "ResultGroup" }),
          )
          .describe("The outputs by key."),
        items: z.array(ResultItem).describe("The items of all outputs in one list."),
      })
      .meta({ id: "ResultOutputs" })
      .describe("The outputs, grouped and flat."),
    diagnostics: z
      .object({
        message: z.string().describe("State of the result, for people."),
        lookup_rule: z.string().describe("How to find an output."),
        expected_output_keys: z.array(z.string()).describe("The keys that the interface declares."),
        available_output_keys: z.array(z.string()).describe("The keys that have a value now."),
        warnings: z
          .array(z.looseObject({ code: z.string().describe("Stable code of the warning.") }))
          .describe("What the run left out, such as failed elements of a list."),
      })
      .meta({ id: "ResultDiagnostics" })
      .describe("What helps to find an output that is not where it was expected."),
    as_of: AsOf.optional(),
  })
  .meta({ id: "ExecutionResult" });
