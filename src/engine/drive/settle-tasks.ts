/** Settles tasks: those whose reports have come, those that waited for an equal element, and those that the cache has answered. */
import type { Plan, PlanNode } from "../plan/plan.ts";
import type { RunEvent } from "../step/events.ts";
import type { RunState } from "../step/run-state.ts";
import type { AskedElements } from "./asked-elements.ts";
import type { DueElement, EqualElements } from "./equal-elements.ts";
import type { RunHost } from "./run-host.ts";
import type { CellRow, Commit, NewTask, RemovedTask, ReportedTask } from "./run-rows.ts";
import { equalCell, settledCell, type SettledCells } from "./settled-cell.ts";
import { tally } from "./tally.ts";

/** The parts of the driver that settle tasks. */
export interface SettleDriver {
  readonly plan: Plan;
  readonly host: RunHost;
  readonly equals: EqualElements | undefined;
  readonly isRunning: boolean;
  downstreamOf(node: PlanNode): readonly PlanNode[];
  /** Evaluates nodes at elements, as many as memory allows. */
  evaluate(
    nodes: readonly PlanNode[],
    elementIndexes: readonly number[],
    settled: SettledCells,
  ): Promise<{
    readonly cells: readonly CellRow[];
    readonly tasks: readonly NewTask[];
    readonly elements: number;
  }>;
  commit(events: readonly RunEvent[], rows: Omit<Commit, "state" | "delta">): void;
}

/** Settles reported tasks of one node, and evaluates the elements that waited for them. */
export async function takeReports(
  driver: SettleDriver,
  reported: readonly ReportedTask[],
): Promise<void> {
  const node = driver.plan.nodes[reported[0]?.node ?? 0];
  if (node === undefined) {
    return;
  }
  const mine = reported.filter((task) => task.node === node.index);
  mine.forEach((task) => driver.equals?.reported(task));
  const cells = mine.map((task) => settledCell(node, task, driver.host));
  await settle(driver, node, cells, mine);
}

/** [E44] [E45] Settles elements of one node that waited for an equal one, or gives those to workers that are worked out. */
export async function endWaits(driver: SettleDriver, due: readonly DueElement[]): Promise<void> {
  const node = driver.plan.nodes[due[0]?.node ?? 0];
  const cells = due.flatMap(({ element, result }) =>
    result === null || node === undefined ? [] : [equalCell(node, element, result)],
  );
  if (node !== undefined && cells.length > 0) {
    driver.equals?.left(await settle(driver, node, cells, cells));
  } else {
    const releaseTasks = due.map(({ node: at, element }) => ({ node: at, element }));
    driver.commit([], { releaseTasks });
    driver.equals?.left(releaseTasks);
  }
}

/**
 * [E47] Looks elements up, and settles those of one node that were found, at most `limit`, or else gives those to workers that
 * were not. `now`: the driver as it is, since the run may be stopped while they are looked up.
 */
export async function takeAnswers(
  now: () => SettleDriver,
  asked: AskedElements,
  state: RunState,
  limit: number,
): Promise<void> {
  if (!asked.hasAnswers) {
    await asked.ask(state);
  }
  const driver = now();
  if (driver.isRunning && asked.hasAnswers) {
    await settleAnswers(driver, asked, limit);
  }
}

async function settleAnswers(
  driver: SettleDriver,
  asked: AskedElements,
  limit: number,
): Promise<void> {
  const found = asked.found(limit);
  const node = driver.plan.nodes[found[0]?.node ?? -1];
  if (node === undefined) {
    const releaseTasks = asked.missed;
    driver.commit([], { releaseTasks });
    asked.settled(releaseTasks);
    return;
  }
  found.forEach((one) => driver.equals?.reported(one));
  const cells = found.map((one) => settledCell(node, one, driver.host));
  asked.settled(await settle(driver, node, cells, cells));
}

/** Settles these elements of one node, and evaluates those that waited for them. Returns the tasks that are removed. */
async function settle(
  driver: SettleDriver,
  node: PlanNode,
  cells: readonly CellRow[],
  tasks: readonly RemovedTask[],
): Promise<readonly RemovedTask[]> {
  const elementIndexes = cells.map(({ element }) => element).toSorted((a, b) => a - b);
  const settled = new Map(cells.map((cell) => [cell.element, cell]));
  const made = driver.isRunning
    ? await driver.evaluate(driver.downstreamOf(node), elementIndexes, {
        node: node.index,
        cells: settled,
      })
    : { cells: [], tasks: [], elements: elementIndexes.length };
  // The others are left for the next slice.
  const next = elementIndexes[made.elements] ?? Infinity;
  const removed = tasks.flatMap(({ node: at, element, id }): RemovedTask[] =>
    element < next ? [{ node: at, element, ...(id !== undefined && { id }) }] : [],
  );
  const encoded = [...cells.filter(({ element }) => element < next), ...made.cells];
  driver.commit([{ type: "progressed", nodes: tally(encoded, new Map()) }], {
    cells: encoded,
    tasks: made.tasks,
    removeTasks: removed,
  });
  return removed;
}
