import { isLeaseHeld } from "../../src/lib/lease.ts";
import type { TaskWorker } from "../../src/contracts/task-workers.ts";
import type { ReportedTask } from "../../src/engine/drive/run-rows.ts";
import { HintedChunks, type QueuedChunk } from "./hinted-chunks.ts";
import type { RunStore, TaskListener } from "./run-store.ts";
import { attemptsOf, type TaskEntry, type TaskRow, type TaskWait, toRow } from "./task-entry.ts";
import { type TaskQuota, tasksToQueue } from "./task-quota.ts";

/** One task's outcome for the rows. */
export interface TaskOutcomeRow {
  readonly id: number;
  readonly fence: number;
  readonly outcome: ReportedTask["outcome"];
  readonly durationMs: number;
}

/** Chunks to hint, and whether ready tasks wait for a full chunk. */
export interface QueuedChunks {
  readonly chunks: readonly QueuedChunk[];
  readonly isHoldingBack: boolean;
}

export const LEASE_MS = 30_000;
/**
 * How far a lease may be extended in memory beyond its row: a task of some seconds writes no heartbeat. An object that
 * has lost its memory extends every lease by as much.
 */
const UNWRITTEN_MS = 15_000;
/** Longest wait for a retry after the clock has stepped back; the requested delay is not stored. */
const WAIT_MAX_MS = 3_600_000;
/**
 * When a task was last sent to wait, by the clock at that time: if it is later than now, the clock has stepped back.
 */
const RETRIED_KEY = "retried_at";

/** A caller whose response waits until these tasks are in the state. */
interface Waiter {
  readonly ids: Set<number>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Unsettled tasks of a run. Their entries are in the blocks of their elements; memory knows which are ready, and keeps
 * those that are leased, waiting or reported. Data that a crash may lose is not written: hints (they are sent again),
 * heartbeats of short tasks (see UNWRITTEN_MS), and outcomes until the commit that processes them (reports are not
 * acknowledged before).
 */
export class TaskStore implements TaskListener {
  readonly #store: RunStore;
  /** Tasks that are or were with the runner, or on their way there, by id; undefined until the rows were read. */
  #open: Map<number, TaskEntry> | undefined;
  /** Elements whose tasks are ready, in the order in which they became ready. */
  #ready: TaskPlace[] = [];
  readonly #chunks: HintedChunks;
  readonly #waiters = new Set<Waiter>();

  constructor(store: RunStore) {
    this.#store = store;
    this.#chunks = new HintedChunks(store);
    store.listen(this);
  }

  /**
   * Moves ready tasks into new chunks as far as the run's quota allows. A chunk that was not claimed in time is
   * included again, under its own number: its hint may be lost, or wait behind other runs of the workspace, where a
   * repeat is not counted twice. `isDue`: the last chunk was sent long ago, so a partial one may be sent. `workerOf`:
   * the Worker with a node's tools.
   */
  queueReady(
    quota: TaskQuota,
    isDue: boolean,
    nowMs: number,
    workerOf: (node: number) => TaskWorker,
  ): QueuedChunks {
    if (!this.#store.hasTasks) {
      return { chunks: [], isHoldingBack: false };
    }
    const out = this.#outCount();
    const ready = this.#ready.length;
    const places = this.#ready.slice(0, tasksToQueue(quota, ready, out, isDue));
    this.#ready = this.#ready.slice(places.length);
    const chunks = this.#chunks.overdue(nowMs);
    for (const [worker, theirs] of Map.groupBy(places, ({ node }) => workerOf(node))) {
      for (let at = 0; at < theirs.length; at += quota.chunkTasks) {
        const ids: number[] = [];
        for (const { node, element } of theirs.slice(at, at + quota.chunkTasks)) {
          const task = this.#store.blocks.task(node, element);
          if (task !== undefined) {
            this.#openTasks().set(task.id, task);
            ids.push(task.id);
          }
        }
        chunks.push(this.#chunks.add(worker, ids, nowMs));
      }
    }
    const isHoldingBack = out + places.length < quota.runTasks && places.length < ready;
    return { chunks, isHoldingBack };
  }

  /** Leases the queued tasks of a chunk; none of a chunk from before this object lost its memory. */
  lease(chunk: number, bootId: string, nowMs: number): TaskRow[] {
    const tasks = (this.#chunks.idsOf(chunk) ?? []).flatMap(
      (id) => this.#openTasks().get(id) ?? [],
    );
    this.#store.transaction(() => {
      this.#chunks.claimed(chunk);
      for (const task of tasks) {
        task.status = "leased";
        task.attempt++;
        task.fence++;
        task.boot = bootId;
        task.dueMs = nowMs + LEASE_MS;
        this.#store.blocks.touch(task.node, task.element);
      }
    });
    return tasks.map(toRow);
  }

  /** The given tasks whose fence still holds their lease, by id. */
  leasedOf(tasks: readonly { readonly task_id: number; readonly fence: number }[]) {
    return new Map(
      tasks.flatMap(({ task_id, fence }) => {
        const task = this.leased(task_id, fence);
        return task === undefined ? [] : [[task_id, task]];
      }),
    );
  }

  /** Returns the task if this fence still holds its lease. */
  leased(id: number, fence: number): TaskRow | undefined {
    const task = this.#leasedTask(id, fence);
    return task === undefined ? undefined : toRow(task);
  }

  /** False if another fence holds the lease. */
  extend(id: number, fence: number, nowMs: number): boolean {
    const task = this.#leasedTask(id, fence);
    if (task === undefined) {
      return false;
    }
    task.dueMs = nowMs + LEASE_MS;
    if (task.dueMs > (task.storedDueMs ?? 0) + UNWRITTEN_MS) {
      this.#store.transaction(() => {
        this.#store.blocks.touch(task.node, task.element);
      });
    }
    return true;
  }

  /**
   * Stores outcomes whose fence still holds the lease until they are processed. Returns their tasks. `durationMs` is
   * the time of the last attempt.
   */
  report(outcomes: readonly TaskOutcomeRow[]): ReadonlySet<number> {
    const taken = new Set<number>();
    for (const { id, fence, outcome, durationMs } of outcomes) {
      const task = this.#leasedTask(id, fence);
      if (task !== undefined) {
        task.status = "reported";
        task.outcome = outcome;
        task.dueMs = null;
        task.ms += durationMs;
        taken.add(id);
      }
    }
    return taken;
  }

  /**
   * Resolves when none of these tasks has an unprocessed report; after `maxMs` their outcomes are written unprocessed.
   * Rejects if memory was lost: they must be reported again.
   */
  async untilStored(ids: readonly number[], maxMs: number): Promise<void> {
    const open = ids.filter((id) => this.#open?.get(id)?.status === "reported");
    if (open.length === 0) {
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { ids: new Set(open), resolve, reject };
    this.#waiters.add(waiter);
    const timer = setTimeout(() => {
      try {
        this.#keepReported(waiter.ids);
        resolve();
      } catch (error) {
        reject(error as Error);
      }
    }, maxMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }

  /** Ready again in `delayMs`. */
  retryAfter(id: number, delayMs: number, durationMs: number, nowMs: number): void {
    const task = this.#openTasks().get(id);
    if (task === undefined) {
      return;
    }
    this.#store.transaction(() => {
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
    const task = this.#openTasks().get(id);
    if (task === undefined) {
      return;
    }
    this.#store.transaction(() => {
      task.attempt--;
      task.wait = wait;
      this.retryAfter(id, delayMs, durationMs, nowMs);
    });
  }

  /** [E30] Ready again in `delayMs`, under the number of the attempt that did not take place. */
  giveBack(id: number, delayMs: number, durationMs: number, nowMs: number): void {
    const task = this.#openTasks().get(id);
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
    for (const task of this.#tasksIn("waiting")) {
      if (isDue(task, nowMs)) {
        this.#makeReady(task);
      }
    }
  }

  /** Leases that ended, or belong to an earlier start: no worker executes them any more. */
  expired(bootId: string, nowMs: number): TaskRow[] {
    return this.#tasksIn("leased")
      .filter(
        ({ boot, dueMs }) => !isLeaseHeld({ boot, untilMs: dueMs ?? Infinity }, bootId, nowMs),
      )
      .map(toRow);
  }

  /**
   * A lease of an earlier start did not fail: its attempt does not count against the task's limit. Its fence keeps
   * counting all leases. Hints of that start are gone with this object's memory.
   */
  reclaimAfterRestart(bootId: string): void {
    const lost = this.#tasksIn("leased").filter(({ boot }) => boot !== bootId);
    if (lost.length === 0) {
      return;
    }
    this.#store.transaction(() => {
      for (const task of lost) {
        task.attempt--;
        this.#makeReady(task);
        this.#store.blocks.touch(task.node, task.element);
      }
    });
  }

  /**
   * Limits due times to the longest possible delay from now: a clock that steps back a day must not hold a run up for a
   * day.
   */
  pullIn(nowMs: number): void {
    this.#dueBy(nowMs + LEASE_MS, "leased");
    this.#chunks.pullIn(nowMs);
    if (this.#store.hasTasks && this.#retriedAtMs() > nowMs) {
      this.#store.transaction(() => {
        // All or nothing: with the metadata alone, nothing would show any more that the clock has stepped back. Rows of
        // tasks that are ready again may still contain their old due time.
        const late = this.#dueBy(nowMs + WAIT_MAX_MS, "waiting");
        for (const task of [...late, ...this.#tasksIn("ready")]) {
          this.#store.blocks.touch(task.node, task.element);
        }
        this.#store.putMetadata(RETRIED_KEY, nowMs);
      });
    }
  }

  /** Drops tasks that no worker executes; returns those that were executed before, with their last fence. */
  dropWaiting(): TaskRow[] {
    const waiting = [...this.#tasksIn("waiting"), ...this.#tasksIn("ready")];
    for (const { id } of waiting) {
      this.#openTasks().delete(id);
    }
    this.#chunks.clear();
    // A stopping run hands out nothing any more, so these marks in the rows have no meaning.
    this.#ready = [];
    return waiting.filter(({ fence }) => fence > 0).map(toRow);
  }

  /** Drops every task of an ended run; returns those that were executed, with their last fence. */
  dropAll(): TaskRow[] {
    const dropped = [...this.#openTasks().values()].filter(({ fence }) => fence > 0);
    this.dropLeased(dropped.map(({ id }) => id));
    this.#openTasks().clear();
    this.#chunks.clear();
    this.#ready = [];
    return dropped.map(toRow);
  }

  dropLeased(ids: readonly number[]): void {
    const tasks = ids.flatMap((id) => this.#openTasks().get(id) ?? []);
    if (tasks.length === 0) {
      return;
    }
    this.#store.transaction(() => {
      for (const { id, node, element } of tasks) {
        this.#store.blocks.removeTask(node, element);
        this.#openTasks().delete(id);
      }
    });
  }

  /** No lease lasts longer than this. */
  endLeasesBy(atMs: number): void {
    const late = this.#tasksIn("leased").filter(({ dueMs }) => (dueMs ?? 0) > atMs);
    if (late.length === 0) {
      return;
    }
    this.#store.transaction(() => {
      for (const task of late) {
        task.dueMs = atMs;
        this.#store.blocks.touch(task.node, task.element);
      }
    });
  }

  /** Number of tasks by node that are with the runner, or reported and not processed yet. */
  leasedByNode(): { readonly node: number; readonly n: number }[] {
    const counts = new Map<number, number>();
    for (const { node } of [...this.#tasksIn("leased"), ...this.#tasksIn("reported")]) {
      counts.set(node, (counts.get(node) ?? 0) + 1);
    }
    return [...counts].map(([node, n]) => ({ node, n }));
  }

  /** Number of tasks of a node that are with the runner, or reported and not processed yet. */
  runningOf(node: number): number {
    return this.leasedByNode().find((row) => row.node === node)?.n ?? 0;
  }

  /** Unfinished tasks of some elements of a node, by element; `attempts` includes those of lost workers. */
  inFlightBetween(
    node: number,
    from: number,
    to: number,
  ): Map<number, { readonly attempts: number; readonly isLeased: boolean }> {
    const found = new Map<number, { attempts: number; isLeased: boolean }>();
    for (let element = from; this.#store.hasTasks && element < to; element++) {
      const task = this.#store.blocks.task(node, element);
      if (task !== undefined) {
        const isLeased = task.status === "leased" || task.status === "reported";
        // For a waiting task, the current attempt counts too.
        const attempts = Math.max(attemptsOf(task), task.wait === null ? 0 : 1);
        found.set(element, { attempts, isLeased });
      }
    }
    return found;
  }

  get leasedCount(): number {
    return this.#tasksIn("leased").length + this.#tasksIn("reported").length;
  }

  /** The next due time, null if there is none. */
  nextDueMs(): number | null {
    let next = this.#chunks.nextDueMs;
    for (const { status, dueMs } of this.#openTasks().values()) {
      if (status === "leased" || status === "waiting") {
        next = Math.min(next, dueMs ?? Infinity);
      }
    }
    return next === Infinity ? null : next;
  }

  made(tasks: readonly TaskEntry[]): void {
    this.#openTasks();
    this.#ready.push(...tasks.map(({ node, element }) => ({ node, element })));
  }

  taken(ids: readonly number[]): void {
    for (const id of ids) {
      this.#open?.delete(id);
    }
    for (const waiter of this.#waiters) {
      for (const id of ids) {
        waiter.ids.delete(id);
      }
      if (waiter.ids.size === 0) {
        waiter.resolve();
      }
    }
  }

  reported(limit: number): ReportedTask[] {
    return this.#tasksIn("reported")
      .slice(0, limit)
      .flatMap((task) => {
        const { id, node, element, outcome, ms } = task;
        const work = { attempts: attemptsOf(task), durationMs: ms };
        return outcome === null ? [] : [{ id, node, element, outcome, work }];
      });
  }

  find(id: number): TaskEntry | undefined {
    return this.#open?.get(id);
  }

  forget(): void {
    this.#open = undefined;
    this.#ready = [];
    this.#chunks.forget();
    for (const waiter of this.#waiters) {
      waiter.reject(new Error("The run lost its memory: report again."));
    }
  }

  /** Tasks that are with the runner, or on their way there. */
  #outCount(): number {
    return this.#chunks.taskCount + this.#tasksIn("leased").length;
  }

  #keepReported(ids: ReadonlySet<number>): void {
    this.#store.transaction(() => {
      for (const id of ids) {
        const task = this.#open?.get(id);
        if (task !== undefined) {
          this.#store.blocks.touch(task.node, task.element);
        }
      }
    });
  }

  #makeReady(task: TaskEntry): void {
    task.status = "ready";
    task.dueMs = null;
    // It stays in memory, with data that its row does not have yet, until its block is written.
    this.#ready.push({ node: task.node, element: task.element });
  }

  #retriedAtMs(): number {
    return Number(this.#store.getMetadata(RETRIED_KEY) ?? 0);
  }

  /** Returns the tasks that were due later. */
  #dueBy(dueMs: number, status: TaskEntry["status"]): TaskEntry[] {
    const late = this.#tasksIn(status).filter((task) => (task.dueMs ?? 0) > dueMs);
    for (const task of late) {
      task.dueMs = dueMs;
    }
    return late;
  }

  #leasedTask(id: number, fence: number): TaskEntry | undefined {
    const task = this.#openTasks().get(id);
    return task?.status === "leased" && task.fence === fence ? task : undefined;
  }

  #tasksIn(status: TaskEntry["status"]): TaskEntry[] {
    return [...this.#openTasks().values()].filter((task) => task.status === status);
  }

  /** Reads the rows if this object has not created every task itself. */
  #openTasks(): Map<number, TaskEntry> {
    if (this.#open === undefined) {
      const open = new Map<number, TaskEntry>();
      this.#open = open;
      for (const task of this.#store.hasTasks ? this.#store.blocks.storedTasks() : []) {
        if (task.status === "ready") {
          this.#ready.push({ node: task.node, element: task.element });
        } else if (task.status === "leased") {
          task.dueMs = (task.dueMs ?? 0) + UNWRITTEN_MS;
        }
        if (task.status !== "ready" || task.fence > 0) {
          open.set(task.id, task);
        }
      }
    }
    return this.#open;
  }
}

interface TaskPlace {
  readonly node: number;
  readonly element: number;
}

function isDue({ dueMs }: TaskEntry, nowMs: number): boolean {
  return dueMs !== null && dueMs <= nowMs;
}
