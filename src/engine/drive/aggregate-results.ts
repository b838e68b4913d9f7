/**
 * The results of an inline aggregator: each reads the elements of its range page by page. A slice makes as many results
 * as its work and its memory allow; the next slice continues.
 */
import type { PlanNode } from "../plan/plan.ts";
import { type CellWrite, NO_OUTPUTS } from "../step/cells.ts";
import { Fold, onceReader, openFold } from "../step/fold-aggregate.ts";
import { encodeCells } from "./encode-cells.ts";
import type { CellRow, NewTask } from "./run-rows.ts";
import type { AggregateDriver } from "./aggregate-driver.ts";
import { charsOf, ELEMENTS_AT_ONCE, pageOf } from "./slice-driver.ts";
import { type SettledResult, takeResult } from "./take-result.ts";
import { tally } from "./tally.ts";
import { rowBytes } from "./work-memory.ts";

/** Makes results from element `from` of the node's output scope, which has `total` elements, and commits them. */
export async function aggregateResults(
  driver: AggregateDriver,
  node: PlanNode,
  from: number,
  total: number,
): Promise<void> {
  await new AggregateResults(driver, node).make(from, total);
}

class AggregateResults {
  readonly #driver: AggregateDriver;
  readonly #node: PlanNode;
  /** Axes that the node closes. */
  readonly #closed: readonly number[];
  readonly #cells: CellRow[] = [];
  /** Results that are not encoded. */
  #writes: CellWrite[] = [];
  /** Memory of all results. */
  #made = 0;

  constructor(driver: AggregateDriver, node: PlanNode) {
    const { scopes } = driver.plan;
    const outputAxes = scopes[node.outputScope]?.axes ?? [];
    this.#driver = driver;
    this.#node = node;
    this.#closed = (scopes[node.scope]?.axes ?? []).filter((axis) => !outputAxes.includes(axis));
  }

  async make(from: number, total: number): Promise<void> {
    const { memory, layout } = this.#driver;
    const node = this.#node;
    const tasks: NewTask[] = [];
    let skipped = 0;
    let of = 0;
    let budget = this.#driver.workMax();
    let element = from;
    for (; element < total && budget > 0 && !memory.isFull; element++) {
      const range = layout.rangeOver(node.scope, node.outputScope, element);
      const taken = await this.#take(element);
      if (taken === "stopped") {
        return;
      }
      if (taken !== "work") {
        this.#writes.push(taken.write);
        skipped += taken.skipped.skipped;
        of += taken.skipped.of;
        // Comparing elements takes about as long as reading them.
        budget -= 1 + (range.to - range.from) * node.work;
        continue;
      }
      const fold = await this.#open(element);
      if (!(fold instanceof Fold)) {
        this.#writes.push(fold);
        budget--;
        continue;
      }
      // With the inputs that are read once, until the result is encoded.
      this.#made += memory.loadedBytes;
      memory.settle(this.#made);
      if (!(await this.#feed(fold, range))) {
        return;
      }
      this.#made += fold.bytes;
      budget -= (range.to - range.from) * node.work;
      // Assembling the values of several pages may take as long as reading one.
      if (budget < 0 && !(await this.#driver.goOn())) {
        return;
      }
      budget--;
      const write = fold.finish(element);
      if (write === "task") {
        const equalTo = this.#driver.equalTo(node, element);
        tasks.push({ node: node.index, element, ...(equalTo && { equalTo }) });
      } else {
        this.#writes.push(write);
      }
      if (fold.isAttempted) {
        skipped += fold.skipped.skipped;
        of += fold.skipped.of;
      }
      if (!memory.isSmall) {
        await this.#encode();
      }
    }
    await this.#encode();
    const cells = this.#cells;
    const progress = tally(cells, new Map([[node.index, element]]));
    this.#driver.commit([{ type: "progressed", nodes: progress }], {
      cells,
      tasks,
      // Later slices may skip elements that this one did not skip, so all are counted.
      ...(skipped > 0 || total > 1 ? { skipped: [{ node: node.index, skipped, of }] } : {}),
    });
  }

  /** [E37] A result that is taken over, or settled while it was compared. */
  async #take(element: number): Promise<SettledResult | "work" | "stopped"> {
    const { takeOver, layout } = this.#driver;
    const node = this.#node;
    return takeOver === undefined || layout.hasAbsentAxis(this.#closed, node.outputScope, element)
      ? "work"
      : takeResult(this.#driver, takeOver, node, element);
  }

  /** Starts one result, or settles it at once. */
  async #open(element: number): Promise<Fold | CellWrite> {
    const { layout } = this.#driver;
    const node = this.#node;
    if (layout.hasAbsentAxis(this.#closed, node.outputScope, element)) {
      return { node: node.index, element, status: "absent", outputs: NO_OUTPUTS, failure: null };
    }
    this.#driver.load(onceReader(node), [element]);
    return openFold(this.#driver.context(), node, element);
  }

  /** Adds the elements of one result to its fold, page by page; false if the run was stopped meanwhile. */
  async #feed(
    fold: Fold,
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<boolean> {
    const { memory } = this.#driver;
    for (let at = from; at < to;) {
      if (at > from && !(await this.#driver.goOn())) {
        return false;
      }
      const end = Math.min(at + pageOf(this.#node, this.#driver.workMax()), to);
      while (at < end) {
        const first = at;
        const length = Math.min(ELEMENTS_AT_ONCE, end - first);
        const elementIndexes = Array.from({ length }, (_, i) => first + i);
        this.#driver.load(this.#node, elementIndexes);
        for (const member of elementIndexes) {
          const adding = fold.add(member);
          if (adding !== undefined) {
            await adding;
            memory.settle(this.#made + fold.bytes);
          }
        }
        memory.make(this.#made + fold.bytes);
        at += length;
      }
    }
    return true;
  }

  async #encode(): Promise<void> {
    const { host, plan, memory } = this.#driver;
    const writes = this.#writes;
    this.#writes = [];
    this.#cells.push(...(await encodeCells(host, plan, writes)));
    this.#made = rowBytes(charsOf(this.#cells));
    memory.settle(this.#made);
  }
}
