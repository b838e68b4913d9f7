import type { RunStart } from "../../src/contracts/run.ts";
import { restoreLayout } from "../../src/engine/drive/restore-layout.ts";
import { RunDriver } from "../../src/engine/drive/run-driver.ts";
import type { RunWorld } from "../../src/engine/drive/run-world.ts";
import type { Layout } from "../../src/engine/layout/layout.ts";
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
  const layout = restoreLayout(plan, state, store);
  const step = {
    plan,
    layout,
    limits: facts.admission_limits,
    prepaidNodes: prepaidNodes(plan, facts),
  };
  return { facts, plan, layout, driver: new RunDriver(step, store, world, state) };
}

/** What admission reserved covers every node whose count it knew: those of the empty scope. */
function prepaidNodes(plan: Plan, facts: RunFacts): ReadonlySet<number> {
  return facts.reserved_milli_credits > 0
    ? new Set(plan.nodes.filter((node) => node.scope === 0).map((node) => node.index))
    : new Set();
}
