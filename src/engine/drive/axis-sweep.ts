/**
 * The sweep of an enumerator over the elements of its scope: each opens the axis at that element, and its items are
 * read page by page, written and counted. A slice sweeps as many elements as its work allows; the next slice continues.
 */
import { mergeNotes, type ReadingNotes } from "../../contracts/reading-notes.ts";
import type { PlanNode } from "../plan/plan.ts";
import type { TakenItems } from "../reuse/take-over.ts";
import type { CellFailure, CellWrite } from "../step/cells.ts";
import {
  closeItems,
  openAxis,
  type Opened,
  type Taken,
  takeItems,
} from "../step/enumerate-axis.ts";
import type { NodeProgress, RunEvent } from "../step/events.ts";
import { SLICE_WORK_MAX } from "../step/next-work.ts";
import type { CellStatus } from "../step/run-state.ts";
import { axisTable } from "./axis-table.ts";
import { encodeCells } from "./encode-cells.ts";
import type { AxisRow, CellRow, Commit } from "./run-rows.ts";
import { charsOf, pageOf, type SliceDriver } from "./slice-driver.ts";
import { rowBytes } from "./work-memory.ts";

/** Items read at once: whole blocks of rows, and few enough to be looked at for their size. */
const ITEMS_AT_ONCE = 128;

/** Items of more characters are committed before the end of their page. */
const PAGE_CHARS_MAX = 1024 * 1024;

/** The parts of the driver that a sweep uses. */
export interface SweepDriver extends SliceDriver {
  /** A node with more iterations ends the run. */
  readonly iterationsMax: number;
  /** The items that the enumerators of an axis have opened before. */
  axisRows(axis: number): readonly AxisRow[];
  /** Loads the inputs of a node at one element for `context().read`. */
  load(node: PlanNode, parent: number): void;
  /** The items that are taken over from another run; the inputs are loaded. */
  takeItems(node: PlanNode, parent: number): Promise<TakenItems | undefined> | undefined;
}

interface OpenedAxis {
  readonly opened: Opened;
  readonly status: CellStatus;
  readonly failure: CellFailure | null;
  readonly reused?: AxisRow["reused"];
}

/** Sweeps from element `from` of the node's scope, which has `total` elements, and commits the result. */
export async function sweepAxis(
  driver: SweepDriver,
  node: PlanNode,
  from: number,
  total: number,
): Promise<void> {
  await new AxisSweep(driver, node, from).run(from, total);
}

class AxisSweep {
  readonly #driver: SweepDriver;
  readonly #node: PlanNode;
  readonly #pageSize: number;
  readonly #known: readonly AxisRow[];
  readonly #axisRows: AxisRow[] = [];
  /** Number of items of the preceding elements: the position of the current element's first item. */
  #base: number;
  /** Created and not yet committed. */
  #cells: CellRow[] = [];
  /** Of `#cells`. */
  #chars = 0;
  /** Cells that an unfinished attempt may have written; dropped with the next commit. */
  #drop: Commit["dropCells"];
  #notes: ReadingNotes | undefined;
  #budget: number;

  constructor(driver: SweepDriver, node: PlanNode, from: number) {
    this.#driver = driver;
    this.#node = node;
    this.#pageSize = pageOf(node, SLICE_WORK_MAX);
    this.#known = driver.axisRows(node.axis).filter((row) => row.parent < from);
    this.#base = this.#known.reduce((sum, row) => sum + row.count, 0);
    this.#drop = { node: node.index, fromIndex: this.#base };
    this.#budget = driver.workMax();
  }

  async run(from: number, total: number): Promise<void> {
    let parent = from;
    const { memory } = this.#driver;
    for (; parent < total && this.#budget > 0 && !memory.isFull; parent++) {
      this.#driver.load(this.#node, parent);
      if (!(await this.#sweepElement(parent))) {
        return;
      }
      memory.settle(rowBytes(this.#chars));
      this.#budget--;
    }
    const events: RunEvent[] = [
      { type: "progressed", nodes: [axisProgress(this.#node, this.#axisRows, parent)] },
    ];
    if (parent >= total) {
      const table = axisTable([...this.#known, ...this.#axisRows]);
      events.unshift({ type: "axis-resolved", axis: this.#node.axis, table });
    }
    this.#commit(events, {
      axisRows: this.#axisRows,
      ...(this.#notes !== undefined && {
        notes: [{ node: this.#node.index, notes: this.#notes }],
      }),
    });
  }

  /** Reads all items of one element; false if the sweep ended, because the run was stopped or the list is too long. */
  async #sweepElement(parent: number): Promise<boolean> {
    const first = await this.#open(parent);
    const { reused } = first;
    let { opened, status, failure } = first;
    let count = 0;
    let sincePause = 0;
    while (opened.status === "ok") {
      // Part of a page while others wait, never beyond its end.
      const left = Math.min(
        pageOf(this.#node, this.#driver.workMax()) - sincePause,
        this.#pageSize - (count % this.#pageSize),
      );
      const max = Math.min(Math.max(left, 1), ITEMS_AT_ONCE);
      const drawn = takeItems(this.#driver.context(), this.#node, opened.items, max);
      const page = drawn instanceof Promise ? await drawn : drawn;
      this.#budget -= (page.taken.length + 1) * this.#node.work;
      failure = page.failure;
      if (
        page.isTransient === true &&
        (await this.#driver.host.awaitNextAttempt(this.#node, parent))
      ) {
        // Starts with its first item: items that were read before are overwritten.
        this.#forgetItems();
        this.#driver.memory.settle(rowBytes(this.#chars));
        ({ opened, status, failure } = await this.#open(parent));
        count = 0;
        sincePause = 0;
        continue;
      }
      if (this.#isTooLong(page, count)) {
        this.#drop = { node: this.#node.index, fromIndex: 0 };
        this.#forgetCells();
        const seen = this.#base + count + page.taken.length;
        this.#commit([{ type: "axis-too-long", node: this.#node.index, count: seen }]);
        await closeItems(opened.items);
        return false;
      }
      if (failure !== null) {
        status = "failed";
        break;
      }
      try {
        await this.#keep(page, count);
      } catch (error) {
        await closeItems(opened.items);
        throw error;
      }
      count += page.taken.length;
      sincePause += page.taken.length;
      if (page.isDone) {
        this.#notes = mergeNotes(this.#notes, page.notes);
        break;
      }
      if (max < left && this.#chars <= PAGE_CHARS_MAX) {
        continue;
      }
      // A long list is written page by page and is invisible until its axis is resolved.
      this.#commit([]);
      this.#driver.memory.make(0);
      sincePause = 0;
      if (!(await this.#driver.goOn())) {
        await closeItems(opened.items);
        return false;
      }
    }
    if (status === "failed" || status === "blocked") {
      this.#block();
      count = 1;
    }
    this.#axisRows.push({
      axis: this.#node.axis,
      parent,
      status,
      count,
      failure,
      ...(reused !== undefined && { reused }),
    });
    this.#base += count;
    return true;
  }

  async #open(parent: number): Promise<OpenedAxis> {
    const taken = await this.#driver.takeItems(this.#node, parent);
    if (taken !== undefined) {
      const items = { taken: taken.items };
      return {
        opened: { status: "ok", items },
        status: "ok",
        failure: null,
        reused: taken.reused,
      };
    }
    const opened = await openAxis(this.#driver.context(), this.#node, parent);
    const failure = opened.status === "failed" ? opened.failure : null;
    return { opened, status: opened.status, failure };
  }

  /** Checked at the end of a page only, because the reported count must not depend on other load. */
  #isTooLong(page: Taken, count: number): boolean {
    const drawn = count + page.taken.length;
    const isPageEnd = page.isDone || drawn % this.#pageSize === 0;
    return page.failure === null && isPageEnd && this.#base + drawn > this.#driver.iterationsMax;
  }

  async #keep(page: Taken, count: number): Promise<void> {
    const writes = page.taken.map((outputs, i): CellWrite => ({
      node: this.#node.index,
      element: this.#base + count + i,
      status: "ok",
      outputs,
      failure: null,
    }));
    const { host, plan } = this.#driver;
    const rows = await encodeCells(host, plan, writes);
    this.#cells.push(...rows);
    this.#chars += charsOf(rows);
    this.#driver.memory.make(rowBytes(this.#chars));
  }

  /** A failed or blocked element has one blocked item, and none of the items read before. */
  #block(): void {
    this.#forgetItems();
    this.#cells.push({ node: this.#node.index, element: this.#base, status: "blocked", body: "" });
  }

  /** Items of the current element, written or not. */
  #forgetItems(): void {
    this.#cells = this.#cells.filter((cell) => cell.element < this.#base);
    this.#chars = charsOf(this.#cells);
    this.#drop ??= { node: this.#node.index, fromIndex: this.#base };
  }

  /** Commits the cells that were created, and drops those to be dropped. */
  #commit(events: readonly RunEvent[], rows: Pick<Commit, "axisRows" | "notes"> = {}): void {
    this.#driver.commit(events, {
      ...rows,
      ...(this.#cells.length > 0 && { cells: this.#cells }),
      ...(this.#drop !== undefined && { dropCells: this.#drop }),
    });
    this.#forgetCells();
    this.#drop = undefined;
  }

  #forgetCells(): void {
    this.#cells = [];
    this.#chars = 0;
  }
}

function axisProgress(node: PlanNode, rows: readonly AxisRow[], cursor: number): NodeProgress {
  const count = { ok: 0, failed: 0, blocked: 0, absent: 0 };
  let reused = 0;
  let saved = 0;
  for (const row of rows) {
    count[row.status]++;
    if (row.reused !== undefined) {
      reused++;
      saved += row.reused.milliCredits;
    }
  }
  const charged = (count.ok - reused) * node.costMilliCredits;
  return { node: node.index, ...count, charged, used: 0, reused, saved, cursor };
}
