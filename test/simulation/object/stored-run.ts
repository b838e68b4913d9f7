/** What a run object has written, whatever it has in memory. */
import { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import { encodeState } from "../../../durable-objects/run/state/state-text.ts";
import type { TaskEntry } from "../../../durable-objects/run/tasks/task-entry.ts";
import type { SimulatedStorage } from "./simulated-storage.ts";

export class StoredRun {
  readonly #storage: SimulatedStorage;
  readonly #nowMs: () => number;
  /** As last read, with the writes that had been made. */
  #read: { readonly writes: number; readonly rows: RunStore | undefined } | undefined;

  constructor(storage: SimulatedStorage, nowMs: () => number) {
    this.#storage = storage;
    this.#nowMs = nowMs;
  }

  /** Unsettled tasks in the rows. */
  get tasks(): TaskEntry[] {
    const store = this.rows;
    return store?.hasTasks === true ? store.blocks.storedTasks() : [];
  }

  /** The run's current rows, undefined before it has any. */
  get rows(): RunStore | undefined {
    const { writes } = this.#storage;
    if (this.#read?.writes !== writes) {
      this.#read = { writes, rows: this.#rows() };
    }
    return this.#read.rows;
  }

  #rows(): RunStore | undefined {
    if (this.#storage.read("SELECT 1 FROM sqlite_master WHERE name = 'part'").length === 0) {
      return undefined;
    }
    return new RunStore(this.#storage.look(), this.#nowMs);
  }

  /** The state as text. */
  get state(): string | undefined {
    const store = this.rows;
    return store === undefined ? undefined : encodeState(store.state());
  }

  fact(name: string): string | number | undefined {
    return this.rows?.getMetadata(name);
  }
}
