import { isAggregator, isElementwise, isEnumerator } from "../plan/node-kind.ts";
import type { Plan, PlanNode } from "../plan/plan.ts";
import type { RunState } from "./run-state.ts";

/**
 * Declared work of a slice, limited so that polls are served between slices
 * (docs/decisions/tasks-and-fairness.md).
 */
export const SLICE_WORK_MAX = 2_000;

/** The same while others wait for the thread, about a millisecond: the end of a slice does not affect any row [E12]. */
export const CONTENDED_SLICE_WORK_MAX = 200;

/** Work that can be done now without waiting. */
export type Work =
  /** Evaluate these nodes, in topological order, at the elements `from` … `to` - 1 of their scope. */
  | {
      readonly type: "elements";
      readonly nodes: readonly PlanNode[];
      readonly from: number;
      readonly to: number;
    }
  /** Open the axis of this enumerator, starting at this element of its scope. */
  | { readonly type: "enumerate"; readonly node: PlanNode; readonly from: number }
  /** [E39] Compare elements of this node with the source, starting at this one. */
  | { readonly type: "match"; readonly node: PlanNode; readonly from: number }
  /** Fold for this aggregator, starting at this element of its output scope. */
  | { readonly type: "aggregate"; readonly node: PlanNode; readonly from: number };

/**
 * Selects the lowest node with unvisited elements, and with it every node of the same scope at the same position: one
 * pass over the rows serves all of them [E12]. `workMax`: declared work of the visited elements, each at least one
 * unit.
 */
export function nextWork(
  plan: Plan,
  state: RunState,
  workMax: number = SLICE_WORK_MAX,
): Work | null {
  if (state.status !== "running" || state.stopped !== null) {
    return null;
  }
  for (const node of plan.nodes) {
    const now = state.nodes[node.index];
    if (now?.phase === "matching") {
      return { type: "match", node, from: now.cursor };
    }
    if (now?.phase !== "open" || now.cursor >= now.total) {
      continue;
    }
    if (isEnumerator(node)) {
      return { type: "enumerate", node, from: now.cursor };
    }
    if (isAggregator(node)) {
      return { type: "aggregate", node, from: now.cursor };
    }
    return elementsFrom(plan, state, node, now.cursor, now.total, workMax);
  }
  return null;
}

function elementsFrom(
  plan: Plan,
  state: RunState,
  first: PlanNode,
  from: number,
  total: number,
  workMax: number,
): Work {
  const lane = plan.nodes.filter((node) => {
    const now = state.nodes[node.index];
    return (
      now?.phase === "open" &&
      isElementwise(node) &&
      node.scope === first.scope &&
      now.cursor === from
    );
  });
  let work = 0;
  let to = total;
  for (const node of lane) {
    work += node.placement === "task" ? 1 : node.work;
    for (const source of node.inputs.flatMap((input) => input.sources)) {
      const feeder = state.nodes[source.node];
      // A source of the same scope that is ahead bounds the group; a source in the group moves with it.
      if (source.scope === node.scope && feeder?.phase === "open" && feeder.cursor > from) {
        to = Math.min(to, feeder.cursor);
      }
    }
  }
  const size = Math.max(1, Math.floor(workMax / Math.max(work, 1)));
  return { type: "elements", nodes: lane, from, to: Math.min(to, from + size) };
}
