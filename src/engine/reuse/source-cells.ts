import { memoryOf, toCell } from "../drive/cell-reader.ts";
import type { CellRow } from "../drive/run-rows.ts";
import type { PlanInput } from "../plan/plan.ts";
import { project } from "../step/gather-inputs.ts";
import { type Cell, wholeCell } from "../step/cells.ts";
import type { SourceRun } from "./source-run.ts";

/**
 * A cell of the source with what a run that takes it over keeps of it. Its outputs are read from the row where they are
 * needed first: those that are taken over need not be.
 */
export class SourceCell implements Cell {
  readonly row: CellRow;
  #cell: Cell | undefined;

  constructor(row: CellRow) {
    this.row = row;
  }

  get status(): Cell["status"] {
    return this.row.status;
  }

  get outputs(): Cell["outputs"] {
    this.#cell ??= toCell(this.row);
    return this.#cell.outputs;
  }
}

/** Cells of a source, of any nodes. */
export class WantedCells {
  readonly #source: SourceRun;
  readonly elements = new Map<number, Set<number>>();

  constructor(source: SourceRun) {
    this.#source = source;
  }

  add(node: number, elementIndexes: readonly number[]): this {
    const elements = this.elements.get(node) ?? new Set();
    this.elements.set(node, elements);
    elementIndexes.forEach((element) => elements.add(element));
    return this;
  }

  /** The cells that `inputs` read at elements of `scope`. */
  addInputs(inputs: readonly PlanInput[], scope: number, elements: readonly number[]): this {
    const { layout, state } = this.#source;
    for (const { sources } of inputs) {
      for (const source of sources) {
        if (state.nodes[source.node]?.whole == null) {
          this.add(
            source.node,
            elements.map((element) => project(layout, scope, source.scope, element)),
          );
        }
      }
    }
    return this;
  }
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

  /** Loads cells that are not loaded yet. */
  async load(wanted: WantedCells): Promise<void> {
    const missing = new Map<number, number[]>();
    for (const [node, elements] of wanted.elements) {
      const known = this.#cells.get(node);
      const unknown = [...elements].filter((element) => known?.has(element) !== true);
      if (unknown.length > 0) {
        missing.set(node, unknown);
      }
    }
    if (missing.size === 0) {
      return;
    }
    const rows = await this.#source.rows.cells(missing);
    this.#bytes += memoryOf(rows);
    for (const row of rows) {
      let known = this.#cells.get(row.node);
      if (known === undefined) {
        known = new Map();
        this.#cells.set(row.node, known);
      }
      known.set(row.element, new SourceCell(row));
    }
  }

  /** Those that are to be loaded together. */
  want(): WantedCells {
    return new WantedCells(this.#source);
  }

  get(node: number, element: number): SourceCell | undefined {
    return this.#cells.get(node)?.get(element);
  }

  /** As a node of the source read it; undefined if it was not settled. */
  read(node: number, element: number): Cell | undefined {
    return wholeCell(this.#source.state.nodes[node]) ?? this.get(node, element);
  }
}
