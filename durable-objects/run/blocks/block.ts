/** A block of elements in memory. */
import { BLOCK_CHARS, CELL_CHARS, TASK_CHARS } from "./block-room.ts";
import { textChars } from "./block-pieces.ts";
import { type Cell, encodeBlockRow } from "./block-text.ts";
import type { TaskEntry } from "../tasks/task-entry.ts";

export interface Block {
  readonly group: number;
  readonly number: number;
  /** By `slotOf`, as the tasks. */
  readonly cells: Map<number, Cell>;
  readonly tasks: Map<number, TaskEntry>;
  pages: number;
  /** What it counts for in memory; see `weightOf`. */
  chars: number;
  /** Whether a commit has to write it. */
  isDirty: boolean;
  older: Block | undefined;
  newer: Block | undefined;
}

export function newBlock(group: number, number: number): Block {
  return {
    group,
    number,
    cells: new Map(),
    tasks: new Map(),
    pages: 0,
    chars: 0,
    isDirty: false,
    older: undefined,
    newer: undefined,
  };
}

/** The characters of a block, and those that the objects around them are as large as. */
export function weightOf({ cells, tasks }: Block): number {
  let chars = BLOCK_CHARS + tasks.size * TASK_CHARS;
  for (const cell of cells.values()) {
    chars += CELL_CHARS + textChars(cell);
  }
  return chars;
}

/** Cells that are written with their block. */
export function openCells(block: Block): Cell[] {
  return [...block.cells.values()].filter(({ page }) => page === -1);
}

export function encodeOpen(block: Block): string {
  return encodeBlockRow([...block.tasks.values()], openCells(block));
}
