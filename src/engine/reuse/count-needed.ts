import type { Layout } from "../layout/layout.ts";
import type { Plan, PlanNode } from "../plan/plan.ts";
import type { CellStatus, RunState } from "../step/run-state.ts";
import { elementScope, ForcedElements, type Rerun } from "./forced-elements.ts";

/** An ended run with its plan. */
export interface EndedRun {
  readonly plan: Plan;
  readonly state: RunState;
  /** Restored from its rows. */
  readonly layout: Layout;
  /** The settled elements of a node, in any order; for an enumerator those of its scope. */
  settled(node: PlanNode): Iterable<{ readonly element: number; readonly status: CellStatus }>;
}

/**
 * Returns how many elements of each node run in a retry of a run with the same definition and inputs: those without a
 * result, those of `rerun`, and all that depend on them. If some work has another result than before, that is the most
 * that depends on it. A node is missing if its elements are not known before the retry opens an axis.
 */
export function countNeeded(run: EndedRun, rerun: Rerun | undefined): Map<PlanNode, number> {
  const { plan, layout, state } = run;
  const forced = new ForcedElements(plan, layout, rerun, (node) => lackingOf(run, node));
  const needed = new Map<PlanNode, number>();
  /** Axes that the retry opens again. */
  const openAgain = new Set<number>();
  const isLaid = (scope: number) =>
    (plan.scopes[scope]?.axes ?? []).every((axis) => layout.isAxisResolved(axis)) &&
    layout.count(scope) !== Infinity;
  for (const node of plan.nodes) {
    const scope = elementScope(node);
    const isReadable =
      isLaid(node.scope) &&
      node.inputs.every(({ sources }) => sources.every((source) => isLaid(source.scope)));
    if (isLaid(scope) && (!isReadable || state.nodes[node.index]?.whole != null)) {
      forced.markAll(node);
    }
    const axes = plan.scopes[scope]?.axes ?? [];
    if (isLaid(scope) && !axes.some((axis) => openAgain.has(axis))) {
      needed.set(node, forced.count(node));
    }
    if (node.axis >= 0 && needed.get(node) !== 0) {
      openAgain.add(node.axis);
    }
  }
  return needed;
}

/** Elements without a result. An element that is absent stays so while what it reads is the same. */
function lackingOf(run: EndedRun, node: PlanNode): number[] {
  const { layout, plan } = run;
  const scope = elementScope(node);
  const isLaid = (plan.scopes[scope]?.axes ?? []).every((axis) => layout.isAxisResolved(axis));
  const count = isLaid ? layout.count(scope) : 0;
  if (count === Infinity) {
    return [];
  }
  const isDone = new Uint8Array(count);
  for (const { element, status } of run.settled(node)) {
    isDone[element] = status === "ok" || status === "absent" ? 1 : 0;
  }
  return [...isDone.keys()].filter((element) => isDone[element] === 0);
}
