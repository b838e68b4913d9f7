import * as z from "zod";
import { listOf } from "../list.ts";
import { Name } from "../name.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export const WorkflowStatus = z.enum(["draft", "published", "archived"]);
export type WorkflowStatus = z.infer<typeof WorkflowStatus>;

const timestamp = z.iso.datetime();

/** A workflow in lists (docs/contract/workflows.md#fields). */
export const WorkflowItem = z
  .object({
    id: z.string().describe("Id of the workflow, `wf_…`."),
    name: z.string().describe("Name that its author gave."),
    description: z.string().describe("Description that its author gave; may be empty."),
    version: z.int().describe("The latest published version; 0 before the first."),
    status: WorkflowStatus.describe("`draft` and `archived` workflows cannot be run."),
    tags: z.array(z.string()).describe("Tags that lists filter by."),
    folder_id: z.string().nullable().describe("The folder that it lies in; null is the top level."),
    created_at: timestamp.describe("When the workflow was created."),
    updated_at: timestamp.describe("When the workflow, or its working definition, last changed."),
  })
  .meta({ id: "WorkflowItem" });
export type WorkflowItem = z.infer<typeof WorkflowItem>;
export const WorkflowList = listOf(WorkflowItem).meta({ id: "WorkflowList" });

const InterfaceInput = z.object({
  name: z.string().describe("The key in `inputs` of a submit."),
  type: z.string().describe("Type of the value: a port type, such as `text` or `image`."),
  label: z.string().describe("Name of the input for people."),
  required: z.boolean().describe("Whether a submit without it is rejected."),
  default_value: z.string().optional().describe("JSON-encoded."),
});
const InterfaceOutput = z.object({
  name: z.string().describe("The key in results."),
  type: z.string().describe("Type of the value: a port type, such as `text` or `image`."),
  label: z.string().describe("Name of the output for people."),
});
export const WorkflowInterface = z
  .object({
    inputs: z
      .array(InterfaceInput)
      .describe("What a submit sends, in the order of the definition."),
    outputs: z
      .array(InterfaceOutput)
      .describe("What a result has, in the order of the definition."),
  })
  .meta({ id: "WorkflowInterface" });
export type WorkflowInterface = z.infer<typeof WorkflowInterface>;

export const NamedInterface = z
  .object({
    id: z.string().describe("Send as `interface`."),
    name: z.string().describe("Name of the interface for people."),
    description: z.string().describe("What the interface is for; may be empty."),
    is_default: z.boolean().describe("Recommended by the author; it does not apply by itself."),
    fields: z
      .array(
        z.object({
          key: z.string().describe("The key in `inputs` of a submit."),
          label: z.string().describe("Name of the field for people."),
          description: z.string().describe("Help for the field; may be empty."),
          type: z
            .string()
            .describe("Type of the value: `text`, `number`, `image`, `enum` and so on."),
          required: z.boolean().describe("Whether a submit without it is rejected."),
          default_value: z.string().optional().describe("JSON-encoded."),
          category: z.string().optional().describe("Heading under which forms group the field."),
          constraints: z
            .object({
              min: z.number().optional().describe("Smallest number accepted."),
              max: z.number().optional().describe("Largest number accepted."),
              step: z.number().optional().describe("Distance between accepted numbers."),
              allowed_values: z.array(z.string()).optional().describe("The only values accepted."),
            })
            .meta({ id: "FieldConstraints" })
            .optional()
            .describe("Bounds of the value; a value outside of them is rejected."),
        }),
      )
      .describe("What a submit under this interface sends."),
    outputs: z
      .array(
        z.object({
          key: z.string().describe("The key in results."),
          label: z.string().describe("Name of the output for people."),
        }),
      )
      .describe("The outputs that a run under this interface declares."),
  })
  .meta({ id: "NamedInterface" });
export type NamedInterface = z.infer<typeof NamedInterface>;

const InputEntry = z
  .object({
    value: z.string().optional().describe("The input serialized to JSON, carried as a string."),
    asset_path: z.string().optional().describe("The `path` of a stored asset."),
  })
  .meta({ id: "ExampleInput" });
const ContractInput = z
  .object({
    type: z.string().describe("Type of the value: a port type, such as `text` or `image`."),
    required: z.boolean().describe("Whether a submit without it is rejected."),
    default_value: z
      .string()
      .optional()
      .describe("Used where the input is not sent; JSON-encoded."),
  })
  .meta({ id: "ContractInput" });
const ContractInputs = z.record(z.string(), ContractInput);
const SubmitExample = z
  .object({
    workflow: z.string().describe("Id of the workflow."),
    version: z
      .int()
      .optional()
      .describe("The version to pin; the latest published one without it."),
    interface: z
      .string()
      .optional()
      .describe("Id of the custom interface; the default one without it."),
    inputs: z.record(z.string(), InputEntry).describe("By input key: `value` or `asset_path`."),
  })
  .meta({ id: "SubmitExample" });

const ContractOutput = z.object({
  key: z.string().describe("The key in `result.by_key`."),
  type: z.string().describe("Type of the value: a port type, such as `text` or `image`."),
  label: z.string().describe("Name of the output for people."),
  required: z.boolean().describe("No branch and no optional input can make it absent."),
  cardinality: z
    .enum(["single", "multiple"])
    .describe("`multiple` where the output has an item for each iteration."),
  read_from: z.string().describe("Path from the root of a result."),
  delivery: z
    .enum(["resolved", "asset"])
    .describe("`resolved`: the result has the value itself. `asset`: it has an address."),
  source_node_id: z.string().describe("The output node."),
  logical_name: z.string().describe("The key of the output, as raw outputs have it."),
  presence: z
    .array(z.enum(["present", "absent"]))
    .describe("The states that the output of a run without failures may have."),
  schema: z.null().describe("Always null: outputs have no JSON Schema today."),
  notes: z.array(z.string()).describe("Hints on how to read the output."),
});
export type ContractOutput = z.infer<typeof ContractOutput>;

/**
 * The inputs to send and the outputs to read, ready to copy
 * (docs/contract/workflows.md#execution-contract).
 */
export const ExecutionContract = z
  .object({
    primary: z
      .object({
        interface: z.string().optional().describe("Send as `interface`, where present."),
        inputs: ContractInputs.describe("The inputs by key."),
        example: SubmitExample.describe("A complete submit body that is accepted unchanged."),
        notes: z.array(z.string()).describe("Hints on the example, such as files to replace."),
      })
      .describe("What to send by default."),
    alternative_interfaces: z
      .array(
        z.object({
          id: z.string().describe("Send as `interface`."),
          name: z.string().describe("Name of the interface for people."),
          description: z.string().describe("What the interface is for; may be empty."),
          inputs: ContractInputs.describe("The inputs by key."),
          output_keys: z.array(z.string()).describe("Keys in results under this interface."),
          example: SubmitExample.describe("A complete submit body under this interface."),
        }),
      )
      .describe("The other interfaces that a submit may name."),
    outputs: z.array(ContractOutput).describe("The outputs, and where to read each."),
    result_example: z
      .record(z.string(), z.unknown())
      .describe("A result as `GET /executions/{id}/result` returns it."),
  })
  .meta({ id: "ExecutionContract" });
export type ExecutionContract = z.infer<typeof ExecutionContract>;

export const WorkflowDetail = WorkflowItem.extend({
  interface: WorkflowInterface.describe("The default interface: inputs and outputs by name."),
  interfaces: z.array(NamedInterface).optional().describe("Left out when there are none."),
  execution_contract: ExecutionContract.nullable().describe(
    "What to send and where to read; null while nothing is published and the working definition is not valid.",
  ),
}).meta({ id: "Workflow" });
export type WorkflowDetail = z.infer<typeof WorkflowDetail>;

const WorkflowVersionItem = z
  .object({
    version: z.int().describe("Number of the version, from 1."),
    is_current: z.boolean().describe("The latest published version."),
    created_at: timestamp.describe("When the version was published."),
  })
  .meta({ id: "WorkflowVersion" });
export const WorkflowVersionList = listOf(WorkflowVersionItem).meta({ id: "WorkflowVersionList" });

const DefinitionProblem = z
  .object({
    field: z.string().describe("JSON path, such as `nodes[3].parameters.expression`."),
    message: z.string().describe("What is wrong, for people."),
    code: z.string().describe("Stable code of the issue, for programs."),
    path: z.string().describe("The same as `field`."),
    node_id: z.string().optional().describe("The node that has the issue."),
    suggestion: z.string().describe("How to fix the problem, for people."),
  })
  .meta({ id: "DefinitionProblem" });

export const ValidationReport = z
  .object({
    valid: z.boolean().describe("Whether the definition can be published: there are no errors."),
    errors: z
      .array(DefinitionProblem)
      .describe("Problems that keep the definition from being published."),
    warnings: z
      .array(DefinitionProblem)
      .describe("Problems that do not keep it from being published."),
  })
  .meta({ id: "ValidationReport" });

const description = z
  .string()
  .max(LIMITS.workflow_description.value)
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "Must be well-formed text");
const tags = z
  .array(Name.max(LIMITS.tag.value))
  .max(LIMITS.tags.value)
  .transform((list) => [...new Set(list)]);
/** `root` and null mean the top level. */
const folderId = z.string().max(LIMITS.resource_id.value).nullable();

export const CreateWorkflowBody = z.strictObject({
  name: Name,
  description: description.default(""),
  tags: tags.default([]),
  folder_id: folderId.default(null),
  definition: z.looseObject({}).optional().describe("A definition; an empty one when left out."),
});
export type CreateWorkflowBody = z.infer<typeof CreateWorkflowBody>;

export const PatchWorkflowBody = z.strictObject({
  name: Name.optional(),
  description: description.optional(),
  tags: tags.optional(),
  folder_id: folderId.optional(),
});
export type PatchWorkflowBody = z.infer<typeof PatchWorkflowBody>;

export const CloneWorkflowBody = z.strictObject({
  name: Name.optional(),
  folder_id: folderId.optional(),
});
export type CloneWorkflowBody = z.infer<typeof CloneWorkflowBody>;
