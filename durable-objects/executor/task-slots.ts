import type { MemoryLease } from "../../src/lib/memory-budget.ts";
import { MemoryGate } from "../../src/lib/memory-gate.ts";

/** Tasks of one executor object that run at the same time, all runs of its workspace together. */
export const TASKS_MAX = 64;

/**
 * Places for running tasks: so many in one object, and as much memory as the isolate's budget has,
 * which all objects share. The first that fits goes in, so that a large one does not hold up small ones.
 */
export class TaskSlots {
  readonly #memory: MemoryGate;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(memory = new MemoryGate()) {
    this.#memory = memory;
  }

  /** The task's memory, at once or once there is room. Give it to `leave` exactly once. */
  enter(bytes: number): MemoryLease | Promise<MemoryLease> {
    const lease = this.#running < TASKS_MAX ? this.#memory.takeNow(bytes) : undefined;
    if (lease === undefined) {
      return this.#wait(bytes);
    }
    this.#running++;
    return lease;
  }

  leave(lease: MemoryLease): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#running--;
    } else {
      next();
    }
    lease.release();
  }

  async #wait(bytes: number): Promise<MemoryLease> {
    // Memory first: while it waits for that a task takes no place from those that have it.
    const lease = await this.#memory.take(bytes);
    if (this.#running < TASKS_MAX) {
      this.#running++;
    } else {
      await new Promise<void>((enter) => {
        this.#waiting.push(enter);
      });
    }
    return lease;
  }
}
