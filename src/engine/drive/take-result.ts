import type { PlanNode } from "../plan/plan.ts";
import type { TakeOver } from "../reuse/take-over.ts";
import { ReceivedHash } from "../reuse/received-hash.ts";
import type { CellWrite } from "../step/cells.ts";
import { Fold, onceReader, openFold } from "../step/fold-aggregate.ts";
import type { AggregateDriver } from "./aggregate-driver.ts";
import { ELEMENTS_AT_ONCE, pageOf } from "./slice-driver.ts";

/** An aggregator's result that is settled without a fold. */
export interface SettledResult {
  readonly write: CellWrite;
  /** The elements that it skipped as failed. */
  readonly skipped: { readonly skipped: number; readonly of: number };
}

const NONE_SKIPPED = { skipped: 0, of: 0 };

/**
 * [E37] Compares one result of an aggregator with the source, page by page. Returns the result if it is taken over or
 * settles without work, "work" if it has to be made, "stopped" if the run was stopped meanwhile.
 */
export async function takeResult(
  driver: AggregateDriver,
  takeOver: TakeOver,
  node: PlanNode,
  element: number,
): Promise<SettledResult | "work" | "stopped"> {
  takeOver.release();
  await takeOver.load([node], [element]);
  driver.load(onceReader(node), [element]);
  const fold = await openFold(driver.context(), node, element, true);
  if (!(fold instanceof Fold)) {
    return { write: fold, skipped: NONE_SKIPPED };
  }
  const write = takeOver.take(node, element, driver.context().read);
  const taken =
    write === undefined ? "work" : await compareRange(driver, takeOver, node, write, fold);
  return taken === "work" && takeOver.isFoundElsewhere(node, element)
    ? takeElsewhere(driver, takeOver, node, element)
    : taken;
}

/** `write`: the result, whose inputs that are read once are the same. */
async function compareRange(
  driver: AggregateDriver,
  takeOver: TakeOver,
  node: PlanNode,
  write: CellWrite,
  fold: Fold,
): Promise<SettledResult | "work" | "stopped"> {
  const { element } = write;
  const { from, to } = driver.layout.rangeOver(node.scope, node.outputScope, element);
  let sincePause = 0;
  for (let at = from; at < to;) {
    const length = Math.min(ELEMENTS_AT_ONCE, to - at);
    const members = Array.from({ length }, (_, i) => at + i);
    takeOver.release();
    const isSame = await takeOver.columns(node, element, at - from, length);
    driver.load(node, members);
    const { read } = driver.context();
    for (const member of members) {
      if (isSame?.(member, read) !== true) {
        return "work";
      }
      await fold.add(member);
    }
    at += length;
    sincePause += length;
    if (sincePause >= pageOf(node, driver.workMax()) && at < to) {
      sincePause = 0;
      if (!(await driver.goOn())) {
        return "stopped";
      }
    }
  }
  // A range of another length is not the same, even if this one is empty.
  return from === to && (await takeOver.columns(node, element, 0, 0)) === undefined
    ? "work"
    : { write, skipped: fold.isAttempted ? fold.skipped : NONE_SKIPPED };
}

/**
 * Whether an aggregator's result has to be made: it is neither taken over nor settled without work. "stopped" if the run
 * was stopped meanwhile.
 */
export async function mustMake(
  driver: AggregateDriver,
  takeOver: TakeOver,
  node: PlanNode,
  element: number,
): Promise<boolean | "stopped"> {
  const axes = driver.plan.scopes[node.outputScope]?.axes ?? [];
  const closed = (driver.plan.scopes[node.scope]?.axes ?? []).filter(
    (axis) => !axes.includes(axis),
  );
  if (driver.layout.hasAbsentAxis(closed, node.outputScope, element)) {
    return false;
  }
  const taken = await takeResult(driver, takeOver, node, element);
  return taken === "stopped" ? taken : taken === "work";
}

/** [E40] The result from another place of the source, if one received the same. */
async function takeElsewhere(
  driver: AggregateDriver,
  takeOver: TakeOver,
  node: PlanNode,
  element: number,
): Promise<SettledResult | "work" | "stopped"> {
  driver.load(onceReader(node), [element]);
  const fold = await openFold(driver.context(), node, element, true);
  if (!(fold instanceof Fold)) {
    return "work";
  }
  const hash = new ReceivedHash(node, driver.layout).add(element, driver.context().read, true);
  const { from, to } = driver.layout.rangeOver(node.scope, node.outputScope, element);
  let sincePause = 0;
  for (let at = from; at < to;) {
    const length = Math.min(ELEMENTS_AT_ONCE, to - at);
    const members = Array.from({ length }, (_, i) => at + i);
    driver.load(node, members);
    const { read } = driver.context();
    for (const member of members) {
      hash.add(member, read);
      await fold.add(member);
    }
    at += length;
    sincePause += length;
    if (sincePause >= pageOf(node, driver.workMax()) && at < to) {
      sincePause = 0;
      if (!(await driver.goOn())) {
        return "stopped";
      }
    }
  }
  const digest = hash.digest();
  const write =
    digest === undefined ? undefined : await takeOver.takeReceived(node, element, digest);
  return write === undefined
    ? "work"
    : { write, skipped: fold.isAttempted ? fold.skipped : NONE_SKIPPED };
}
