import type { Plan, PlanNode } from "./plan.ts";

/**
 * Output ports of a node that no connection leaves from. What they hold is seen by nobody: views and
 * exports show output nodes, which have no ports of their own to be read.
 */
export function unreadPorts(plan: Plan, node: PlanNode): readonly string[] {
  const read = new Set<string>();
  for (const { inputs } of plan.nodes) {
    for (const source of inputs.flatMap((input) => input.sources)) {
      if (source.node === node.index) {
        read.add(source.port);
      }
    }
  }
  return node.type.role === "output"
    ? []
    : [...node.outputTypes.keys()].filter((port) => !read.has(port));
}
