import { isAggregator, isEnumerator } from "../plan/node-kind.ts";
import type { PlanNode } from "../plan/plan.ts";
import type { TakeOver } from "../reuse/take-over.ts";
import { gatherInputs } from "../step/gather-inputs.ts";
import type { AggregateDriver } from "./aggregate-driver.ts";
import { ELEMENTS_AT_ONCE } from "./slice-driver.ts";
import { mustMake } from "./take-result.ts";

/** The parts of the driver that a comparison uses. */
export interface MatchDriver extends AggregateDriver {
  readonly takeOver: TakeOver;
  /** Loads the inputs of an enumerator at one element for `context().read`. */
  loadParent(parent: number): void;
}

/** The elements below `cursor` are compared: `runs` of those compared now have to be worked out. */
interface Matched {
  readonly runs: number;
  readonly cursor: number;
}

/**
 * [E39] Compares elements of a node with the source, from `from` to at most `to` - 1, and counts those that have to be
 * worked out. Those that are blocked or absent cost nothing and do not count. Null if the run was stopped meanwhile.
 */
export async function matchElements(
  driver: MatchDriver,
  node: PlanNode,
  from: number,
  to: number,
): Promise<Matched | null> {
  if (isAggregator(node)) {
    return matchResults(driver, node, from, to);
  }
  let runs = 0;
  for (let at = from; at < to; at += ELEMENTS_AT_ONCE) {
    const length = Math.min(ELEMENTS_AT_ONCE, to - at);
    const elements = Array.from({ length }, (_, i) => at + i);
    driver.takeOver.release();
    await driver.takeOver.load([node], elements);
    if (!isEnumerator(node)) {
      driver.load(node, elements);
    }
    for (const element of elements) {
      runs += (await isTaken(driver, node, element)) ? 0 : 1;
    }
  }
  return { runs, cursor: to };
}

/** Whether the element costs nothing: it is taken over, or does not run. */
async function isTaken(driver: MatchDriver, node: PlanNode, element: number): Promise<boolean> {
  if (isEnumerator(node)) {
    driver.loadParent(element);
  }
  const { layout, read } = driver.context();
  if (gatherInputs(node, element, layout, read).kind !== "ready") {
    return true;
  }
  return isEnumerator(node)
    ? driver.takeOver.takeItems(node, element, read) !== undefined
    : (driver.takeOver.take(node, element, read) ??
        (await driver.takeOver.takeElsewhere(node, element, read))) !== undefined;
}

/** A result may read many elements, so the next slice continues after as many as one slice reads. */
async function matchResults(
  driver: MatchDriver,
  node: PlanNode,
  from: number,
  to: number,
): Promise<Matched | null> {
  let runs = 0;
  let budget = driver.workMax();
  let element = from;
  for (; element < to && budget > 0; element++) {
    const made = await mustMake(driver, driver.takeOver, node, element);
    if (made === "stopped") {
      return null;
    }
    runs += made ? 1 : 0;
    const range = driver.layout.rangeOver(node.scope, node.outputScope, element);
    budget -= 1 + (range.to - range.from) * node.work;
  }
  return { runs, cursor: element };
}
