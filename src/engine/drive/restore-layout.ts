import { Layout } from "../layout/layout.ts";
import type { Plan } from "../plan/plan.ts";
import type { RunState } from "../step/run-state.ts";
import { axisTable } from "./axis-table.ts";
import type { AxisRow, RunRows } from "./run-rows.ts";

/** Restores the layout of a run from its rows after a wake: every axis whose enumerator has settled [E14]. */
export function restoreLayout(
  plan: Pick<Plan, "axes" | "scopes">,
  state: RunState,
  rows: Pick<RunRows, "axisRows">,
): Layout {
  const layout = new Layout(plan);
  for (const { index, node } of plan.axes) {
    const now = state.nodes[node];
    if (now?.phase !== "settled") {
      continue;
    }
    // An enumerator that ended as a whole has no rows: it has one blocked element at each parent.
    const parents = now.whole === null || !Number.isFinite(now.total) ? 0 : now.total;
    const blocked = Array.from({ length: parents }, (_, parent): AxisRow => ({
      axis: index,
      parent,
      status: "blocked",
      count: 1,
      failure: null,
    }));
    layout.resolveAxis(index, axisTable(now.whole === null ? rows.axisRows(index) : blocked));
  }
  return layout;
}
