import type { RunStart } from "../../src/contracts/run.ts";
import { axisTable } from "../../src/engine/drive/axis-table.ts";
import { RunDriver } from "../../src/engine/drive/run-driver.ts";
import type { RunWorld } from "../../src/engine/drive/run-world.ts";
import { Layout } from "../../src/engine/layout/layout.ts";
import type { Plan } from "../../src/engine/plan/plan.ts";
import type { RunState } from "../../src/engine/step/run-state.ts";
import type { RunStore } from "./run-store.ts";

/** A start as the run keeps it: without what has places of its own. */
export type RunFacts = Omit<RunStart, "definition_json" | "inputs">;

/** A run in memory: everything but its rows, rebuilt from them when the object wakes. */
export interface LiveRun {
  readonly facts: RunFacts;
  readonly plan: Plan;
  readonly layout: Layout;
  readonly driver: RunDriver;
}

export function liveRun(
  facts: RunFacts,
  plan: Plan,
  state: RunState,
  store: RunStore,
  world: RunWorld,
): LiveRun {
  const layout = new Layout(plan);
  for (const axis of plan.axes) {
    restoreAxis(layout, axis.index, state, plan, store);
  }
  const step = {
    plan,
    layout,
    limits: facts.admission_limits,
    prepaidNodes: prepaidNodes(plan, facts),
  };
  return { facts, plan, layout, driver: new RunDriver(step, store, world, state) };
}

function restoreAxis(
  layout: Layout,
  axis: number,
  state: RunState,
  plan: Plan,
  store: RunStore,
): void {
  const node = state.nodes[plan.axes[axis]?.node ?? -1];
  if (node?.phase !== "settled") {
    return;
  }
  if (node.whole !== null) {
    const parents = Number.isFinite(node.total) ? node.total : 0;
    const rows = Array.from({ length: parents }, (_, parent) => ({
      axis,
      parent,
      status: "blocked" as const,
      count: 1,
      failure: null,
    }));
    layout.resolveAxis(axis, axisTable(rows));
    return;
  }
  layout.resolveAxis(axis, axisTable(store.axisRows(axis)));
}

/** What admission reserved covers every node whose count it knew: those of the empty scope. */
function prepaidNodes(plan: Plan, facts: RunFacts): ReadonlySet<number> {
  return facts.reserved_milli_credits > 0
    ? new Set(plan.nodes.filter((node) => node.scope === 0).map((node) => node.index))
    : new Set();
}
