import * as z from "zod";
import type { InterfaceField } from "../../../contracts/workflows/definition.ts";
import type { NodeType } from "../../../nodes/define-roles.ts";

export interface ExposableParameter {
  /** Field types that may set it. */
  readonly fieldTypes: readonly InterfaceField["type"][];
  /** The accepted values, if they are listed. */
  readonly options: readonly string[] | undefined;
}

/**
 * A parameter that a custom interface may set; undefined if the node does not have it or does not
 * expose it.
 */
export function exposableParameter(type: NodeType, name: string): ExposableParameter | undefined {
  const shape: Readonly<Record<string, z.ZodType>> = type.params.shape;
  const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
  if (schema === undefined || metaOf(schema)["exposable"] !== true) {
    return undefined;
  }
  const inner = unwrap(schema);
  if (inner instanceof z.ZodNumber || inner.meta()?.["type"] === "number") {
    return { fieldTypes: ["number"], options: undefined };
  }
  if (inner instanceof z.ZodBoolean) {
    return { fieldTypes: ["boolean"], options: undefined };
  }
  if (inner instanceof z.ZodEnum) {
    return { fieldTypes: ["enum", "text", "preset", "effect"], options: inner.options.map(String) };
  }
  if (inner instanceof z.ZodString) {
    return { fieldTypes: ["text", "enum", "preset", "effect"], options: undefined };
  }
  return { fieldTypes: ["json", "text", "number", "boolean", "enum"], options: undefined };
}

/** The meta of a node's parameter: its title, its category and so on; empty without such a parameter. */
export function parameterMeta(type: NodeType, name: string): Readonly<Record<string, unknown>> {
  const shape: Readonly<Record<string, z.ZodType>> = type.params.shape;
  const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
  return schema === undefined ? {} : metaOf(schema);
}

function metaOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const own = schema.meta();
  if (own !== undefined) {
    return own;
  }
  const inner = innerOf(schema);
  return inner === undefined ? {} : metaOf(inner);
}

function unwrap(schema: z.ZodType): z.ZodType {
  const inner = innerOf(schema);
  return inner === undefined ? schema : unwrap(inner);
}

function innerOf(schema: z.ZodType): z.ZodType | undefined {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return schema.def.innerType as z.ZodType;
  }
  if (schema instanceof z.ZodPipe) {
    // `preprocess` has the transform first, `transform` has it last: the other side describes the
    // value.
    const { in: first, out: last } = schema.def;
    return (first instanceof z.ZodTransform ? last : first) as z.ZodType;
  }
  return undefined;
}
