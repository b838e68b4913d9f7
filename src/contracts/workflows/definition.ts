import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { MEDIA_KIND_NAMES } from "../media/media-kinds.ts";
import { CacheOptions } from "../runs/cache-options.ts";

/**
 * Ids and port names come from the author; this limits them to a bounded length and printable
 * characters.
 */
const Name = z.string().min(1).max(LIMITS.identifier.value);

export const NodeDefinition = z.strictObject({
  id: Name,
  type: z.string().min(1).max(LIMITS.identifier.value),
  label: z.string().max(LIMITS.identifier.value).optional(),
  parameters: z.record(z.string(), z.unknown()).default({}),
  cache: CacheOptions.optional(),
  position: z.strictObject({ x: z.number(), y: z.number() }).optional(),
});
export type NodeDefinition = z.infer<typeof NodeDefinition>;

const Endpoint = z.strictObject({ node: Name, port: Name });

export const Connection = z.strictObject({ from: Endpoint, to: Endpoint });
export type Connection = z.infer<typeof Connection>;

export const InterfaceField = z.strictObject({
  key: Name,
  label: z.string().max(LIMITS.identifier.value).optional(),
  description: z.string().max(LIMITS.description.value).optional(),
  type: z.enum([
    "text",
    "number",
    "boolean",
    "json",
    ...MEDIA_KIND_NAMES,
    "enum",
    "preset",
    "effect",
  ]),
  required: z.boolean().default(true),
  default_value: z.string().optional(),
  category: z.string().optional(),
  constraints: z
    .strictObject({
      min: z.number().optional(),
      max: z.number().optional(),
      step: z.number().positive().optional(),
      allowed_values: z.array(z.string()).max(LIMITS.interface_fields.value).optional(),
    })
    .optional(),
  bind: z.strictObject({ node: Name, parameter: Name.optional() }),
});
export type InterfaceField = z.infer<typeof InterfaceField>;

export const CustomInterface = z.strictObject({
  id: z.string().max(LIMITS.identifier.value).optional(),
  name: z.string().min(1).max(LIMITS.identifier.value),
  description: z.string().max(LIMITS.description.value).optional(),
  is_default: z.boolean().default(false),
  fields: z.array(InterfaceField).max(LIMITS.interface_fields.value),
  outputs: z
    .array(
      z.strictObject({
        key: Name,
        label: z.string().max(LIMITS.identifier.value).optional(),
        node: Name,
      }),
    )
    .max(LIMITS.interface_fields.value),
});
export type CustomInterface = z.infer<typeof CustomInterface>;

export const NODES_MAX = LIMITS.nodes.value;
export const CONNECTIONS_MAX = LIMITS.connections.value;

/**
 * A workflow definition as authors write it (docs/contract/workflows.md#definitions). `compile`
 * checks the counts, because it reports more detail.
 */
export const Definition = z.strictObject({
  nodes: z.array(NodeDefinition),
  connections: z.array(Connection).default([]),
  interfaces: z.array(CustomInterface).max(LIMITS.interfaces.value).default([]),
  settings: z.record(z.string(), z.unknown()).default({}),
});
export type Definition = z.infer<typeof Definition>;

/** A working definition as saved. It may be invalid: only its lists are guaranteed. */
export const SavedDefinition = z
  .looseObject({
    nodes: z
      .array(z.looseObject({}))
      .describe("The nodes, in the order that keys and results follow."),
    connections: z
      .array(z.looseObject({}))
      .optional()
      .describe("From an output port to an input port each."),
    interfaces: z.array(z.looseObject({})).optional().describe("The custom interfaces."),
  })
  .meta({ id: "SavedDefinition" });
