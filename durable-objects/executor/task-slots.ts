import type { DivisibleLease, MemoryLease } from "../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../src/lib/memory/memory-gate.ts";
import { TaskGivenBack } from "../../src/lib/task-given-back.ts";
import type { TaskAbort } from "./task-abort.ts";

/** Tasks of one executor object that run at the same time, over all runs of its workspace. */
export const TASKS_MAX = 64;

/** A task that gets no memory in this time is given back, because the isolate makes no progress. */
export const MEMORY_WAIT_MAX_MS = 300_000;

/** Tasks that wait for more memory keep their shares, so several may wait for each other: none of them waits long. */
const MORE_WAIT_MAX_MS = 10_000;

/** One running task's share of the isolate's memory. */
export class TaskMemory {
  readonly #gate: MemoryGate;
  readonly #moreWaitMaxMs: number;
  #lease: DivisibleLease | undefined;
  /** What the task has besides its share. */
  #more: MemoryLease | undefined;
  #isOver = false;

  constructor(gate: MemoryGate, lease: DivisibleLease, moreWaitMaxMs = MORE_WAIT_MAX_MS) {
    this.#gate = gate;
    this.#lease = lease;
    this.#moreWaitMaxMs = moreWaitMaxMs;
  }

  /** Reduces the share to this many bytes. */
  shrink(bytes: number): void {
    this.#lease?.shrink(bytes);
  }

  /** Releases this many bytes. */
  give(bytes: number): void {
    if (this.#lease !== undefined && bytes > 0) {
      this.#lease.shrink(this.#lease.bytes - bytes);
    }
  }

  /**
   * Memory for a file that the task has made: additional memory if available at once, else a part of its own, which it
   * no longer needs once the file is made. Undefined if it has less.
   */
  takeForFile(bytes: number): MemoryLease | undefined {
    return this.#gate.takeNow(bytes) ?? this.#lease?.split(bytes);
  }

  /**
   * Releases the share before it waits for this many bytes, for a task that holds nothing meanwhile. Throws the reason
   * of the task's abort, and TaskGivenBack where there was no room within `maxMs`.
   */
  async exchange(bytes: number, abort: TaskAbort, maxMs?: number): Promise<void> {
    this.#lease?.release();
    this.#lease = undefined;
    this.#lease = await this.#wait(bytes, abort, maxMs);
  }

  /**
   * Takes this many bytes besides the share, which is kept while it waits; replaces what it had besides it, of which
   * nothing is held any more. Throws TaskGivenBack where there is no room soon, or the reason of the task's abort.
   */
  async setMore(bytes: number, abort: TaskAbort): Promise<void> {
    this.#more?.release();
    this.#more = undefined;
    if (bytes > 0) {
      this.#more =
        this.#gate.takeNow(bytes) ?? (await this.#wait(bytes, abort, this.#moreWaitMaxMs));
    }
  }

  release(): void {
    this.#isOver = true;
    this.#lease?.release();
    this.#lease = undefined;
    this.#more?.release();
    this.#more = undefined;
  }

  async #wait(bytes: number, abort: TaskAbort, maxMs?: number): Promise<DivisibleLease> {
    const wait = this.#gate.wait(bytes);
    abort.onAbort(wait.leave);
    const timer = maxMs === undefined ? undefined : setTimeout(wait.leave, maxMs);
    const lease = await wait.granted;
    clearTimeout(timer);
    if (lease !== undefined && !this.#isOver) {
      return lease;
    }
    lease?.release();
    if (abort.reason !== undefined) {
      throw abort.reason;
    }
    throw this.#isOver
      ? new Error("A task that has ended asked for memory.")
      : new TaskGivenBack("no_memory");
  }
}

/**
 * Places for running tasks: a fixed number per object, and memory from the isolate's budget, which all objects share.
 * The first task that fits starts, so that a large one does not hold up small ones.
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
   * Returns the task's memory, at once or when there is room; pass it to `leave` exactly once. Undefined if the task
   * was aborted, or got no memory in time: it then has no place.
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
    // Memory first: while it waits for memory, a task blocks no place.
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

  /** Resolves to true when the caller has a place, to false at once if it is aborted. */
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
