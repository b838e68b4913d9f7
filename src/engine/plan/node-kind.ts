import type { NodeType } from "../../nodes/define-roles.ts";
import type { PlanNode } from "./plan.ts";

/** Whether a node opens an axis: `enumerate/*`, and inputs that fan out. */
export function isEnumerator(node: Pick<PlanNode, "axis">): boolean {
  return node.axis >= 0;
}

export function isAggregator(node: Pick<PlanNode, "type">): boolean {
  return node.type.role === "aggregator";
}

/** Whether a node runs once for each element of its scope and returns one result there. */
export function isElementwise(node: PlanNode): boolean {
  const { role } = node.type;
  return (
    role === "transform" || role === "merge" || role === "output" || isPreparedInput(node.type)
  );
}

type NodeRun = Extract<NodeType, { role: "transform" }>["run"];

/** An input whose submitted value the runner processes before other nodes read it. */
export function isPreparedInput(
  type: NodeType,
): type is Extract<NodeType, { role: "input" }> & { run: NodeRun } {
  return type.role === "input" && type.run !== undefined;
}

/** The port that passes a submitted value to an input that processes it. */
export const SUBMITTED_PORT = "value";

/**
 * The pseudo node of a submitted value that an input processes: the cells of the node itself are its results, so the
 * value has its own node number, below zero. It is settled from the start.
 */
export function submittedNode(node: Pick<PlanNode, "index">): number {
  return -1 - node.index;
}
