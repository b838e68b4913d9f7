/**
 * Elements of a run in blocks: 32 elements of one scope, with the results of every node of that scope and the unsettled
 * tasks. A block is one row while it is small; settled content beyond SEALED_CHARS is moved to sealed rows, which are
 * not written again, so that a report rewrites little.
 *
 * Row `b.<group>.<number>`: a line of tasks, a line of cells and lengths of texts, then the texts. A sealed row
 * `b.<group>.<number>.<page>` is the same without tasks. Texts over OWN_ROW_CHARS have a row `v.<node>.<element>`,
 * further texts of a cell have `v.<node>.<element>.<piece>`; equal texts, such as a value that is passed on, are stored
 * once. Reported outcomes over REPORTED_CHARS together have rows `o.<node>.<element>`.
 */
import type { CellRow } from "../../src/engine/drive/run-rows.ts";
import type { ElementDigests } from "../../src/contracts/task.ts";
import type { Charge } from "../../src/engine/step/charge.ts";
import type { CellStatus } from "../../src/engine/step/run-state.ts";
import {
  BLOCK_CACHE_CHARS,
  BLOCK_CACHE_CHARS_MAX,
  BLOCK_WINDOW_CHARS,
  BlockRoom,
} from "./block-room.ts";
import { BUNDLE_CHARS_MAX, type PartRows } from "./part-rows.ts";
import {
  BLOCK_ELEMENTS,
  blockKey,
  isValueKeyOf,
  numberOf,
  outcomeKey,
  sealedKey,
  slotOf,
} from "./block-keys.ts";
import { moveLong, pagesOf, splitBody, textChars, withoutContent } from "./block-pieces.ts";
import { accountOf, type Cell, decodeBlockRow, decodeTasks, encodeBlockRow } from "./block-text.ts";
import { type Block, encodeOpen, newBlock, openCells, weightOf } from "./block.ts";
import { KnownBlocks } from "./known-blocks.ts";
import type { TaskEntry } from "./task-entry.ts";

/** Settled text in a block's row before it is sealed. */
const SEALED_CHARS = 32_000;

/** Outcomes in a block's line of tasks. Reported outcomes are rarely written before they are processed. */
const REPORTED_CHARS = 100_000;

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
}

export class ElementBlocks {
  readonly #parts: PartRows;
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
    this.#parts = parts;
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
    return this.#cells(node, from, to).map((cell) => this.#toRow(cell));
  }

  /** The same for cells with exactly one file: content in separate rows is left out and not read. */
  filesBetween(node: number, from: number, to: number): CellRow[] {
    return this.#cells(node, from, to).map((cell) =>
      this.#toRow({
        ...cell,
        tail: withoutContent(cell.tail),
      }),
    );
  }

  at(node: number, elementIndexes: readonly number[]): CellRow[] {
    const group = this.#groupOf(node);
    const found: CellRow[] = [];
    for (const element of elementIndexes.toSorted((a, b) => a - b)) {
      const cell = this.#block(group, numberOf(element))?.cells.get(slotOf(node, element));
      if (cell !== undefined) {
        found.push(this.#toRow(cell));
      }
      this.evict();
    }
    return found;
  }

  settledBetween(node: number, from: number, to: number): SettledRow[] {
    return this.#cells(node, from, to).map((cell) => ({
      element: cell.element,
      status: cell.status,
      failure: cell.status === "failed" ? this.#toRow(cell).body : null,
      ...cell.account,
    }));
  }

  putCells(cells: readonly CellRow[]): void {
    let block: Block | undefined;
    for (const { node, element, status, body, work, charge, digests } of cells) {
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
        this.#dropOwnRows(cell);
      }
      this.#unseal(block);
    }
  }

  /**
   * Removes the values of successful elements, of blocks after `after`, at least `limit` values. Returns the key to
   * continue from, null at the end.
   */
  dropValues(after: string, limit: number): string | null {
    let left = limit;
    let last = after;
    for (const key of this.#blockKeysAfter(after)) {
      if (left <= 0) {
        return last;
      }
      last = key;
      const [, group = "0", number = "0"] = key.split(".");
      const block = this.#block(Number(group), Number(number));
      if (block === undefined) {
        continue;
      }
      this.#unseal(block);
      for (const [at, cell] of block.cells) {
        if (cell.status === "ok") {
          left--;
          this.#dropOwnRows(cell);
          block.cells.set(at, { ...cell, head: "", tail: [] });
        }
      }
      for (const task of block.tasks.values()) {
        this.#dropOutcome(task);
      }
      block.tasks.clear();
      this.#mark(block);
    }
    return null;
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
    this.#dropOutcome(tasks.get(slotOf(node, element)));
    tasks.delete(slotOf(node, element));
  }

  /** Every unsettled task that has a row. */
  storedTasks(): TaskEntry[] {
    return this.#parts.headsBetween("b.", "b/").flatMap(([key, head]) => {
      const [, group, number] = key.split(".");
      const known = this.#known.peek(Number(group), Number(number));
      const tasks = head === "" ? [] : decodeTasks(head);
      const stored = (task: TaskEntry) => this.#withOutcome(task);
      return tasks.map((task) => known?.tasks.get(slotOf(task.node, task.element)) ?? stored(task));
    });
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
      this.#encode(blockKey(block.group, block.number), block, isOneRow);
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

  #toRow({ node, element, status, head, tail }: Cell): CellRow {
    let body = head;
    for (const piece of tail) {
      body += "row" in piece ? (this.#parts.get(piece.row) ?? "") : piece.text;
    }
    return { node, element, status, body };
  }

  /** Rows created for this cell. Other cells may share pieces of them; those are deleted by the same call. */
  #dropOwnRows({ node, element, tail }: Cell): void {
    for (const piece of tail) {
      if ("row" in piece && isValueKeyOf(piece.row, node, element)) {
        this.#parts.delete(piece.row);
      }
    }
  }

  #lastNumber(group: number): number {
    let last = -1;
    for (const block of this.#known.oldestFirst()) {
      last = block.group === group ? Math.max(last, block.number) : last;
    }
    const prefix = `b.${group}.`;
    const key = this.#parts.lastKey(prefix, `b.${group}/`);
    return Math.max(last, key === undefined ? -1 : Number(key.split(".")[2]));
  }

  /** Keys of blocks, without their sealed rows, after this one. */
  #blockKeysAfter(after: string): string[] {
    const keys = this.#parts
      .headsBetween(after === "" ? "b." : `${after}/`, "b/")
      .map(([key]) => key.split(".").slice(0, 3).join("."));
    return [...new Set(keys)];
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
    const key = blockKey(group, number);
    if (this.#evicted?.has(key) === false) {
      return undefined;
    }
    const rows = this.#parts.between(key, `${key}/`);
    if (rows.length === 0) {
      return undefined;
    }
    const block = newBlock(group, number);
    for (const [rowKey, text] of rows) {
      const page = rowKey === key ? -1 : Number(rowKey.slice(key.length + 1));
      block.pages = Math.max(block.pages, page + 1);
      this.#decode(block, text, page);
    }
    block.chars = weightOf(block);
    this.#known.add(block);
    this.#chars += block.chars;
    return block;
  }

  /** All settled content is written with the block again. */
  #unseal(block: Block): void {
    const key = blockKey(block.group, block.number);
    for (let page = 0; page < block.pages; page++) {
      this.#parts.delete(sealedKey(key, page));
    }
    block.pages = 0;
    for (const cell of block.cells.values()) {
      cell.page = -1;
    }
  }

  #encode(key: string, block: Block, isWhole: boolean): void {
    if (!isWhole) {
      this.#seal(key, block);
      this.#moveOutcomes(block);
    }
    this.#parts.put(key, encodeOpen(block));
    const before = block.chars;
    block.chars = weightOf(block);
    this.#chars += block.chars - before;
  }

  /** Moves settled cells to sealed rows if they have more than SEALED_CHARS. */
  #seal(key: string, block: Block): void {
    const open = openCells(block);
    for (const [row, text] of moveLong(open)) {
      this.#parts.put(row, text);
    }
    if (open.reduce((sum, cell) => sum + textChars(cell), 0) <= SEALED_CHARS) {
      return;
    }
    for (const cells of pagesOf(open)) {
      const page = block.pages++;
      this.#parts.put(sealedKey(key, page), encodeBlockRow([], cells));
      for (const cell of cells) {
        cell.page = page;
      }
    }
  }

  /** Content that exceeds the line of tasks gets separate rows. */
  #moveOutcomes({ tasks }: Block): void {
    let left = REPORTED_CHARS;
    for (const task of tasks.values()) {
      if (task.outcome === null || task.outcomeRow !== undefined) {
        continue;
      }
      const text = JSON.stringify(task.outcome);
      if (text.length <= left) {
        left -= text.length;
      } else {
        task.outcomeRow = outcomeKey(task.node, task.element);
        this.#parts.put(task.outcomeRow, text);
      }
    }
  }

  #withOutcome(task: TaskEntry): TaskEntry {
    const text = task.outcomeRow === undefined ? undefined : this.#parts.get(task.outcomeRow);
    return text === undefined
      ? task
      : Object.assign(task, { outcome: JSON.parse(text) as TaskEntry["outcome"] });
  }

  #dropOutcome(task: TaskEntry | undefined): void {
    if (task?.outcomeRow !== undefined) {
      this.#parts.delete(task.outcomeRow);
      task.outcomeRow = undefined;
    }
  }

  #decode(block: Block, text: string, page: number): void {
    const { tasks, cells } = decodeBlockRow(text, page);
    for (const stored of tasks) {
      block.tasks.set(
        slotOf(stored.node, stored.element),
        this.liveTask(stored.id) ?? this.#withOutcome(stored),
      );
    }
    for (const cell of cells) {
      block.cells.set(slotOf(cell.node, cell.element), cell);
    }
  }
}
