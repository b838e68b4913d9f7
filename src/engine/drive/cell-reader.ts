import type { Layout } from "../layout/layout.ts";
import type { PlanNode } from "../plan/plan.ts";
import { ABSENT, BLOCKED, type Cell, type ReadCell, wholeCell } from "../step/cells.ts";
import { NO_OUTPUTS } from "../step/cells.ts";
import type { KeptMemory } from "../../lib/memory/memory-budget.ts";
import type { RunState } from "../step/run-state.ts";
import { jsonMemory } from "../../lib/json/json-memory.ts";
import { readOutputs } from "../values/cell-outputs.ts";
import type { CellRow, RunRows } from "./run-rows.ts";
import type { RunMemory } from "./work-memory.ts";

/** Rows of a scope this small are read once and cached while they also stay small in bytes. */
const KEEP_ROWS_MAX = 1_000;
const KEEP_CHARS_MAX = 1_000_000;

/** A cache of less is not counted: most runs. */
const UNCOUNTED_BYTES = 64 * 1024;

/** All cells of one node. */
interface KeptCells {
  readonly cells: Map<number, Cell>;
  readonly chars: number;
  readonly bytes: number;
}

/** Reads the cells of a slice in few queries, and caches single values between slices. */
export class CellReader {
  readonly #rows: RunRows;
  readonly #layout: Layout;
  readonly #counted: KeptMemory | undefined;
  #kept = new Map<number, KeptCells>();
  /** Of the current slice, cached ones included, so that dropping the cache takes nothing from it. */
  #loaded = new Map<number, Map<number, Cell>>();
  #loadedBytes = 0;

  /** `memory`: counts the cache, which is dropped where its room is needed. */
  constructor(rows: RunRows, layout: Layout, memory?: Pick<RunMemory, "keep">) {
    this.#rows = rows;
    this.#layout = layout;
    // A weak reference, because an object that the platform drops cannot take its cache from the budget.
    const self = new WeakRef(this);
    this.#counted = memory?.keep(0, () => {
      const reader = self.deref();
      if (reader !== undefined) {
        reader.#kept = new Map();
      }
    });
  }

  /** Estimated memory of the cells of the slice. */
  get bytes(): number {
    return this.#loadedBytes;
  }

  /** The slice is over: its cells are dropped, but not the cached ones. */
  release(): void {
    this.#loaded = new Map();
    this.#loadedBytes = 0;
  }

  /**
   * Loads the cells that `nodes` read at elements of their scope; drops the cells of the previous slice. `settled`: a node of
   * that scope whose cells the caller has.
   */
  load(
    nodes: readonly PlanNode[],
    state: RunState,
    elementIndexes: readonly number[],
    settled?: number,
  ): void {
    this.release();
    const lane = new Set(nodes.map((node) => node.index));
    for (const node of nodes) {
      for (const source of node.inputs.flatMap((input) => input.sources)) {
        // Cells that the slice itself creates, or settles, have no row yet.
        if (lane.has(source.node) || source.node === settled) {
          continue;
        }
        const isSettled = state.nodes[source.node]?.phase === "settled";
        if (this.#kept.has(source.node)) {
          this.#use(source.node, this.#kept.get(source.node));
        } else if (
          isSettled &&
          this.#layout.count(source.scope) <= KEEP_ROWS_MAX &&
          source.scope !== node.scope
        ) {
          this.#use(source.node, this.#keep(source.node));
        } else {
          this.#loadAt(source.node, this.#sourceOrds(node.scope, source.scope, elementIndexes));
        }
      }
    }
  }

  /** Loads rows that no connection reads (a submitted value). */
  loadRow(node: number, element: number): void {
    this.#loadAt(node, [element]);
  }

  read(state: RunState): ReadCell {
    return (node, element) => wholeCell(state.nodes[node]) ?? this.#loaded.get(node)?.get(element);
  }

  #sourceOrds(from: number, to: number, elementIndexes: readonly number[]): readonly number[] {
    if (from === to) {
      return elementIndexes;
    }
    const projection = this.#layout.project(from, to);
    return [...new Set(elementIndexes.map((element) => projection[element] ?? 0))];
  }

  #keep(node: number): KeptCells {
    const rows = this.#rows.cellsBetween(node, 0, KEEP_ROWS_MAX);
    const kept: KeptCells = {
      cells: new Map(rows.map((row) => [row.element, toCell(row)])),
      chars: rows.reduce((sum, row) => sum + row.body.length, 0),
      bytes: memoryOf(rows),
    };
    const all = [...this.#kept.values()];
    if (all.reduce((sum, { chars }) => sum + chars, kept.chars) > KEEP_CHARS_MAX) {
      this.#kept = new Map();
    }
    this.#kept.set(node, kept);
    this.#count();
    return kept;
  }

  #use(node: number, kept: KeptCells | undefined): void {
    if (kept !== undefined && this.#loaded.get(node) !== kept.cells) {
      this.#loaded.set(node, kept.cells);
      this.#loadedBytes += kept.bytes;
    }
  }

  #count(): void {
    const bytes = [...this.#kept.values()].reduce((sum, kept) => sum + kept.bytes, 0);
    this.#counted?.resize(bytes <= UNCOUNTED_BYTES ? 0 : bytes);
  }

  #loadAt(node: number, elementIndexes: readonly number[]): void {
    const cells = this.#loaded.get(node) ?? new Map<number, Cell>();
    this.#loaded.set(node, cells);
    const missing =
      cells.size === 0 ? elementIndexes : elementIndexes.filter((element) => !cells.has(element));
    const first = missing[0];
    const last = missing.at(-1);
    if (first === undefined || last === undefined) {
      return;
    }
    const isRange = last - first === missing.length - 1;
    const rows = isRange
      ? this.#rows.cellsBetween(node, first, last + 1)
      : this.#rows.cellsAt(node, missing);
    this.#loadedBytes += memoryOf(rows);
    for (const row of rows) {
      cells.set(row.element, toCell(row));
    }
  }
}

/** Rows with fewer characters together are not looked into: their values are taken to need four bytes for each. */
const SCANNED_CHARS_MIN = 64 * 1024;
const BYTES_A_CHAR = 4;

/** Estimated memory of the rows' values. */
export function memoryOf(rows: readonly CellRow[]): number {
  const chars = rows.reduce((sum, { body }) => sum + body.length, 0);
  return chars < SCANNED_CHARS_MIN
    ? chars * BYTES_A_CHAR
    : rows.reduce((sum, { body }) => sum + jsonMemory(body), 0);
}

/** A row as later nodes read it. */
export function toCell(row: CellRow): Cell {
  switch (row.status) {
    case "ok":
      return { status: "ok", outputs: readOutputs(row.body) };
    case "absent":
      return ABSENT;
    case "blocked":
      return BLOCKED;
    case "failed":
      return { status: "failed", outputs: NO_OUTPUTS };
  }
}
