import type { DivisibleLease, MemoryLease } from "../../src/lib/memory-budget.ts";
import { MemoryGate } from "../../src/lib/memory-gate.ts";
import type { TaskAbort } from "./task-abort.ts";

/** Tasks of one executor object that run at the same time, all runs of its workspace together. */
export const TASKS_MAX = 64;

/** A task that finds no memory for so long is given back: the isolate is not working its queue off. */
const MEMORY_WAIT_MAX_MS = 300_000;

/** What one running task holds of the isolate's memory. */
export class TaskMemory {
  readonly #gate: MemoryGate;
  #lease: DivisibleLease | undefined;
  #isOver = false;

  constructor(gate: MemoryGate, lease: DivisibleLease) {
    this.#gate = gate;
    this.#lease = lease;
  }

  /** Keeps no more than so many bytes. */
  shrink(bytes: number): void {
    this.#lease?.shrink(bytes);
  }

  /** Gives back so many of the bytes. */
  give(bytes: number): void {
    if (this.#lease !== undefined && bytes > 0) {
      this.#lease.shrink(this.#lease.bytes - bytes);
    }
  }

  /**
   * So many bytes for a file that the task has made: others, if there are any just now, else of its own,
   * which it needs no longer once the file is made. Undefined where it has fewer.
   */
  takeForFile(bytes: number): MemoryLease | undefined {
    return this.#gate.takeNow(bytes) ?? this.#lease?.split(bytes);
  }

  /** Gives back what is held before it waits for so many bytes. Throws what the task is aborted with. */
  async exchange(bytes: number, abort: TaskAbort): Promise<void> {
    this.#lease?.release();
    this.#lease = undefined;
    const wait = this.#gate.wait(bytes);
    abort.onAbort(wait.leave);
    const lease = await wait.granted;
    if (lease === undefined || this.#isOver) {
      lease?.release();
      throw abort.reason ?? new Error("A task that is over asked for memory.");
    }
    this.#lease = lease;
  }

  release(): void {
    this.#isOver = true;
    this.#lease?.release();
    this.#lease = undefined;
  }
}

/**
 * Places for running tasks: so many in one object, and as much memory as the isolate's budget has,
 * which all objects share. The first that fits goes in, so that a large one does not hold up small ones.
 */
export class TaskSlots {
  readonly #memory: MemoryGate;
  #running = 0;
  readonly #waiting: ((isEntered: boolean) => void)[] = [];

  readonly #waitMaxMs: number;

  constructor(memory = new MemoryGate(), waitMaxMs = MEMORY_WAIT_MAX_MS) {
    this.#memory = memory;
    this.#waitMaxMs = waitMaxMs;
  }

  /**
   * The task's memory, at once or once there is room. Give it to `leave` exactly once. Undefined where
   * the task was aborted before, or found no memory in time: it has no place then, and waits for none.
   */
  enter(bytes: number, abort?: TaskAbort): TaskMemory | Promise<TaskMemory | undefined> {
    const lease = this.#running < TASKS_MAX ? this.#memory.takeNow(bytes) : undefined;
    if (lease === undefined) {
      return this.#wait(bytes, abort);
    }
    this.#running++;
    return new TaskMemory(this.#memory, lease);
  }

  leave(memory: TaskMemory): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#running--;
    } else {
      next(true);
    }
    memory.release();
  }

  async #wait(bytes: number, abort: TaskAbort | undefined): Promise<TaskMemory | undefined> {
    // Memory first: while it waits for that a task takes no place from those that have it.
    const wait = this.#memory.wait(bytes);
    abort?.onAbort(wait.leave);
    const timer = setTimeout(wait.leave, this.#waitMaxMs);
    const lease = await wait.granted;
    clearTimeout(timer);
    if (lease === undefined) {
      return undefined;
    }
    if (this.#running < TASKS_MAX) {
      this.#running++;
      return new TaskMemory(this.#memory, lease);
    }
    if (await this.#place(abort)) {
      return new TaskMemory(this.#memory, lease);
    }
    lease.release();
    return undefined;
  }

  /** Resolves once a place is the caller's, or false at once when it is aborted. */
  #place(abort: TaskAbort | undefined): Promise<boolean> {
    return new Promise((enter) => {
      this.#waiting.push(enter);
      abort?.onAbort(() => {
        const at = this.#waiting.indexOf(enter);
        if (at >= 0) {
          this.#waiting.splice(at, 1);
          enter(false);
        }
      });
    });
  }
}
