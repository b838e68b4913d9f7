/** A comparison of two runs (docs/contract/executions.md#comparison). */
import * as z from "zod";
import { listOf } from "../list.ts";
import { timestampField } from "../timestamp.ts";
import { RunStatus } from "./run.ts";
import { NodeTrace } from "./trace.ts";

export const ItemChange = z.enum(["added", "removed", "changed", "state"]);
export type ItemChange = z.infer<typeof ItemChange>;

const PartChange = z.enum(["added", "removed", "changed"]);

const ComparedRun = z
  .object({
    id: z.string().describe("Id of the run, `run_…`."),
    workflow: z.string().describe("Id of its workflow."),
    workflow_version: z.int().describe("The version that it ran."),
    is_draft: z.boolean().describe("Whether it ran the working definition."),
    status: RunStatus.describe("Its final status."),
    credits_used: z.number().optional().describe("What it was charged; omitted for nothing."),
    duration_ms: z
      .int()
      .nullable()
      .describe("Milliseconds from its start to its end; null if it never started."),
    created_at: timestampField.describe("When it was submitted."),
  })
  .meta({ id: "ComparedRun" });

const PatchOperation = z
  .object({
    op: z.enum(["add", "remove", "replace"]).describe("The operation."),
    path: z.string().describe("JSON Pointer to the place."),
    value: z.unknown().optional().describe("The new value; omitted for `remove`."),
  })
  .meta({ id: "PatchOperation" });

const Patch = z
  .array(PatchOperation)
  .nullable()
  .describe(
    "JSON Patch (RFC 6902) that makes the value of `b` of that of `a`; null above 100 operations or 16 KiB, and for values too large to compare.",
  );

const TextDiff = z
  .object({
    lines_added: z.int().nullable().describe("Lines only in `b`."),
    lines_removed: z.int().nullable().describe("Lines only in `a`."),
    lines_same: z.int().nullable().describe("Lines in both."),
    unified: z.string().nullable().describe("Unified format; null above 4 KiB."),
  })
  .meta({ id: "TextDiff" })
  .describe(
    "Of a shortest script of removed and added lines; all null where a side has more than 5,000 lines or the script more than 2,000, or both more than 8 MiB.",
  );

const InputSide = z
  .object({
    sha256: z.string().nullable().describe("Of the stored bytes; null if none was kept."),
    size_bytes: z.int().describe("Size of the stored bytes."),
  })
  .meta({ id: "ComparedInput" });

const ItemSide = z
  .object({
    presence: z.enum(["present", "absent", "missing"]).describe("Whether the item has a value."),
    sha256: z.string().nullable().describe("Of the stored bytes; null without a value."),
    size_bytes: z.int().nullable().describe("Size of the stored bytes; null without a value."),
    content_type: z.string().nullable().describe("Media type of the value; null without a value."),
  })
  .meta({ id: "ComparedItem" });
export type ItemSide = z.infer<typeof ItemSide>;

const ItemDifference = z
  .object({
    key: z.string().describe("Key of the output."),
    input_indices: z.array(z.int()).describe("Index on each axis; empty for a single output."),
    change: ItemChange.describe(
      "`added`: `a` has no such place; `removed`: `b` has none; `state`: a side is not `present`.",
    ),
    type: z.string().describe("Type of the output."),
    a: ItemSide.nullable().describe("The item of `a`; null if it has none."),
    b: ItemSide.nullable().describe("The item of `b`; null if it has none."),
    patch: Patch.optional(),
    text: TextDiff.optional(),
  })
  .meta({ id: "ItemDifference" });
export type ItemDifference = z.infer<typeof ItemDifference>;

const InputDifference = z
  .object({
    key: z.string().describe("Key of the input."),
    change: PartChange.describe("`added`: only `b` has a value; `removed`: only `a`."),
    type: z.string().describe("Type of the input."),
    a: InputSide.nullable().describe("The value of `a`; null if it has none."),
    b: InputSide.nullable().describe("The value of `b`; null if it has none."),
    patch: Patch.optional(),
    text: TextDiff.optional(),
  })
  .meta({ id: "InputDifference" });
export type InputDifference = z.infer<typeof InputDifference>;

const ConnectionEnd = z
  .object({
    node: z.string().describe("Id of the node."),
    port: z.string().describe("Name of the port."),
  })
  .meta({ id: "ConnectionEnd" });

const Connection = z
  .object({
    from: ConnectionEnd.describe("The output."),
    to: ConnectionEnd.describe("The input that receives it."),
  })
  .meta({ id: "ComparedConnection" });

const DefinitionDifference = z
  .object({
    is_same: z.boolean().describe("Positions and labels of nodes do not count."),
    nodes: z
      .array(
        z.object({
          node_id: z.string().describe("Id of the node."),
          change: PartChange.describe("`added`: only in `b`; `removed`: only in `a`."),
          patch: Patch.optional().describe("Over `{type, parameters, cache}`, of a changed node."),
        }),
      )
      .describe("The nodes that differ."),
    connections: z
      .object({
        added: z.array(Connection).describe("Those only in `b`."),
        removed: z.array(Connection).describe("Those only in `a`."),
      })
      .describe("The connections that differ."),
  })
  .meta({ id: "DefinitionDifference" });
export type DefinitionDifference = z.infer<typeof DefinitionDifference>;

const creditsDelta = z.number().describe("Credits of `b` minus those of `a`.");
const durationDelta = z
  .int()
  .nullable()
  .describe("Milliseconds of `b` minus those of `a`; null if one of them has none.");

const NodeSide = NodeTrace.pick({
  state: true,
  iterations: true,
  credits: true,
  duration_ms: true,
}).meta({ id: "ComparedNode" });

const NodeDifference = z
  .object({
    node_id: z.string().describe("Id of the node."),
    change: z
      .enum(["same", "added", "removed", "changed"])
      .describe("`changed`: its definition, iteration counts or the content of an output differ."),
    a: NodeSide.nullable().describe("The node in `a`; null if it is not there."),
    b: NodeSide.nullable().describe("The node in `b`; null if it is not there."),
    credits_delta: creditsDelta,
    duration_delta_ms: durationDelta,
  })
  .meta({ id: "NodeDifference" });
export type NodeDifference = z.infer<typeof NodeDifference>;

const counts = {
  same: z.int().describe("Items with the same content or, without a value, the same presence."),
  changed: z.int().describe("Items with other content."),
  added: z.int().describe("Items of `b` whose place `a` does not have."),
  removed: z.int().describe("Items of `a` whose place `b` does not have."),
  state_changed: z.int().describe("Items of which a side is not `present`."),
};

const OutputState = z.enum(["present", "absent", "missing"]).nullable();

const OutputDifference = z
  .object({
    key: z.string().describe("Key of the output."),
    ...counts,
    a_state: OutputState.describe("State of the output in `a`; null without it."),
    b_state: OutputState.describe("State of the output in `b`; null without it."),
  })
  .meta({ id: "OutputDifference" });
export type OutputDifference = z.infer<typeof OutputDifference>;

export const RunComparison = z
  .object({
    a: ComparedRun.describe("The first run."),
    b: ComparedRun.describe("The second run."),
    is_identical: z
      .boolean()
      .describe("Whether inputs, statuses and items are the same and the definitions equal."),
    relation: z
      .enum(["retry", "same_version", "same_workflow", "unrelated"])
      .describe("`retry`: both belong to one chain of retries."),
    inputs: z.array(InputDifference).describe("The inputs that differ."),
    definition: DefinitionDifference.describe("The difference of the definitions."),
    nodes: z.array(NodeDifference).describe("In the order of `b`, then those only in `a`."),
    outputs: z.array(OutputDifference).describe("Every output of either run, by key."),
    totals: z
      .object({
        items_compared: z.int().describe("Places of items in either run."),
        ...counts,
        credits_delta: creditsDelta,
        duration_delta_ms: durationDelta,
      })
      .describe("Sums over all outputs, and over the runs."),
    items: listOf(ItemDifference).describe("The items that differ, by key and then by indices."),
  })
  .meta({ id: "RunComparison" });
export type RunComparison = z.infer<typeof RunComparison>;
