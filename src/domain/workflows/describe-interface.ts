import type { CustomInterface, InterfaceField } from "../../contracts/definition.ts";
import type { NamedInterface } from "../../contracts/workflow.ts";
import { inputNeeds } from "./input-needs.ts";
import type { InterfaceParts } from "./interface-parts.ts";

/** A custom interface as callers see it: what it is bound to stays inside. */
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

/** As `inputNeeds`: the field's default wins over the node's, and either makes it optional (docs/contract/workflows.md#interfaces). */
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
