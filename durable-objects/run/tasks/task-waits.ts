import type { OpenTasks } from "./open-tasks.ts";
import type { RunStore } from "../state/run-store.ts";
import type { TaskEntry, TaskWait } from "./task-entry.ts";

/** Longest wait for a retry after the clock has stepped back; the requested delay is not stored. */
const WAIT_MAX_MS = 3_600_000;
/**
 * When a task was last sent to wait, by the clock at that time: if it is later than now, the clock has stepped back.
 */
const RETRIED_KEY = "retried_at";

/**
 * Tasks of a run that wait: for a retry, with a token for something elsewhere, or for their turn in a queue. None holds
 * a lease meanwhile.
 */
export class TaskWaits {
  readonly #store: RunStore;
  readonly #open: OpenTasks;
  /** Leased tasks whose next wait in a queue ends at once. */
  readonly #resumed = new Set<number>();

  constructor(store: RunStore, open: OpenTasks) {
    this.#store = store;
    this.#open = open;
  }

  /** Ready again in `delayMs`; `wait` replaces the token that the task begins with. */
  retryAfter(
    id: number,
    delayMs: number,
    durationMs: number,
    nowMs: number,
    { wait }: { readonly wait?: TaskWait | null } = {},
  ): void {
    const task = this.#open.get(id);
    if (task === undefined) {
      return;
    }
    this.#store.transaction(() => {
      if (wait !== undefined) {
        task.wait = wait;
      }
      // Only `pullIn` lowers it: until then it shows that the clock has stepped back.
      this.#store.putMetadata(RETRIED_KEY, Math.max(nowMs, this.#retriedAtMs()));
      task.status = "waiting";
      task.dueMs = nowMs + delayMs;
      task.ms += durationMs;
      this.#store.blocks.touch(task.node, task.element);
    });
  }

  /**
   * Waits with this token for `delayMs`. Resuming is not a new attempt, so the number is given back. The token is kept
   * until the task ends.
   */
  waitFor(id: number, wait: TaskWait, delayMs: number, durationMs: number, nowMs: number): void {
    const task = this.#open.get(id);
    if (task === undefined) {
      return;
    }
    this.#store.transaction(() => {
      task.attempt--;
      task.wait = wait;
      this.retryAfter(id, delayMs, durationMs, nowMs);
    });
    if (this.#resumed.delete(id) && isQueued(task)) {
      this.#open.makeReady(task);
    }
  }

  /** [E30] Ready again in `delayMs`, under the number of the attempt that did not take place. */
  giveBack(id: number, delayMs: number, durationMs: number, nowMs: number): void {
    const task = this.#open.get(id);
    if (task === undefined) {
      return;
    }
    this.#store.transaction(() => {
      task.attempt--;
      task.givenBack++;
      this.retryAfter(id, delayMs, durationMs, nowMs);
    });
  }

  /** Retries and waits whose time has come are ready again. */
  wakeDue(nowMs: number): void {
    for (const task of this.#open.in("waiting")) {
      if (isDue(task, nowMs)) {
        this.#open.makeReady(task);
      }
    }
  }

  /**
   * Ends the waits of queued tasks, also of those that are leased and have not reported their wait yet. Returns these
   * tasks.
   */
  resume(ids: readonly number[]): number[] {
    const tasks = ids.flatMap((id) => this.#open.get(id) ?? []);
    const resumed = tasks.filter((task) => isQueued(task) || task.status === "leased");
    for (const task of resumed) {
      if (task.status === "leased") {
        this.#resumed.add(task.id);
      } else {
        this.#open.makeReady(task);
      }
    }
    return resumed.map(({ id }) => id);
  }
  /** A task that has waited is leased again. */
  leased(task: TaskEntry, nowMs: number): void {
    task.wait = afterQueue(task.wait, nowMs);
    this.#resumed.delete(task.id);
  }

  /** Tasks whose outcome is in the state. */
  ended(ids: readonly number[]): void {
    for (const id of ids) {
      this.#resumed.delete(id);
    }
  }

  /** Limits the waits to the longest one from now, if the clock has stepped back. */
  pullIn(nowMs: number): void {
    if (this.#store.hasTasks && this.#retriedAtMs() > nowMs) {
      this.#store.transaction(() => {
        // All or nothing: with the metadata alone, nothing would show any more that the clock has stepped back. Rows of
        // tasks that are ready again may still contain their old due time.
        const late = this.#open.dueBy(nowMs + WAIT_MAX_MS, "waiting");
        for (const task of [...late, ...this.#open.in("ready")]) {
          this.#store.blocks.touch(task.node, task.element);
        }
        this.#store.putMetadata(RETRIED_KEY, nowMs);
      });
    }
  }

  #retriedAtMs(): number {
    return Number(this.#store.getMetadata(RETRIED_KEY) ?? 0);
  }
}

/** The time in a queue does not count towards the node's time limit. */
function afterQueue(wait: TaskWait | null, nowMs: number): TaskWait | null {
  if (wait?.queuedAtMs === undefined) {
    return wait;
  }
  const { queuedAtMs, sinceMs, ...rest } = wait;
  return { ...rest, sinceMs: sinceMs + Math.max(0, nowMs - queuedAtMs) };
}

function isQueued({ status, wait }: TaskEntry): boolean {
  return status === "waiting" && wait?.queuedAtMs !== undefined;
}

function isDue({ dueMs }: TaskEntry, nowMs: number): boolean {
  return dueMs !== null && dueMs <= nowMs;
}
