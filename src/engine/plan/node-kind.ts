import type { NodeType } from "../../nodes/define-roles.ts";
import type { PlanNode } from "./plan.ts";

/** Opens an axis: `enumerate/*`, and inputs that fan out. */
export function isEnumerator(node: Pick<PlanNode, "axis">): boolean {
  return node.axis >= 0;
}

export function isAggregator(node: Pick<PlanNode, "type">): boolean {
  return node.type.role === "aggregator";
}

/** Runs once for each element of its scope and gives one result there. */
export function isElementwise(node: PlanNode): boolean {
  const { role } = node.type;
  return (
    role === "transform" || role === "merge" || role === "output" || isPreparedInput(node.type)
  );
}

type NodeRun = Extract<NodeType, { role: "transform" }>["run"];

/** An input whose submitted value the runner works on before anything reads it. */
export function isPreparedInput(
  type: NodeType,
): type is Extract<NodeType, { role: "input" }> & { run: NodeRun } {
  return type.role === "input" && type.run !== undefined;
}

/** Port under which a submitted value reaches an input that works on it. */
export const SUBMITTED_PORT = "value";

/**
 * Where an input that works on its submitted value keeps it: cells of `nodes` are what it makes of
 * it, so the value has a node number of its own, below zero. It is settled from the start.
 */
export function submittedNode(node: Pick<PlanNode, "index">): number {
  return -1 - node.index;
}
