import type { Plan } from "./plan.ts";

/**
 * Whether the elements of a node follow from the definition and the inline inputs of a submit
 * (docs/contract/credits.md#plans-known-at-submit): literal ranges, submitted lists, and lists nested in those.
 * Computed values and the contents of files (inputs `filed`) are known only during the run.
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
