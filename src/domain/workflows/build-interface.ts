import type { WorkflowInterface } from "../../contracts/workflow.ts";
import { inputNeeds } from "./input-needs.ts";
import type { InterfaceParts } from "./interface-parts.ts";

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
