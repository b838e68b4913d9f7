import type { PlanNode } from "./plan.ts";

/** Opens an axis: `enumerate/*`, and inputs that fan out. */
export function isEnumerator(node: PlanNode): boolean {
  return node.axis >= 0;
}

export function isAggregator(node: PlanNode): boolean {
  return node.type.role === "aggregator";
}

/** Runs once for each element of its scope and gives one result there. */
export function isElementwise(node: PlanNode): boolean {
  const { role } = node.type;
  return role === "transform" || role === "merge" || role === "output";
}
