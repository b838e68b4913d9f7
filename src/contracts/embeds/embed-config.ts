/** What a page shows of the workflow behind its token: `GET /api/embed/config` (docs/contract/embeds.md#config). */
import * as z from "zod";
import { InterfaceField } from "../workflows/definition.ts";
import { NamedInterface } from "../workflows/workflow.ts";
import { timestampField } from "../timestamp.ts";
import { EmbedExecutions } from "./embed-requests.ts";

/** Versions of the message protocol that the pages speak. */
export const PROTOCOL_VERSIONS = ["1"] as const;

const constraints = NamedInterface.shape.fields.element.shape.constraints;

export const EmbedField = z
  .object({
    key: z.string().describe("The key in `inputs` of a submit."),
    label: z.string().describe("Name of the field for people."),
    description: z.string().describe("Help for the field; may be empty."),
    type: z
      .enum([...InterfaceField.shape.type.options, "data"])
      .describe("Decides the control: `text`, `number`, `image`, `data` (a data file) and so on."),
    required: z
      .boolean()
      .describe("Whether a submit without it is rejected: it is not optional and has no default."),
    default_value: z.string().optional().describe("JSON-encoded."),
    category: z.string().optional().describe("Heading under which forms group the field."),
    constraints,
    multiline: z.boolean().optional().describe("Of text: whether it may have several lines."),
    max_length: z.int().optional().describe("Of text: most characters."),
    accept: z
      .array(z.string())
      .optional()
      .describe("Of files: extensions that the field accepts, each with its dot."),
    max_size_bytes: z.int().optional().describe("Of files: most bytes."),
    options: z
      .array(
        z.object({
          code: z.string().describe("The value to send."),
          name: z.string().describe("Name of the option for people."),
          thumbnail: z.string().optional().describe("Address of a picture of the option."),
        }),
      )
      .optional()
      .describe("Of `preset`, `effect` and `enum`: what can be chosen, in the catalog's order."),
  })
  .meta({ id: "EmbedField" });
export type EmbedField = z.infer<typeof EmbedField>;

export const EmbedOutput = z
  .object({
    key: z.string().describe("The key in results."),
    label: z.string().describe("Name of the output for people."),
    type: z.string().describe("Type of the value: a port type, such as `text` or `image`."),
    cardinality: z
      .enum(["single", "multiple"])
      .describe("`multiple` where the output has an item for each iteration."),
  })
  .meta({ id: "EmbedOutput" });
export type EmbedOutput = z.infer<typeof EmbedOutput>;

export const EmbedConfig = z
  .object({
    protocol: z.array(z.enum(PROTOCOL_VERSIONS)).describe("Versions of the message protocol."),
    workflow: z
      .object({
        id: z.string().describe("Id of the workflow, `wf_…`."),
        name: z.string().describe("Name of the workflow."),
        description: z.string().describe("Its description; may be empty."),
        version: z.int().describe("The latest published version, which runs."),
      })
      .describe("The workflow of the token."),
    interface: z
      .object({
        id: z.string().describe("Id of the interface."),
        name: z.string().describe("Name of the interface."),
        description: z.string().describe("What the interface is for; may be empty."),
      })
      .nullable()
      .describe("The custom interface in force; null for the default one."),
    fields: z.array(EmbedField).describe("The fields of the form, in order."),
    outputs: z.array(EmbedOutput).describe("The outputs of a run, in order."),
    executions: EmbedExecutions.describe("Runs of the token, of those that it may start."),
    allowed_origins: z.array(z.string()).describe("The origins that the token names."),
    end_user_id: z.string().nullable().describe("The person that the token names."),
    expires_at: timestampField.describe("When the token ends."),
    can: z
      .object({
        execute: z.boolean().describe("Whether the token may start and cancel runs."),
        upload: z.boolean().describe("Whether the token may upload files."),
      })
      .describe("What the token and its key allow now."),
  })
  .meta({ id: "EmbedConfig" });
export type EmbedConfig = z.infer<typeof EmbedConfig>;
