/** Invariants of an ended run, checked in its rows. Each check returns its problem in one line. */
import { isDeepStrictEqual } from "node:util";
import { retryCounts } from "../../../durable-objects/run/tasks/node-retries.ts";
import type { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import { encodeState } from "../../../durable-objects/run/state/state-text.ts";
import { findFakeNode } from "../fake-task-node.ts";
import { foldDeltas } from "../../../src/engine/events/fold-deltas.ts";
import type { Plan } from "../../../src/engine/plan/plan.ts";
import { newRunState } from "../../../src/engine/step/run-state.ts";
import { readOutputs } from "../../../src/engine/values/cell-outputs.ts";
import { engineOutcome } from "../engine-outcome.ts";
import { plainOutcome } from "../plain-outcome.ts";
import type { RandomGraph } from "../random-graph.ts";
import type { Interpretation } from "../reference-result.ts";
import { settledCost } from "../simulate-money-seed.ts";
import { referenceOutcome } from "../simulate-seed.ts";
import { FILE_PORT } from "./simulated-files.ts";
import type { SimulatedRunner } from "./simulated-runner.ts";
import type { SimulatedWorkspace } from "./simulated-workspace.ts";

const ALL = 1_000_000;

/** The log folds to the state, and its times never decrease. */
export function checkLog(plan: Plan, store: RunStore): string | undefined {
  const entries = store.log.from(0, ALL);
  const folded = foldDeltas(
    // If a deploy had removed a node before the start, the run never had a plan.
    newRunState(store.state().nodes.length === 0 ? { nodes: [] } : plan),
    entries.map(({ delta }) => delta),
  );
  const state = store.state();
  if (!isDeepStrictEqual(folded, state)) {
    return `the log folds to ${encodeState(folded)} and the state is ${encodeState(state)}`;
  }
  const isBack = entries.some(({ atMs }, at) => at > 0 && atMs < entries[at - 1]!.atMs);
  return isBack ? "times in the log go back" : undefined;
}

/**
 * Each element is charged exactly once with the reference's charge, the rest is released, and the end is reported
 * consistently.
 */
export async function checkMoney(
  plan: Plan,
  store: RunStore,
  { ledger, settled, told, hasEndpoint }: SimulatedWorkspace,
  graph: RandomGraph,
): Promise<string | undefined> {
  // A run without a plan, because a deploy had removed a node before its start, has done nothing.
  const cost =
    store.state().nodes.length === 0
      ? 0
      : settledCost(outcomeOf(plan, store), await referenceOutcome(graph));
  if (settled !== cost || ledger.spent !== cost || ledger.held !== 0) {
    return `work of ${cost} was settled as ${settled}, spent ${ledger.spent}, held ${ledger.held}`;
  }
  return told.size !== (hasEndpoint ? 1 : 0) ? `the end was told in ${told.size} ways` : undefined;
}

/**
 * For each successful task the files of one attempt, for all others none; `mayBeMore` if the run ended while workers
 * were active, whose last files stay until its outputs expire.
 */
export function checkFiles(
  plan: Plan,
  store: RunStore,
  runner: SimulatedRunner,
  mayBeMore: boolean,
): string | undefined {
  const made = plan.nodes
    .filter(({ type }) => findFakeNode(type.type) !== undefined)
    .reduce((sum, { index }) => sum + okOf(store, index), 0);
  const tasks = new Set([...runner.files.values()].map(({ task }) => task));
  const isRight = mayBeMore
    ? tasks.size >= made
    : runner.files.size === made && tasks.size === made;
  return isRight
    ? undefined
    : `${made} tasks left ${runner.files.size} files: ${JSON.stringify([...runner.files.values()])}`;
}

/** The file of each successful element contains its task's bytes, in a row or in a pack. */
export function checkHeldFiles(
  plan: Plan,
  store: RunStore,
  { held }: SimulatedRunner,
): string | undefined {
  for (const { index } of plan.nodes.filter(({ type }) => findFakeNode(type.type) !== undefined)) {
    for (const { status, body } of store.cellsBetween(index, 0, ALL)) {
      const problem =
        status === "ok" ? held.problemOf(readOutputs(body).get(FILE_PORT)) : undefined;
      if (problem !== undefined) {
        return problem;
      }
    }
  }
  return undefined;
}

/** The trace counts a retry for every attempt after the first. */
export function checkRetries(plan: Plan, store: RunStore): string | undefined {
  const counted = retryCounts(store);
  for (const { index, id } of plan.nodes) {
    const made = store
      .settledBetween(index, 0, ALL)
      .reduce((sum, { attempts }) => sum + Math.max(0, (attempts ?? 1) - 1), 0);
    if (made !== (counted.get(index) ?? 0)) {
      return `"${id}" made ${made} retries and counted ${counted.get(index) ?? 0}`;
    }
  }
  return undefined;
}

/** Every element equals the reference's. */
export async function checkResult(
  plan: Plan,
  store: RunStore,
  graph: RandomGraph,
): Promise<string | undefined> {
  const is = JSON.stringify(plainOutcome(outcomeOf(plan, store)));
  const shouldBe = JSON.stringify(plainOutcome(await referenceOutcome(graph)));
  if (is === shouldBe) {
    return undefined;
  }
  let at = 0;
  while (is[at] === shouldBe[at]) {
    at += 1;
  }
  const from = Math.max(0, at - 80);
  return `differs: …${is.slice(from, at + 120)}… instead of …${shouldBe.slice(from, at + 120)}…`;
}

/** The rows in the form of the reference. */
export function outcomeOf(plan: Plan, store: RunStore): Interpretation {
  return engineOutcome(plan, {
    state: store.state(),
    cellsOf: (node) => {
      const settled = new Map(store.settledBetween(node, 0, ALL).map((row) => [row.element, row]));
      return store
        .cellsBetween(node, 0, ALL)
        .map((cell) => ({ ...cell, charge: settled.get(cell.element)?.charge }));
    },
    cellsAt: store.cellsAt.bind(store),
    axisRows: store.axisRows.bind(store),
    skippedItems: new Map(store.skipped().map((row) => [row.node, row])),
  });
}

function okOf(store: RunStore, node: number): number {
  return store.settledBetween(node, 0, ALL).filter(({ status }) => status === "ok").length;
}
