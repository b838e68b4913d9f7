import { isTerminal, type RunStart } from "../../src/contracts/runs/run.ts";
import { restoreLayout } from "../../src/engine/drive/restore-layout.ts";
import type { DriverSource } from "../../src/engine/drive/driver-source.ts";
import type { LookUps } from "../../src/engine/drive/asked-elements.ts";
import type { EqualsOptions } from "../../src/engine/drive/equal-elements.ts";
import { RunDriver } from "../../src/engine/drive/run-driver.ts";
import type { RunHost } from "../../src/engine/drive/run-host.ts";
import type { Layout } from "../../src/engine/layout/layout.ts";
import type { Outline } from "../../src/engine/plan/outline.ts";
import type { Plan, PlanNode } from "../../src/engine/plan/plan.ts";
import { cacheUse } from "../../src/engine/reuse/cache-mode.ts";
import type { RunState } from "../../src/engine/step/run-state.ts";
import { RUN_TIMEOUT } from "../../src/engine/step/step.ts";
import type { StoredPlan } from "./state/stored-plan.ts";
import type { RunStore } from "./state/run-store.ts";
import type { RunRows } from "../../src/engine/drive/run-rows.ts";

/** A start as the run stores it: without data that is stored elsewhere, and with the stored plan. */
export interface RunMetadata extends Omit<
  RunStart,
  "definition_json" | "inputs" | "input_files" | "unit_costs"
> {
  /** Absent in a run from before outlines were stored, until it is first woken. */
  readonly kept_plan?: StoredPlan;
}

/** The parts that advance a run. */
export interface RunMachine {
  readonly plan: Plan;
  /** Iterations by node whose cost admission reserved. */
  readonly prepaid: ReadonlyMap<number, number>;
  readonly driver: RunDriver;
}

/** A run in memory: everything but its rows, rebuilt from them when the object wakes. */
export interface LiveRun {
  readonly metadata: RunMetadata;
  readonly outline: Outline;
  readonly layout: Layout;
  readonly state: RunState;
  /** Null for a run that had ended when the object woke: it is shown from its outline alone. */
  readonly machine: RunMachine | null;
}

/** A live run. `plan` has the run's own prices. */
export function liveRun(
  metadata: RunMetadata,
  outline: Outline,
  plan: Plan,
  state: RunState,
  store: RunStore,
  host: RunHost,
  source: DriverSource | undefined,
  lookUp: LookUps["lookUp"],
): LiveRun {
  const layout = restoreLayout(plan, state, store);
  const prepaid = prepaidNodes(plan, metadata);
  const step = { plan, layout, limits: metadata.admission_limits, prepaid };
  const rows = driverRows(store);
  const { equals, lookUps } = cachingOf(metadata, lookUp);
  const driver = new RunDriver(step, rows, host, state, source, equals, lookUps);
  return {
    metadata,
    outline,
    layout,
    machine: { plan, prepaid, driver },
    get state() {
      return driver.state;
    },
  };
}

/** [E44] [E47] How a run takes results from its own elements, and from other runs. */
function cachingOf(
  { run_id: execution, workspace_id: workspaceId, cache }: RunMetadata,
  lookUp: LookUps["lookUp"],
): { readonly equals?: EqualsOptions; readonly lookUps?: LookUps } {
  if (cache === undefined) {
    return {};
  }
  const use = (node: PlanNode) => cacheUse(node.type.type, node.cache, cache.options ?? undefined);
  return {
    equals: { execution, uses: (node) => use(node) !== undefined },
    lookUps: { workspaceId, use, lookUp },
  };
}

export function endedRun(
  metadata: RunMetadata,
  outline: Outline,
  state: RunState,
  store: RunStore,
): LiveRun {
  const layout = restoreLayout(outline, state, store);
  return { metadata, outline, layout, state, machine: null };
}

function prepaidNodes(plan: Plan, metadata: RunMetadata): ReadonlyMap<number, number> {
  const indexOf = new Map(plan.nodes.map((node) => [node.id, node.index]));
  return new Map(
    metadata.prepaid.map(({ node_id, iterations }) => [indexOf.get(node_id) ?? -1, iterations]),
  );
}

/** Whether the run hands out nothing any more: its open tasks end unsettled. */
export function isStopping({ state }: LiveRun): boolean {
  return state.status !== "running" || state.stopped !== null;
}

/** Whether executors must give up their tasks of the run. */
export function isAbandoned(run: LiveRun): boolean {
  const { status, stopped } = run.state;
  return status === "cancelling" || stopped?.code === RUN_TIMEOUT || isTerminal(status);
}

/** A driver tried to commit although its state no longer matches the rows. */
export class StaleDriverError extends Error {
  override readonly name = "StaleDriverError";
}

/**
 * The rows for one driver, which holds the state in memory. It may commit until another driver takes over, or until a
 * rollback makes its state invalid; then `commit` throws.
 */
export function driverRows(store: RunStore): RunRows {
  let epoch = ++store.epoch;
  return {
    cellsBetween: (node, from, to) => store.cellsBetween(node, from, to),
    cellsAt: (node, elementIndexes) => store.cellsAt(node, elementIndexes),
    wholeCellsAt: (node, elementIndexes) => store.wholeCellsAt(node, elementIndexes),
    equalTasks: () => store.equalTasks(),
    askedTasks: () => store.askedTasks(),
    axisRows: (axis) => store.axisRows(axis),
    reportedTasks: (limit) => store.reportedTasks(limit),
    commit: (commit) => {
      if (epoch !== store.epoch) {
        throw new StaleDriverError("The run was rebuilt from its rows under another driver.");
      }
      const isOutermost = !store.isInTransaction;
      try {
        store.commit(commit);
      } catch (error) {
        if (isOutermost) {
          // The driver adopts its new state only after a commit, so its state still matches the rows.
          epoch = store.epoch;
        }
        throw error;
      }
    },
  };
}
