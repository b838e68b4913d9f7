import type { RunStore } from "../state/run-store.ts";
import type { TaskEntry } from "./task-entry.ts";

/**
 * How far a lease may be extended in memory beyond its row: a task of some seconds writes no heartbeat. An object that
 * has lost its memory extends every lease by as much.
 */
export const UNWRITTEN_MS = 15_000;

interface TaskPlace {
  readonly node: number;
  readonly element: number;
}

/**
 * Unsettled tasks of a run in memory: by id those that are or were with the runner, or on their way there; of the others,
 * which are ready, only the elements. Read from the rows when first needed, if this object has not created every task
 * itself.
 */
export class OpenTasks {
  readonly #store: RunStore;
  /** Undefined until the rows were read. */
  #tasks: Map<number, TaskEntry> | undefined;
  /** Elements whose tasks are ready, in the order in which they became ready. */
  #ready: TaskPlace[] = [];

  constructor(store: RunStore) {
    this.#store = store;
  }

  get(id: number): TaskEntry | undefined {
    return this.#read().get(id);
  }

  /** The same, without reading rows: undefined for a task that is not in memory. */
  known(id: number): TaskEntry | undefined {
    return this.#tasks?.get(id);
  }

  /** Undefined if this fence does not hold the task's lease. */
  leased(id: number, fence: number): TaskEntry | undefined {
    const task = this.get(id);
    return task?.status === "leased" && task.fence === fence ? task : undefined;
  }

  all(): TaskEntry[] {
    return [...this.#read().values()];
  }

  in(status: TaskEntry["status"]): TaskEntry[] {
    return this.all().filter((task) => task.status === status);
  }

  /** Tasks that are with the runner, or reported and not processed yet. */
  atRunner(): TaskEntry[] {
    return [...this.in("leased"), ...this.in("reported")];
  }

  /** Limits due times; returns the tasks that were due later. */
  dueBy(dueMs: number, status: TaskEntry["status"]): TaskEntry[] {
    const late = this.in(status).filter((task) => (task.dueMs ?? 0) > dueMs);
    for (const task of late) {
      task.dueMs = dueMs;
    }
    return late;
  }

  /** The task is on its way to the runner. */
  add(task: TaskEntry): void {
    this.#read().set(task.id, task);
  }

  delete(id: number): void {
    this.#tasks?.delete(id);
  }

  clear(): void {
    this.#read().clear();
    this.#ready = [];
  }

  get readyCount(): number {
    this.#read();
    return this.#ready.length;
  }

  /** Removes the elements that have been ready longest; returns at most `count`. */
  takeReady(count: number): TaskPlace[] {
    const taken = this.#ready.slice(0, count);
    this.#ready = this.#ready.slice(taken.length);
    return taken;
  }

  dropReady(): void {
    this.#ready = [];
  }

  /** New tasks are ready. */
  made(tasks: readonly TaskEntry[]): void {
    this.#read();
    this.#ready.push(...tasks.map(({ node, element }) => ({ node, element })));
  }

  makeReady(task: TaskEntry): void {
    task.status = "ready";
    task.dueMs = null;
    // It stays in memory, with data that its row does not have yet, until its block is written.
    this.#ready.push({ node: task.node, element: task.element });
  }

  /** The state in memory may be ahead of the rows. */
  forget(): void {
    this.#tasks = undefined;
    this.#ready = [];
  }

  #read(): Map<number, TaskEntry> {
    if (this.#tasks === undefined) {
      const open = new Map<number, TaskEntry>();
      this.#tasks = open;
      for (const task of this.#store.hasTasks ? this.#store.blocks.storedTasks() : []) {
        if (task.status === "ready") {
          this.#ready.push({ node: task.node, element: task.element });
        } else if (task.status === "leased") {
          task.dueMs = (task.dueMs ?? 0) + UNWRITTEN_MS;
        }
        // The driver knows those that wait for another element, or for an answer of the cache.
        const isDriven = task.status === "equal" || task.status === "asked";
        if (!isDriven && (task.status !== "ready" || task.fence > 0)) {
          open.set(task.id, task);
        }
      }
    }
    return this.#tasks;
  }
}
