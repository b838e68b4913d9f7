import { toCell } from "../drive/cell-reader.ts";
import type { CellRow } from "../drive/run-rows.ts";
import type { PlanInput } from "../plan/plan.ts";
import { project } from "../step/gather-inputs.ts";
import { type Cell, wholeCell } from "../step/cells.ts";
import { jsonMemory } from "../../lib/json/json-memory.ts";
import type { SourceRun } from "./source-run.ts";

/** A cell of the source with what a run that takes it over keeps of it. */
export interface SourceCell extends Cell {
  readonly row: CellRow;
}

/** The cells of a source that the current slice compares with. */
export class SourceCells {
  readonly #source: SourceRun;
  #cells = new Map<number, Map<number, SourceCell>>();
  #bytes = 0;

  constructor(source: SourceRun) {
    this.#source = source;
  }

  /** Estimated memory of what is loaded. */
  get bytes(): number {
    return this.#bytes;
  }

  release(): void {
    this.#cells = new Map();
    this.#bytes = 0;
  }

  /** Loads cells of one node that are not loaded yet. */
  async load(node: number, elementIndexes: readonly number[]): Promise<void> {
    const known = this.#cells.get(node) ?? new Map<number, SourceCell>();
    this.#cells.set(node, known);
    const missing = [...new Set(elementIndexes)].filter((element) => !known.has(element));
    if (missing.length === 0) {
      return;
    }
    for (const row of await this.#source.rows.cellsAt(node, missing)) {
      known.set(row.element, { ...toCell(row), row });
      this.#bytes += jsonMemory(row.body);
    }
  }

  /** Loads the cells that `inputs` read at elements of `scope`. */
  async loadInputs(
    inputs: readonly PlanInput[],
    scope: number,
    elements: readonly number[],
  ): Promise<void> {
    const { layout, state } = this.#source;
    for (const { sources } of inputs) {
      for (const source of sources) {
        if (state.nodes[source.node]?.whole == null) {
          await this.load(
            source.node,
            elements.map((element) => project(layout, scope, source.scope, element)),
          );
        }
      }
    }
  }

  get(node: number, element: number): SourceCell | undefined {
    return this.#cells.get(node)?.get(element);
  }

  /** As a node of the source read it; undefined if it was not settled. */
  read(node: number, element: number): Cell | undefined {
    return wholeCell(this.#source.state.nodes[node]) ?? this.get(node, element);
  }
}
