import type { Plan } from "../../engine/plan/plan.ts";

/**
 * Whether the number of elements of some axis is known only in the run (decisions §6): its
 * enumerator neither counts from its parameters alone nor is fed, at most through other
 * enumerators, by the inputs of the submit.
 */
export function hasDeferredFanOut(plan: Plan): boolean {
  return plan.axes.some((axis) => !isKnownAtSubmit(plan, axis.node));
}

function isKnownAtSubmit(plan: Plan, index: number): boolean {
  const node = plan.nodes[index];
  if (node?.type.role === "input") {
    return true;
  }
  if (node?.type.role !== "enumerator") {
    return false;
  }
  return (
    node.type.staticCount?.(node.params) !== undefined ||
    (node.inputs.length > 0 &&
      node.inputs.every((input) =>
        input.sources.every((source) => isKnownAtSubmit(plan, source.node)),
      ))
  );
}
