import { isElementwise } from "../plan/node-kind.ts";
import type { Plan, PlanNode } from "../plan/plan.ts";
import type { RunState } from "../step/run-state.ts";

/** Open nodes of the same scope that read this one, directly or through other nodes of that scope. */
export function downstreamOf(plan: Plan, state: RunState, from: PlanNode): PlanNode[] {
  const reached = new Set([from.index]);
  return plan.nodes.filter((node) => {
    const reads = node.inputs.some((input) =>
      input.sources.some((source) => reached.has(source.node)),
    );
    if (!reads || node.scope !== from.scope || !isElementwise(node)) {
      return false;
    }
    reached.add(node.index);
    return state.nodes[node.index]?.phase === "open";
  });
}
