/**
 * Elements of a run in blocks: 32 elements of one scope, with the results of every node of that scope and the unsettled
 * tasks. This file decides which blocks are in memory; `block-rows.ts` reads and writes them.
 */
import type { CellRow } from "../../../src/engine/drive/run-rows.ts";
import type { Reused } from "../../../src/engine/step/cells.ts";
import type { ElementDigests } from "../../../src/contracts/runs/task.ts";
import type { Charge } from "../../../src/engine/step/charge.ts";
import type { CellStatus } from "../../../src/engine/step/run-state.ts";
import {
  BLOCK_CACHE_CHARS,
  BLOCK_CACHE_CHARS_MAX,
  BLOCK_WINDOW_CHARS,
  BlockRoom,
} from "./block-room.ts";
import { BUNDLE_CHARS_MAX, type PartRows } from "./part-rows.ts";
import { BLOCK_ELEMENTS, blockKey, numberOf, slotOf } from "./block-keys.ts";
import { splitBody, withoutContent } from "./block-pieces.ts";
import { BlockRows } from "./block-rows.ts";
import { accountOf, type Cell } from "./block-text.ts";
import { type Block, encodeOpen, newBlock } from "./block.ts";
import { KnownBlocks } from "./known-blocks.ts";
import type { TaskEntry } from "../tasks/task-entry.ts";

/** The end state of an element without its content. `failure` is JSON if it failed. */
export interface SettledRow {
  readonly element: number;
  readonly status: CellStatus;
  readonly failure: string | null;
  readonly attempts: number | null;
  readonly ms: number | null;
  /** Undefined if nothing is stored: it was charged nothing, or its node's cost before charges could vary. */
  readonly charge: Charge | undefined;
  /** For an element that the runner executed [E28]. */
  readonly digests: ElementDigests | undefined;
  /** For an element that was taken over from another run [E36]. */
  readonly reused: Reused | undefined;
}

export class ElementBlocks {
  readonly #rows: BlockRows;
  /** The group of a node: nodes of one group share blocks. */
  readonly #groupOf: (node: number) => number;
  readonly #known = new KnownBlocks<Block>();
  /** In the order of their first change. */
  #dirty: Block[] = [];
  /**
   * For a run that this instance created, the keys of evicted blocks: all other blocks are in memory, so none needs to
   * be looked up. Undefined for a run that was read from its rows.
   */
  #evicted: Set<string> | undefined;
  #chars = 0;
  /** What passes through in order, and is more than the cache holds, would be gone before it is read again. */
  #hasOutgrown = false;
  readonly #room = new BlockRoom((chars) => this.#evictTo(chars));
  /** A task whose state in memory is newer than its row. */
  liveTask: (id: number) => TaskEntry | undefined = () => undefined;

  constructor(parts: PartRows, groupOf: (node: number) => number) {
    this.#rows = new BlockRows(parts);
    this.#groupOf = groupOf;
  }

  /** Characters of the blocks in memory. */
  get knownChars(): number {
    return this.#chars;
  }

  /** Called when the run is created: it has no blocks yet. */
  begin(): void {
    this.#evicted = new Set();
  }

  forget(): void {
    this.#evicted = undefined;
    this.#known.clear();
    this.#dirty = [];
    this.#chars = 0;
    this.#room.count(0);
  }

  /** Returns the cells of one node with `from <= element < to`, ascending. */
  between(node: number, from: number, to: number): CellRow[] {
    return this.#cells(node, from, to).map((cell) => this.#rows.cell(cell));
  }

  /** The same for cells with exactly one file: content in separate rows is left out and not read. */
  filesBetween(node: number, from: number, to: number): CellRow[] {
    return this.#cells(node, from, to).map((cell) =>
      this.#rows.cell({
        ...cell,
        tail: withoutContent(cell.tail),
      }),
    );
  }

  at(node: number, elementIndexes: readonly number[]): CellRow[] {
    return this.#cellsAt(node, elementIndexes, (cell) => this.#rows.cell(cell));
  }

  #cellsAt(
    node: number,
    elementIndexes: readonly number[],
    rowOf: (cell: Cell) => CellRow,
  ): CellRow[] {
    const group = this.#groupOf(node);
    const found: CellRow[] = [];
    for (const element of elementIndexes.toSorted((a, b) => a - b)) {
      const cell = this.#block(group, numberOf(element))?.cells.get(slotOf(node, element));
      if (cell !== undefined) {
        found.push(rowOf(cell));
      }
      this.evict();
    }
    return found;
  }

  /** The same as `at`, with what each element was charged, its digests, and where it was taken over from. */
  wholeAt(node: number, elementIndexes: readonly number[]): CellRow[] {
    return this.#cellsAt(node, elementIndexes, (cell) => ({
      ...this.#rows.cell(cell),
      charge: cell.account.charge,
      digests: cell.account.digests,
      reused: cell.account.reused,
    }));
  }

  settledBetween(node: number, from: number, to: number): SettledRow[] {
    return this.#cells(node, from, to).map((cell) => ({
      element: cell.element,
      status: cell.status,
      failure: cell.status === "failed" ? this.#rows.cell(cell).body : null,
      ...cell.account,
    }));
  }

  putCells(cells: readonly CellRow[]): void {
    let block: Block | undefined;
    for (const { node, element, status, body, work, charge, digests, reused } of cells) {
      if (block?.number !== numberOf(element) || block.group !== this.#groupOf(node)) {
        block = this.#writable(node, element);
      }
      const slot = slotOf(node, element);
      if (block.cells.has(slot)) {
        throw new Error(`element ${element} of node ${node} settled twice`);
      }
      const { head, tail } = splitBody(body);
      const account = accountOf({
        attempts: work?.attempts ?? null,
        ms: work?.durationMs ?? null,
        charge,
        digests,
        reused,
      });
      block.cells.set(slot, { node, element, status, head, tail, account, page: -1 });
    }
  }

  /** Removes cells of a node from this element on. */
  dropCells(node: number, fromIndex: number): void {
    const group = this.#groupOf(node);
    const last = this.#lastNumber(group);
    for (let number = numberOf(fromIndex); number <= last; number++) {
      const block = this.#block(group, number);
      const dropped = [...(block?.cells ?? [])].filter(
        ([, cell]) => cell.node === node && cell.element >= fromIndex,
      );
      if (block === undefined || dropped.length === 0) {
        this.evict();
        continue;
      }
      this.#mark(block);
      for (const [key, cell] of dropped) {
        block.cells.delete(key);
        this.#rows.dropOwn(cell);
      }
      this.#rows.unseal(block);
    }
  }

  /**
   * Removes the values of successful elements, of blocks after `after`, at least `limit` values; a block without any
   * counts as one, so that a call is bounded. Returns the key to continue from, null at the end.
   */
  dropValues(after: string, limit: number): string | null {
    let left = limit;
    let last = after;
    for (const key of this.#rows.keysAfter(after)) {
      if (left <= 0) {
        return last;
      }
      last = key;
      const [, group = "0", number = "0"] = key.split(".");
      const block = this.#readable(Number(group), Number(number));
      const values = [...(block?.cells.values() ?? [])].filter(({ status }) => status === "ok");
      if (block === undefined || values.length + block.tasks.size === 0) {
        left--;
        this.evict();
        continue;
      }
      this.#rows.unseal(block);
      for (const [at, cell] of block.cells) {
        if (cell.status === "ok") {
          left--;
          this.#rows.dropOwn(cell);
          block.cells.set(at, { ...cell, head: "", tail: [] });
        }
      }
      for (const task of block.tasks.values()) {
        this.#rows.dropOutcome(task);
      }
      block.tasks.clear();
      this.#mark(block);
    }
    return null;
  }

  /** The block; if its rows are damaged, they are deleted with all values of its elements. */
  #readable(group: number, number: number): Block | undefined {
    try {
      return this.#block(group, number);
    } catch {
      this.#rows.deleteUnreadable(group, number, this.#groupOf);
      return undefined;
    }
  }

  putTask(task: TaskEntry): void {
    this.#writable(task.node, task.element).tasks.set(slotOf(task.node, task.element), task);
  }

  task(node: number, element: number): TaskEntry | undefined {
    return this.#block(this.#groupOf(node), numberOf(element))?.tasks.get(slotOf(node, element));
  }

  /** The element's block is written with the next commit. */
  touch(node: number, element: number): void {
    this.#writable(node, element);
  }

  removeTask(node: number, element: number): void {
    const { tasks } = this.#writable(node, element);
    this.#rows.dropOutcome(tasks.get(slotOf(node, element)));
    tasks.delete(slotOf(node, element));
  }

  /** Every unsettled task that has a row. */
  storedTasks(): TaskEntry[] {
    return this.#rows.tasks((group, number) => this.#known.peek(group, number));
  }

  /**
   * Passes changes to the parts. `isWhole`: everything is about to be written to one row, so that nothing is sealed
   * unless it exceeds that row.
   */
  encode(isWhole: boolean): void {
    const dirty = this.#dirty;
    const isOneRow =
      isWhole &&
      dirty.reduce((sum, block) => sum + encodeOpen(block).length, 0) <= BUNDLE_CHARS_MAX;
    for (const block of dirty) {
      const before = block.chars;
      this.#rows.write(block, isOneRow);
      this.#chars += block.chars - before;
      block.isDirty = false;
    }
    this.#dirty = [];
  }

  /** Drops the least recently used blocks; for a live run, until the isolate's limit is met. */
  evict(isOver = false): void {
    this.#hasOutgrown ||= this.#chars > BLOCK_CACHE_CHARS_MAX;
    this.#evictTo(
      this.#hasOutgrown ? BLOCK_WINDOW_CHARS : isOver ? BLOCK_CACHE_CHARS : BLOCK_CACHE_CHARS_MAX,
    );
    this.#room.count(this.#chars);
  }

  /** Only written blocks may be dropped; blocks changed by a transaction stay. */
  #evictTo(chars: number): void {
    if (this.#chars <= chars) {
      return;
    }
    for (const block of this.#known.oldestFirst()) {
      if (this.#chars <= chars) {
        return;
      }
      if (!block.isDirty) {
        this.#known.remove(block);
        this.#evicted?.add(blockKey(block.group, block.number));
        this.#chars -= block.chars;
      }
    }
  }

  #cells(node: number, from: number, to: number): Cell[] {
    const group = this.#groupOf(node);
    const found: Cell[] = [];
    let last = numberOf(to - 1);
    for (let number = numberOf(from); number <= last; number++) {
      const block = this.#block(group, number);
      if (block === undefined && number < last) {
        // The range may extend far beyond the last block.
        last = Math.min(last, this.#lastNumber(group));
      }
      const first = Math.max(from, number * BLOCK_ELEMENTS);
      for (let element = first; element < Math.min(to, (number + 1) * BLOCK_ELEMENTS); element++) {
        const cell = block?.cells.get(slotOf(node, element));
        if (cell !== undefined) {
          found.push(cell);
        }
      }
      this.evict();
    }
    return found;
  }

  #lastNumber(group: number): number {
    let last = this.#rows.lastNumber(group);
    for (const block of this.#known.oldestFirst()) {
      last = block.group === group ? Math.max(last, block.number) : last;
    }
    return last;
  }

  #writable(node: number, element: number): Block {
    const group = this.#groupOf(node);
    const number = numberOf(element);
    let block = this.#block(group, number);
    if (block === undefined) {
      block = newBlock(group, number);
      this.#known.add(block);
    }
    this.#mark(block);
    return block;
  }

  #mark(block: Block): void {
    if (!block.isDirty) {
      block.isDirty = true;
      this.#dirty.push(block);
    }
  }

  #block(group: number, number: number): Block | undefined {
    const known = this.#known.use(group, number);
    if (known !== undefined) {
      return known;
    }
    if (this.#evicted?.has(blockKey(group, number)) === false) {
      return undefined;
    }
    const block = this.#rows.read(group, number, this.liveTask);
    if (block === undefined) {
      return undefined;
    }
    this.#known.add(block);
    this.#chars += block.chars;
    return block;
  }
}
