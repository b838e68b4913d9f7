import type {
  AxisRow,
  CellRow,
  Commit,
  NewTask,
  ReportedTask,
  RunRows,
  SkippedItems,
} from "../../src/engine/drive/run-rows.ts";
import type { RunDelta } from "../../src/engine/events/run-delta.ts";
import type { RunState } from "../../src/engine/step/run-state.ts";

export interface MemoryTask {
  readonly id: number;
  readonly node: number;
  readonly element: number;
  attempt: number;
  outcome: ReportedTask["outcome"] | null;
  /** The token of its last wait. */
  token: string | null;
  givenBack: number;
  /** The element whose result it waits for; no worker has it meanwhile. */
  equalTo: NewTask["equalTo"];
  /** The digest by which it is looked up in the result cache; no worker has it meanwhile. */
  received: NewTask["received"];
}

/** The rows of a run as arrays: after a crash, exactly the committed data remains. */
export class MemoryRows implements RunRows {
  state: RunState;
  readonly cells = new Map<string, CellRow>();
  readonly axis: AxisRow[] = [];
  readonly tasks = new Map<number, MemoryTask>();
  readonly skippedItems = new Map<number, SkippedItems>();
  readonly deltas: RunDelta[] = [];
  /** What each commit with a delta has written. */
  readonly logged: { readonly state: RunState; readonly cells: readonly CellRow[] }[] = [];
  commits = 0;
  /** Tasks by their elements' keys. */
  readonly #places = new Map<string, MemoryTask>();
  #taskIds = 0;

  constructor(state: RunState) {
    this.state = state;
  }

  cellsBetween(node: number, from: number, to: number): CellRow[] {
    // Pages of long runs are short, and the last one may have no end.
    return to - from < this.cells.size
      ? this.#found(
          node,
          Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at),
        )
      : this.cellsOf(node).filter((cell) => cell.element >= from && cell.element < to);
  }

  cellsAt(node: number, elementIndexes: readonly number[]): CellRow[] {
    return this.#found(
      node,
      [...new Set(elementIndexes)].toSorted((a, b) => a - b),
    );
  }

  #found(node: number, elements: readonly number[]): CellRow[] {
    return elements.flatMap((element) => this.cells.get(placeOf(node, element)) ?? []);
  }

  wholeCellsAt(node: number, elementIndexes: readonly number[]): CellRow[] {
    return this.cellsAt(node, elementIndexes);
  }

  equalTasks(): ReturnType<RunRows["equalTasks"]> {
    return [...this.tasks.values()].flatMap(({ node, element, equalTo }) =>
      equalTo === undefined ? [] : [{ node, element, equalTo }],
    );
  }

  askedTasks(): ReturnType<RunRows["askedTasks"]> {
    return [...this.tasks.values()].filter(({ received }) => received !== undefined);
  }

  cellsOf(node: number): CellRow[] {
    return [...this.cells.values()]
      .filter((cell) => cell.node === node)
      .toSorted((a, b) => a.element - b.element);
  }

  axisRows(axis: number): AxisRow[] {
    return this.axis.filter((row) => row.axis === axis).toSorted((a, b) => a.parent - b.parent);
  }

  reportedTasks(limit: number): ReportedTask[] {
    return [...this.tasks.values()]
      .flatMap(({ id, node, element, outcome }) =>
        outcome === null ? [] : [{ id, node, element, outcome }],
      )
      .slice(0, limit);
  }

  dropTask(id: number): void {
    const task = this.tasks.get(id);
    if (task !== undefined) {
      this.tasks.delete(id);
      this.#places.delete(placeOf(task.node, task.element));
    }
  }

  commit(commit: Commit): void {
    this.commits++;
    if (commit.dropCells !== undefined) {
      const { node, fromIndex } = commit.dropCells;
      for (const [key, cell] of this.cells) {
        if (cell.node === node && cell.element >= fromIndex) {
          this.cells.delete(key);
        }
      }
    }
    this.#settle(commit.cells ?? []);
    for (const row of commit.axisRows ?? []) {
      if (this.axis.some((known) => known.axis === row.axis && known.parent === row.parent)) {
        throw new Error(`axis ${row.axis} opened twice at ${row.parent}`);
      }
      this.axis.push(row);
    }
    this.#changeTasks(commit);
    for (const { node, skipped, of } of commit.skipped ?? []) {
      const known = this.skippedItems.get(node) ?? { node, skipped: 0, of: 0 };
      this.skippedItems.set(node, { node, skipped: known.skipped + skipped, of: known.of + of });
    }
    this.state = commit.state;
    if (commit.delta != null) {
      this.deltas.push(commit.delta);
      this.logged.push({ state: commit.state, cells: commit.cells ?? [] });
    }
  }

  #changeTasks({ tasks = [], releaseTasks = [], removeTasks = [] }: Commit): void {
    for (const task of tasks) {
      if (this.#places.has(placeOf(task.node, task.element))) {
        throw new Error(`a second task for ${task.node}/${task.element}`);
      }
      const id = ++this.#taskIds;
      const { node, element, equalTo, received } = task;
      const fresh = { attempt: 0, outcome: null, token: null, givenBack: 0 };
      const made = { id, node, element, equalTo, received, ...fresh };
      this.tasks.set(id, made);
      this.#places.set(placeOf(node, element), made);
    }
    for (const { node, element } of releaseTasks) {
      const task = this.#taskAt(node, element);
      task.equalTo = undefined;
      task.received = undefined;
    }
    for (const { node, element, id = this.#taskAt(node, element).id } of removeTasks) {
      this.dropTask(id);
    }
  }

  #taskAt(node: number, element: number): MemoryTask {
    const task = this.#places.get(placeOf(node, element));
    if (task === undefined) {
      throw new Error(`there is no task for ${node}/${element}`);
    }
    return task;
  }

  #settle(cells: readonly CellRow[]): void {
    for (const cell of cells) {
      const key = placeOf(cell.node, cell.element);
      if (this.cells.has(key)) {
        throw new Error(`element ${key} settled twice`);
      }
      this.cells.set(key, cell);
    }
  }
}

function placeOf(node: number, element: number): string {
  return `${node}/${element}`;
}
