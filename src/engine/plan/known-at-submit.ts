import type { Plan } from "./plan.ts";

/**
 * Whether the elements that a node opens follow from the definition and the inline inputs of a
 * submit (docs/contract/credits.md#plans-known-at-submit): literal ranges, submitted lists, and lists nested in those. What a node
 * computes in between is known only in the run, and so is what lies in files: inputs `filed`.
 */
export function isKnownAtSubmit(plan: Plan, index: number, filed: ReadonlySet<string>): boolean {
  const node = plan.nodes[index];
  if (node?.type.role === "input") {
    return !filed.has(node.id);
  }
  return (
    node?.type.role === "enumerator" &&
    node.type.enumerate !== undefined &&
    node.inputs.every((input) =>
      input.sources.every((source) => isKnownAtSubmit(plan, source.node, filed)),
    )
  );
}
