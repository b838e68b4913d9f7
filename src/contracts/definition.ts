import * as z from "zod";
import { LIMITS } from "../lib/limits-table.ts";
import { MEDIA_KIND_NAMES } from "./media-kinds.ts";

/**
 * Ids and port names come from the author; this limits them to a bounded length and printable
 * characters.
 */
const Name = z.string().min(1).max(200);

export const NodeDefinition = z.strictObject({
  id: Name,
  type: z.string().min(1).max(200),
  label: z.string().max(200).optional(),
  parameters: z.record(z.string(), z.unknown()).default({}),
  position: z.strictObject({ x: z.number(), y: z.number() }).optional(),
});
export type NodeDefinition = z.infer<typeof NodeDefinition>;

const Endpoint = z.strictObject({ node: Name, port: Name });

export const Connection = z.strictObject({ from: Endpoint, to: Endpoint });
export type Connection = z.infer<typeof Connection>;

export const InterfaceField = z.strictObject({
  key: Name,
  label: z.string().max(200).optional(),
  description: z.string().max(2000).optional(),
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
      allowed_values: z.array(z.string()).max(500).optional(),
    })
    .optional(),
  bind: z.strictObject({ node: Name, parameter: Name.optional() }),
});
export type InterfaceField = z.infer<typeof InterfaceField>;

export const CustomInterface = z.strictObject({
  id: z.string().max(200).optional(),
  name: z.string().min(1).max(200),
  description: z.string().max(2000).optional(),
  is_default: z.boolean().default(false),
  fields: z.array(InterfaceField).max(500),
  outputs: z
    .array(z.strictObject({ key: Name, label: z.string().max(200).optional(), node: Name }))
    .max(500),
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
  interfaces: z.array(CustomInterface).max(100).default([]),
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
