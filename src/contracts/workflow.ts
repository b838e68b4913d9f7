import * as z from "zod";
import { listOf } from "./list.ts";
import { Name } from "./name.ts";

export const WorkflowStatus = z.enum(["draft", "published", "archived"]);
export type WorkflowStatus = z.infer<typeof WorkflowStatus>;

const timestamp = z.iso.datetime();

/** A workflow in lists (docs/contract/workflows.md#fields). */
export const WorkflowItem = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    version: z.int().describe("The latest published version; 0 before the first."),
    status: WorkflowStatus,
    tags: z.array(z.string()),
    folder_id: z.string().nullable().describe("null is the top level."),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "WorkflowItem" });
export type WorkflowItem = z.infer<typeof WorkflowItem>;
export const WorkflowList = listOf(WorkflowItem).meta({ id: "WorkflowList" });

const InterfaceInput = z.object({
  name: z.string().describe("The key in `inputs` of a submit."),
  type: z.string(),
  label: z.string(),
  required: z.boolean().describe("Whether a submit without it is rejected."),
  default_value: z.string().optional().describe("JSON-encoded."),
});
const InterfaceOutput = z.object({
  name: z.string().describe("The key in results."),
  type: z.string(),
  label: z.string(),
});
export const WorkflowInterface = z
  .object({ inputs: z.array(InterfaceInput), outputs: z.array(InterfaceOutput) })
  .meta({ id: "WorkflowInterface" });
export type WorkflowInterface = z.infer<typeof WorkflowInterface>;

export const NamedInterface = z
  .object({
    id: z.string().describe("Send as `interface`."),
    name: z.string(),
    description: z.string(),
    is_default: z.boolean().describe("Recommended by the author; it does not apply by itself."),
    fields: z.array(
      z.object({
        key: z.string(),
        label: z.string(),
        description: z.string(),
        type: z.string(),
        required: z.boolean(),
        default_value: z.string().optional().describe("JSON-encoded."),
        category: z.string().optional(),
        constraints: z
          .object({
            min: z.number().optional(),
            max: z.number().optional(),
            step: z.number().optional(),
            allowed_values: z.array(z.string()).optional(),
          })
          .optional(),
      }),
    ),
    outputs: z.array(z.object({ key: z.string(), label: z.string() })),
  })
  .meta({ id: "NamedInterface" });
export type NamedInterface = z.infer<typeof NamedInterface>;

const InputEntry = z
  .object({
    value: z.string().optional().describe("The input serialised to JSON, carried as a string."),
    asset_path: z.string().optional(),
  })
  .meta({ id: "ExampleInput" });
const ContractInput = z
  .object({ type: z.string(), required: z.boolean(), default_value: z.string().optional() })
  .meta({ id: "ContractInput" });
const ContractInputs = z.record(z.string(), ContractInput);
const SubmitExample = z
  .object({
    workflow: z.string(),
    version: z.int().optional(),
    interface: z.string().optional(),
    inputs: z.record(z.string(), InputEntry),
  })
  .meta({ id: "SubmitExample" });

const ContractOutput = z.object({
  key: z.string(),
  type: z.string(),
  label: z.string(),
  required: z.boolean().describe("No branch and no optional input can make it absent."),
  cardinality: z.enum(["single", "multiple"]),
  read_from: z.string().describe("Path from the root of a result."),
  delivery: z.enum(["resolved", "asset"]),
  source_node_id: z.string(),
  logical_name: z.string(),
  presence: z.array(z.enum(["present", "absent"])),
  schema: z.null(),
  notes: z.array(z.string()),
});
export type ContractOutput = z.infer<typeof ContractOutput>;

/** What to send and where to read, ready to copy (docs/contract/workflows.md#execution-contract). */
export const ExecutionContract = z
  .object({
    primary: z.object({
      interface: z.string().optional(),
      inputs: ContractInputs,
      example: SubmitExample.describe("A complete submit body that is accepted unchanged."),
      notes: z.array(z.string()),
    }),
    alternative_interfaces: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        inputs: ContractInputs,
        output_keys: z.array(z.string()).describe("Keys in results under this interface."),
        example: SubmitExample,
      }),
    ),
    outputs: z.array(ContractOutput),
    result_example: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "ExecutionContract" });
export type ExecutionContract = z.infer<typeof ExecutionContract>;

export const WorkflowDetail = WorkflowItem.extend({
  interface: WorkflowInterface,
  interfaces: z.array(NamedInterface).optional().describe("Left out when there are none."),
  execution_contract: ExecutionContract.nullable().describe(
    "null while nothing is published and the working definition is not valid.",
  ),
}).meta({ id: "Workflow" });
export type WorkflowDetail = z.infer<typeof WorkflowDetail>;

const WorkflowVersionItem = z
  .object({
    version: z.int(),
    is_current: z.boolean().describe("The latest published version."),
    created_at: timestamp,
  })
  .meta({ id: "WorkflowVersion" });
export const WorkflowVersionList = listOf(WorkflowVersionItem).meta({ id: "WorkflowVersionList" });

const DefinitionProblem = z
  .object({
    field: z.string().describe("JSON path, such as `nodes[3].parameters.expression`."),
    message: z.string(),
    code: z.string(),
    path: z.string().describe("The same as `field`."),
    node_id: z.string().optional(),
    suggestion: z.string().describe("What to do about it, for people."),
  })
  .meta({ id: "DefinitionProblem" });

export const ValidationReport = z
  .object({
    valid: z.boolean(),
    errors: z.array(DefinitionProblem),
    warnings: z.array(DefinitionProblem),
  })
  .meta({ id: "ValidationReport" });

const description = z
  .string()
  .max(10_000)
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "Must be well-formed text");
const tags = z
  .array(Name.max(100))
  .max(50)
  .transform((list) => [...new Set(list)]);
/** `root` and null are the top level. */
const folderId = z.string().max(100).nullable();

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
