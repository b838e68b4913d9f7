import { isTerminal, type RunStart } from "../../src/contracts/run.ts";
import { restoreLayout } from "../../src/engine/drive/restore-layout.ts";
import { RunDriver } from "../../src/engine/drive/run-driver.ts";
import type { RunWorld } from "../../src/engine/drive/run-world.ts";
import type { Layout } from "../../src/engine/layout/layout.ts";
import type { Plan } from "../../src/engine/plan/plan.ts";
import type { RunState } from "../../src/engine/step/run-state.ts";
import { RUN_TIMEOUT } from "../../src/engine/step/step.ts";
import type { RunStore } from "./run-store.ts";

/** A start as the run keeps it: without what has places of its own. */
export type RunFacts = Omit<RunStart, "definition_json" | "inputs">;

/** A run in memory: everything but its rows, rebuilt from them when the object wakes. */
export interface LiveRun {
  readonly facts: RunFacts;
  readonly plan: Plan;
  readonly layout: Layout;
  /** By node, the iterations that admission paid for. */
  readonly prepaid: ReadonlyMap<number, number>;
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
  const prepaid = prepaidNodes(plan, facts);
  const step = { plan, layout, limits: facts.admission_limits, prepaid };
  return { facts, plan, layout, prepaid, driver: new RunDriver(step, store, world, state) };
}

function prepaidNodes(plan: Plan, facts: RunFacts): ReadonlyMap<number, number> {
  const indexOf = new Map(plan.nodes.map((node) => [node.id, node.index]));
  return new Map(
    facts.prepaid.map(({ node_id, iterations }) => [indexOf.get(node_id) ?? -1, iterations]),
  );
}

/** Whether executors are to give up what they have of it. */
export function isAbandoned(run: LiveRun): boolean {
  const { status, stopped } = run.driver.state;
  return status === "cancelling" || stopped?.code === RUN_TIMEOUT || isTerminal(status);
}
