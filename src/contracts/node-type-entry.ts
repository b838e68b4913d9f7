import * as z from "zod";
import { USAGE_UNITS } from "./task.ts";
import { listOf } from "./list.ts";

const CatalogPort = z
  .object({
    name: z.string(),
    type: z.string().describe("A port type; an array port has the suffix `[]`."),
    required: z.boolean(),
    label: z.string(),
    multi: z.boolean().describe("Whether the port takes several connections."),
    enumerable: z.boolean().describe("Whether what follows runs once for each element."),
    min_count: z.int().optional(),
    max_count: z.int().optional(),
    compact: z.literal(true).optional(),
    accepts: z.array(z.string()).optional().describe("Source types taken besides `type`."),
    type_of: z.string().optional().describe("The output has the type of what feeds this input."),
  })
  .meta({ id: "NodeTypePort" });
export type CatalogPort = z.infer<typeof CatalogPort>;

const CatalogParameter = z
  .object({
    name: z.string(),
    type: z.string(),
    label: z.string(),
    description: z.string().optional(),
    category: z.string().optional(),
    required: z.boolean(),
    advanced: z.boolean(),
    exposable: z.boolean(),
    hidden: z.boolean(),
    visible_when: z
      .object({ parameter: z.string(), value: z.unknown() })
      .meta({ id: "VisibleWhen" })
      .optional()
      .describe(
        "The parameter applies while the other parameter has this value, or one of these values.",
      ),
    value_schema: z.record(z.string(), z.unknown()).describe("JSON Schema of the value."),
    schema_ref: z.string().optional(),
  })
  .meta({ id: "NodeTypeParameter" });
export type CatalogParameter = z.infer<typeof CatalogParameter>;

/** A node type in the catalog's list (docs/contract/catalog.md#node-types). */
export const NodeTypeEntry = z
  .object({
    type: z.string().describe("`category/name`"),
    version: z.string(),
    name: z.string(),
    description: z.string(),
    when_to_use: z.string(),
    category: z.string(),
    sub_category: z.string().nullable(),
    status: z.enum(["stable", "preview", "deprecated", "latest"]),
    supports_effects: z.boolean(),
    enumerable: z.boolean(),
    inputs: z.array(CatalogPort),
    outputs: z.array(CatalogPort),
    parameters: z.array(CatalogParameter),
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
        "Tools of the service that the node uses: `files`, `fetch`, `images`, `codes`, `datasets`, `schemas`, `bundles`. Empty for a node that computes from its inputs alone.",
      ),
    icon: z.string(),
    color: z.string(),
  })
  .meta({ id: "NodeType" });
export type NodeTypeEntry = z.infer<typeof NodeTypeEntry>;

/** A node type by itself: the entry, and how its ports follow from its parameters. */
export const NodeTypeDetail = NodeTypeEntry.extend({
  capabilities: z.array(z.string()),
  roles: z.array(z.string()),
  has_dynamic_ports: z.boolean(),
  dynamic_ports: z.array(z.record(z.string(), z.unknown())),
}).meta({ id: "NodeTypeDetail" });
export type NodeTypeDetail = z.infer<typeof NodeTypeDetail>;

export const NodeTypeList = listOf(NodeTypeEntry).meta({ id: "NodeTypeList" });
export type NodeTypeList = z.infer<typeof NodeTypeList>;
