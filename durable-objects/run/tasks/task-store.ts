import { isLeaseHeld } from "../../../src/lib/lease.ts";
import type { TaskWorker } from "../../../src/contracts/runs/task-workers.ts";
import type { ReportedTask } from "../../../src/engine/drive/run-rows.ts";
import { HintedChunks, type QueuedChunk } from "../blocks/hinted-chunks.ts";
import type { RunStore, TaskListener } from "../state/run-store.ts";
import { OpenTasks, UNWRITTEN_MS } from "./open-tasks.ts";
import { ReportWaiters } from "./report-waiters.ts";
import { attemptsOf, type TaskEntry, type TaskRow, toRow } from "./task-entry.ts";
import { type TaskQuota, tasksToQueue } from "./task-quota.ts";
import { TaskWaits } from "./task-waits.ts";

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
 * Unsettled tasks of a run. Their entries are in the blocks of their elements; memory knows which are ready, and keeps
 * those that are leased, waiting or reported. Data that a crash may lose is not written: hints (they are sent again),
 * heartbeats of short tasks (see UNWRITTEN_MS), and outcomes until the commit that processes them (reports are not
 * acknowledged before).
 */
export class TaskStore implements TaskListener {
  readonly #store: RunStore;
  readonly #open: OpenTasks;
  readonly #chunks: HintedChunks;
  readonly #waiters = new ReportWaiters();
  readonly waits: TaskWaits;

  constructor(store: RunStore) {
    this.#store = store;
    this.#open = new OpenTasks(store);
    this.#chunks = new HintedChunks(store);
    this.waits = new TaskWaits(store, this.#open);
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
    const ready = this.#open.readyCount;
    const places = this.#open.takeReady(tasksToQueue(quota, ready, out, isDue));
    const chunks = this.#chunks.overdue(nowMs);
    for (const [worker, theirs] of Map.groupBy(places, ({ node }) => workerOf(node))) {
      for (let at = 0; at < theirs.length; at += quota.chunkTasks) {
        const ids: number[] = [];
        for (const { node, element } of theirs.slice(at, at + quota.chunkTasks)) {
          const task = this.#store.blocks.task(node, element);
          if (task !== undefined) {
            // Its row may still say that the cache is asked.
            task.status = "ready";
            this.#open.add(task);
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
    const tasks = (this.#chunks.idsOf(chunk) ?? []).flatMap((id) => this.#open.get(id) ?? []);
    this.#store.transaction(() => {
      this.#chunks.claimed(chunk);
      for (const task of tasks) {
        task.status = "leased";
        task.attempt++;
        task.fence++;
        task.boot = bootId;
        this.waits.leased(task, nowMs);
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
    const task = this.#open.leased(id, fence);
    return task === undefined ? undefined : toRow(task);
  }

  /** False if another fence holds the lease. */
  extend(id: number, fence: number, nowMs: number): boolean {
    const task = this.#open.leased(id, fence);
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
      const task = this.#open.leased(id, fence);
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
    const open = ids.filter((id) => this.#open.known(id)?.status === "reported");
    await this.#waiters.until(open, maxMs, (left) => {
      this.#keepReported(left);
    });
  }

  /** Leases that ended, or belong to an earlier start: no worker executes them any more. */
  expired(bootId: string, nowMs: number): TaskRow[] {
    return this.#open
      .in("leased")
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
    const lost = this.#open.in("leased").filter(({ boot }) => boot !== bootId);
    // The queue that they wait in was in memory.
    this.waits.resume(
      this.#open.in("waiting").flatMap((one) => (one.boot === bootId ? [] : [one.id])),
    );
    if (lost.length === 0) {
      return;
    }
    this.#store.transaction(() => {
      for (const task of lost) {
        task.attempt--;
        this.#open.makeReady(task);
        this.#store.blocks.touch(task.node, task.element);
      }
    });
  }

  /**
   * Limits due times to the longest possible delay from now: a clock that steps back a day must not hold a run up for a
   * day.
   */
  pullIn(nowMs: number): void {
    this.#open.dueBy(nowMs + LEASE_MS, "leased");
    this.#chunks.pullIn(nowMs);
    this.waits.pullIn(nowMs);
  }

  /** Drops tasks that no worker executes; returns those that were executed before, with their last fence. */
  dropWaiting(): TaskRow[] {
    const waiting = [...this.#open.in("waiting"), ...this.#open.in("ready")];
    for (const { id } of waiting) {
      this.#open.delete(id);
    }
    this.#chunks.clear();
    // A stopping run hands out nothing any more, so these marks in the rows have no meaning.
    this.#open.dropReady();
    return waiting.filter(({ fence }) => fence > 0).map(toRow);
  }

  /** Drops every task of an ended run; returns those that were executed, with their last fence. */
  dropAll(): TaskRow[] {
    const dropped = this.#open.all().filter(({ fence }) => fence > 0);
    this.dropLeased(dropped.map(({ id }) => id));
    this.#open.clear();
    this.#chunks.clear();
    return dropped.map(toRow);
  }

  dropLeased(ids: readonly number[]): void {
    const tasks = ids.flatMap((id) => this.#open.get(id) ?? []);
    if (tasks.length === 0) {
      return;
    }
    this.#store.transaction(() => {
      for (const { id, node, element } of tasks) {
        this.#store.blocks.removeTask(node, element);
        this.#open.delete(id);
      }
    });
  }

  /** No lease lasts longer than this. */
  endLeasesBy(atMs: number): void {
    const late = this.#open.in("leased").filter(({ dueMs }) => (dueMs ?? 0) > atMs);
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
    const byNode = Map.groupBy(this.#open.atRunner(), ({ node }) => node);
    return [...byNode].map(([node, tasks]) => ({ node, n: tasks.length }));
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
    return this.#open.atRunner().length;
  }

  /** The next due time, null if there is none. */
  nextDueMs(): number | null {
    let next = this.#chunks.nextDueMs;
    for (const { status, dueMs } of this.#open.all()) {
      if (status === "leased" || status === "waiting") {
        next = Math.min(next, dueMs ?? Infinity);
      }
    }
    return next === Infinity ? null : next;
  }

  made(tasks: readonly TaskEntry[]): void {
    this.#open.made(tasks);
  }

  taken(ids: readonly number[]): void {
    for (const id of ids) {
      this.#open.delete(id);
    }
    this.waits.ended(ids);
    this.#waiters.stored(ids);
  }

  reported(limit: number): ReportedTask[] {
    return this.#open
      .in("reported")
      .slice(0, limit)
      .flatMap((task) => {
        const { id, node, element, outcome, ms } = task;
        const work = { attempts: attemptsOf(task), durationMs: ms };
        return outcome === null ? [] : [{ id, node, element, outcome, work }];
      });
  }

  find(id: number): TaskEntry | undefined {
    return this.#open.known(id);
  }

  forget(): void {
    this.#open.forget();
    this.#chunks.forget();
    this.#waiters.reject(new Error("The run lost its memory: report again."));
  }

  /** Tasks that are with the runner, or on their way there. */
  #outCount(): number {
    return this.#chunks.taskCount + this.#open.in("leased").length;
  }

  #keepReported(ids: ReadonlySet<number>): void {
    this.#store.transaction(() => {
      for (const id of ids) {
        const task = this.#open.known(id);
        if (task !== undefined) {
          this.#store.blocks.touch(task.node, task.element);
        }
      }
    });
  }
}
