/**
 * The rows of blocks. A block is one row while it is small; settled content beyond SEALED_CHARS is moved to sealed rows,
 * which are not written again, so that a report rewrites little.
 *
 * Row `b.<group>.<number>`: a line of tasks, a line of cells and lengths of texts, then the texts. A sealed row
 * `b.<group>.<number>.<page>` is the same without tasks. Texts over OWN_ROW_CHARS have a row `v.<node>.<element>`,
 * further texts of a cell have `v.<node>.<element>.<piece>`; equal texts, such as a value that is passed on, are stored
 * once. Reported outcomes over REPORTED_CHARS together have rows `o.<node>.<element>`.
 */
import type { CellRow } from "../../../src/engine/drive/run-rows.ts";
import { blockKey, isValueKeyOf, numberOf, outcomeKey, sealedKey, slotOf } from "./block-keys.ts";
import { moveLong, pagesOf, textChars } from "./block-pieces.ts";
import { type Cell, decodeBlockRow, decodeTasks, encodeBlockRow } from "./block-text.ts";
import { type Block, encodeOpen, newBlock, openCells, weightOf } from "./block.ts";
import type { PartRows } from "./part-rows.ts";
import type { TaskEntry } from "../tasks/task-entry.ts";

/** Settled text in a block's row before it is sealed. */
const SEALED_CHARS = 32_000;

/** Outcomes in a block's line of tasks. Reported outcomes are rarely written before they are processed. */
const REPORTED_CHARS = 100_000;

export class BlockRows {
  readonly #parts: PartRows;

  constructor(parts: PartRows) {
    this.#parts = parts;
  }

  /** Undefined if the block has no row. `liveTask`: a task whose state in memory is newer than its row. */
  read(
    group: number,
    number: number,
    liveTask: (id: number) => TaskEntry | undefined,
  ): Block | undefined {
    const key = blockKey(group, number);
    const rows = this.#parts.between(key, `${key}/`);
    if (rows.length === 0) {
      return undefined;
    }
    const block = newBlock(group, number);
    for (const [rowKey, text] of rows) {
      const page = rowKey === key ? -1 : Number(rowKey.slice(key.length + 1));
      block.pages = Math.max(block.pages, page + 1);
      this.#decode(block, text, page, liveTask);
    }
    block.chars = weightOf(block);
    return block;
  }

  /** Writes a block and updates its weight; with `isWhole` as one row, whatever its length. */
  write(block: Block, isWhole: boolean): void {
    const key = blockKey(block.group, block.number);
    if (!isWhole) {
      this.#seal(key, block);
      this.#moveOutcomes(block);
    }
    this.#parts.put(key, encodeOpen(block));
    block.chars = weightOf(block);
  }

  /** Every unsettled task that has a row; as in its block, if that is in memory. */
  tasks(known: (group: number, number: number) => Block | undefined): TaskEntry[] {
    return this.#parts.headsBetween("b.", "b/").flatMap(([key, head]) => {
      const [, group, number] = key.split(".");
      const block = known(Number(group), Number(number));
      const tasks = head === "" ? [] : decodeTasks(head);
      const stored = (task: TaskEntry) => this.#withOutcome(task);
      return tasks.map((task) => block?.tasks.get(slotOf(task.node, task.element)) ?? stored(task));
    });
  }

  /** With the content that is in separate rows. */
  cell({ node, element, status, head, tail }: Cell): CellRow {
    let body = head;
    for (const piece of tail) {
      body += "row" in piece ? (this.#parts.get(piece.row) ?? "") : piece.text;
    }
    return { node, element, status, body };
  }

  /** Rows created for this cell. Other cells may share pieces of them; those are deleted by the same call. */
  dropOwn({ node, element, tail }: Cell): void {
    for (const piece of tail) {
      if ("row" in piece && isValueKeyOf(piece.row, node, element)) {
        this.#parts.delete(piece.row);
      }
    }
  }

  dropOutcome(task: TaskEntry | undefined): void {
    if (task?.outcomeRow !== undefined) {
      this.#parts.delete(task.outcomeRow);
      task.outcomeRow = undefined;
    }
  }

  /** The highest number of a block of this group that has rows; -1 if there is none. */
  lastNumber(group: number): number {
    const key = this.#parts.lastKey(`b.${group}.`, `b.${group}/`);
    return key === undefined ? -1 : Number(key.split(".")[2]);
  }

  /** Keys of blocks, without their sealed rows, after this one. */
  keysAfter(after: string): string[] {
    const keys = this.#parts
      .headsBetween(after === "" ? "b." : `${after}/`, "b/")
      .map(([key]) => key.split(".").slice(0, 3).join("."));
    return [...new Set(keys)];
  }

  /**
   * Deletes the rows of a block that cannot be decoded, with all outcomes and values of its elements: its rows do not
   * say which of their texts are values.
   */
  deleteUnreadable(group: number, number: number, groupOf: (node: number) => number): void {
    const key = blockKey(group, number);
    const own = this.#parts.headsBetween(key, `${key}/`).map(([row]) => row);
    const ofElements = ["o", "v"]
      .flatMap((kind) => this.#parts.headsBetween(`${kind}.`, `${kind}/`))
      .map(([row]) => row)
      .filter((row) => {
        const [, node, element] = row.split(".").map(Number);
        return groupOf(node ?? 0) === group && numberOf(element ?? 0) === number;
      });
    for (const row of [...own, ...ofElements]) {
      this.#parts.delete(row);
    }
  }

  /** All settled content is written with the block again. */
  unseal(block: Block): void {
    const key = blockKey(block.group, block.number);
    for (let page = 0; page < block.pages; page++) {
      this.#parts.delete(sealedKey(key, page));
    }
    block.pages = 0;
    for (const cell of block.cells.values()) {
      cell.page = -1;
    }
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

  #decode(
    block: Block,
    text: string,
    page: number,
    liveTask: (id: number) => TaskEntry | undefined,
  ): void {
    const { tasks, cells } = decodeBlockRow(text, page);
    for (const stored of tasks) {
      block.tasks.set(
        slotOf(stored.node, stored.element),
        liveTask(stored.id) ?? this.#withOutcome(stored),
      );
    }
    for (const cell of cells) {
      block.cells.set(slotOf(cell.node, cell.element), cell);
    }
  }
}
