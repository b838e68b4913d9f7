import type { Plan, PlanNode } from "./plan.ts";

/**
 * Output ports of a node without outgoing connections. Nothing reads their values: views and exports show output nodes,
 * which have no output ports.
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
