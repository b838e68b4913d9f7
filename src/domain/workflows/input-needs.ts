import { stringifyJson } from "../../lib/exact-json.ts";
import { hasDefault } from "../../nodes/define-node.ts";
import type { InputPart } from "./interface-parts.ts";

/**
 * Whether a submit without the input is refused, and what it takes instead. A required input with
 * a default may be left out, so it is not reported as required (docs/contract/workflows.md#ports, required rule).
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
