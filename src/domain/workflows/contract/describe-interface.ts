import type { CustomInterface, InterfaceField } from "../../../contracts/workflows/definition.ts";
import type { NamedInterface, WorkflowInterface } from "../../../contracts/workflows/workflow.ts";
import type { InputPart, InterfaceParts } from "./interface-parts.ts";
import { stringifyJson } from "../../../lib/json/exact-json.ts";
import { hasDefault } from "../../../nodes/define-node.ts";

/** The public view of a custom interface: its bindings are not shown. */
export function describeInterface(entry: CustomInterface, parts: InterfaceParts): NamedInterface {
  return {
    id: entry.id ?? "",
    name: entry.name,
    description: entry.description ?? "",
    is_default: entry.is_default,
    fields: entry.fields.map((field) => ({
      key: field.key,
      label: field.label ?? field.key,
      description: field.description ?? "",
      type: field.type,
      ...fieldNeeds(field, parts),
      ...(field.category === undefined ? {} : { category: field.category }),
      ...(field.constraints === undefined ? {} : { constraints: field.constraints }),
    })),
    outputs: entry.outputs.map(({ key, label }) => ({ key, label: label ?? key })),
  };
}

/**
 * Like `inputNeeds`: the field's default has priority over the node's, and either makes it optional
 * (docs/contract/workflows.md#interfaces).
 */
function fieldNeeds(
  field: InterfaceField,
  parts: InterfaceParts,
): { required: boolean; default_value?: string } {
  if (field.default_value !== undefined) {
    return { required: false, default_value: field.default_value };
  }
  const bound =
    field.bind.parameter === undefined
      ? parts.inputs.find((input) => input.nodeId === field.bind.node)
      : undefined;
  if (bound === undefined) {
    return { required: field.required };
  }
  const needs = inputNeeds(bound);
  return needs.default_value === undefined ? { required: field.required || needs.required } : needs;
}

/** The default interface: one port for each input and output node (docs/contract/workflows.md#ports). */
export function buildInterface(parts: InterfaceParts): WorkflowInterface {
  return {
    inputs: parts.inputs.map((input) => ({
      name: input.name,
      type: input.type.inputKind,
      label: input.label,
      ...inputNeeds(input),
    })),
    outputs: parts.outputs.map(({ key, type, label }) => ({ name: key, type, label })),
  };
}

/**
 * Whether a submit without the input is rejected, and the default that is used otherwise. A
 * required input with a default may be omitted, so it is not reported as required
 * (docs/contract/workflows.md#ports, required rule).
 */
export function inputNeeds(input: InputPart): { required: boolean; default_value?: string } {
  if (input.params === undefined) {
    return { required: true };
  }
  const fallback = input.type.defaultValue(input.params);
  return fallback === undefined
    ? { required: input.type.isRequired(input.params) && !hasDefault(input.type, input.params) }
    : { required: false, default_value: stringifyJson(fallback) };
}
