import * as z from "zod";
import { MODEL_CAPABILITIES } from "../models/model.ts";
import { USAGE_UNITS } from "../runs/task.ts";
import { listOf } from "../list.ts";

const CatalogPort = z
  .object({
    name: z.string().describe("Name of the port, for connections."),
    type: z.string().describe("A port type; an array port has the suffix `[]`."),
    required: z.boolean().describe("Whether the node needs the port connected."),
    label: z.string().describe("Name of the port for people."),
    multi: z.boolean().describe("Whether the port takes several connections."),
    enumerable: z.boolean().describe("Whether what follows runs once for each element."),
    min_count: z.int().optional().describe("Fewest connections that an array port takes."),
    max_count: z.int().optional().describe("Most connections that an array port takes."),
    compact: z.literal(true).optional().describe("An array port with one handle in the editor."),
    accepts: z.array(z.string()).optional().describe("Source types taken besides `type`."),
    type_of: z.string().optional().describe("The output has the type of what feeds this input."),
    schema_ref: z
      .string()
      .optional()
      .describe("Contract of the output's values, under `/api/v1/json-schemas/`."),
  })
  .meta({ id: "NodeTypePort" });
export type CatalogPort = z.infer<typeof CatalogPort>;

const CatalogParameter = z
  .object({
    name: z.string().describe("Name of the parameter, in `parameters` of a node."),
    type: z.string().describe("Kind of the value."),
    label: z.string().describe("Name of the parameter for people."),
    description: z.string().optional().describe("What the parameter does."),
    category: z.string().optional().describe("Heading under which editors group it."),
    required: z.boolean().describe("Whether a node without it is invalid."),
    advanced: z.boolean().describe("Whether editors show it on demand only."),
    exposable: z.boolean().describe("Whether a custom interface may bind a field to it."),
    hidden: z.boolean().describe("Whether editors leave it out."),
    visible_when: z
      .object({
        parameter: z.string().describe("Name of the other parameter."),
        value: z.unknown().describe("The value, or list of values."),
      })
      .meta({ id: "VisibleWhen" })
      .optional()
      .describe(
        "The parameter applies while the other parameter has this value, or one of these values.",
      ),
    value_schema: z.record(z.string(), z.unknown()).describe("JSON Schema of the value."),
    schema_ref: z
      .string()
      .optional()
      .describe("Name of the contract under `/api/v1/json-schemas/`."),
  })
  .meta({ id: "NodeTypeParameter" });
export type CatalogParameter = z.infer<typeof CatalogParameter>;

/** A node type in the catalog's list (docs/contract/catalog.md#node-types). */
export const NodeTypeEntry = z
  .object({
    type: z.string().describe("`category/name`"),
    version: z.string().describe("Version of the node type."),
    name: z.string().describe("Name of the node type for people."),
    description: z.string().describe("What the node does."),
    when_to_use: z.string().describe("When to choose it over similar ones."),
    category: z.string().describe("First part of `type`."),
    sub_category: z
      .string()
      .nullable()
      .describe("Group within the category; null if there is none."),
    status: z
      .enum(["stable", "preview", "deprecated", "latest"])
      .describe("How settled the node type is."),
    supports_effects: z.boolean().describe("Whether effects can be applied to its output."),
    enumerable: z.boolean().describe("Whether what follows runs once for each element."),
    inputs: z.array(CatalogPort).describe("The input ports that do not depend on parameters."),
    outputs: z.array(CatalogPort).describe("The output ports that do not depend on parameters."),
    parameters: z.array(CatalogParameter).describe("The parameters."),
    cost_milli_credits: z
      .int()
      .nullable()
      .describe(
        "The most that one successful run of the node is charged; 1,000 milli-credits are one credit. Null if it depends on the parameters: request an estimate.",
      ),
    cost_unit: z
      .enum(USAGE_UNITS)
      .nullable()
      .describe("The unit of the node's usage; null for a node that is free of charge."),
    time_limit_ms: z
      .int()
      .nullable()
      .describe(
        "An attempt that takes longer ends with `NODE_TIMEOUT`; null for nodes that are limited by their work and not by time.",
      ),
    needs: z
      .array(z.string())
      .describe(
        "Tools of the service that the node uses: `files`, `fetch`, `images`, `codes`, `datasets`, `schemas`, `bundles`, `documents`, `templates`, `models`, `audio`, `video`. Empty for a node that computes from its inputs alone.",
      ),
    cacheable: z
      .enum(["always", "explicit", "never"])
      .describe(
        "Whether runs with `cache` take its results from other runs: `explicit` only where the node itself has a `cache`.",
      ),
    icon: z.string().describe("Name of the icon in the editor."),
    color: z.string().describe("Name of the color in the editor."),
  })
  .meta({ id: "NodeType" });
export type NodeTypeEntry = z.infer<typeof NodeTypeEntry>;

/**
 * A single node type: its catalog entry, and the rules by which its ports depend on its parameters.
 */
export const NodeTypeDetail = NodeTypeEntry.extend({
  capabilities: z
    .array(z.enum(MODEL_CAPABILITIES))
    .describe("The capabilities of models that the node can use."),
  roles: z
    .array(z.string())
    .describe("What the node is in a graph, such as an input or an enumerator."),
  has_dynamic_ports: z.boolean().describe("Whether ports follow from parameters."),
  dynamic_ports: z
    .array(z.record(z.string(), z.unknown()))
    .describe("How ports follow from parameters."),
}).meta({ id: "NodeTypeDetail" });
export type NodeTypeDetail = z.infer<typeof NodeTypeDetail>;

export const NodeTypeList = listOf(NodeTypeEntry).meta({ id: "NodeTypeList" });
export type NodeTypeList = z.infer<typeof NodeTypeList>;
