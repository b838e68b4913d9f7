import type { TaskWorker } from "../../src/contracts/task-workers.ts";
import type { ReportedTask } from "../../src/engine/drive/run-rows.ts";
import type { RunStore } from "./run-store.ts";
import { type TaskShare, tasksToQueue } from "./task-share.ts";

export interface TaskRow {
  readonly id: number;
  readonly node: number;
  readonly ord: number;
  readonly attempt: number;
  readonly fence: number;
  readonly boot: string | null;
  /** What it last waited with, null when it has not. */
  readonly wait: TaskWait | null;
}

/** What is kept of a task that waits, or has waited, until it ends [E26]. */
export interface TaskWait {
  readonly token: string;
  /** When the first attempt that waited began. */
  readonly sinceMs: number;
  /** How often it has waited. */
  readonly waits: number;
}

/** One task's outcome on its way into the rows. */
export interface TaskOutcomeRow {
  readonly id: number;
  readonly fence: number;
  readonly outcome: ReportedTask["outcome"];
  /** How often the task has waited. */
  readonly waits: number;
  readonly durationMs: number;
}

/** Tasks that one Worker takes together. */
export interface QueuedChunk {
  readonly chunk: number;
  readonly worker: TaskWorker;
}

/** Chunks to hint at, and whether ready tasks wait for a chunk to be full. */
export interface QueuedChunks {
  readonly chunks: readonly QueuedChunk[];
  readonly isHoldingBack: boolean;
}

/** What a task that has not reported keeps in place of an outcome is what it waited with. */
function toTaskRow({ outcome, ...row }: Record<string, SqlStorageValue>): TaskRow {
  const wait = typeof outcome === "string" ? (JSON.parse(outcome) as TaskWait) : null;
  return { ...(row as unknown as Omit<TaskRow, "wait">), wait };
}

/** Outcomes bound to one statement at most; escaped once more they stay below the 2 MB of a text. */
const OUTCOMES_CHARS_MAX = 400_000;

/** Without a claim by then a hint counts as lost and is sent again. */
const HINT_MS = 5_000;
export const LEASE_MS = 30_000;
/** A retry waits no longer than this once the clock has stepped back; how long was asked for is not kept. */
const WAIT_MAX_MS = 3_600_000;
/** When a task was last sent back to wait, by the clock as it was: later than now, it has stepped back. */
const RETRIED_FACT = "retried_at";

/**
 * SQL of a run's tasks. A task is `ready`, `queued` (a hint was sent), `leased`, `waiting` (for a
 * retry, or with a token for what it asked for), or `reported` (its outcome waits to be taken into the state, which removes it).
 */
export class TaskStore {
  readonly #store: RunStore;
  readonly #sql: SqlStorage;

  constructor(store: RunStore, sql: SqlStorage) {
    this.#store = store;
    this.#sql = sql;
  }

  /**
   * Moves ready tasks into new chunks as far as the run's share allows. A chunk that nobody claimed
   * in time is among them again, under its own number: its hint may be lost, or wait where the
   * workspace's other runs wait too, and there a repeat is not a second one. `isDue`: the last chunk
   * went long ago, so one that is not full may go. `workerOf`: the Worker that has what a node needs.
   */
  queueReady(
    share: TaskShare,
    isDue: boolean,
    bootId: string,
    nowMs: number,
    workerOf: (node: number) => TaskWorker,
  ): QueuedChunks {
    if (!this.#store.hasTasks) {
      return { chunks: [], isHoldingBack: false };
    }
    const out = this.#count("status IN ('queued', 'leased')");
    // One more than there is room for: whether all of them fit is what matters.
    const seen = this.#ready(Math.max(0, share.runTasks - out) + 1);
    const going = seen.slice(0, tasksToQueue(share, seen.length, out, isDue));
    const chunks = this.#unclaimed(nowMs, workerOf);
    if (going.length > 0) {
      this.#store.transaction(() => {
        for (const [worker, tasks] of Map.groupBy(going, ({ node }) => workerOf(node))) {
          const ids = tasks.map(({ id }) => id);
          for (let at = 0; at < ids.length; at += share.chunkTasks) {
            const chunk = Number(this.#store.getFact("chunks") ?? 0) + 1;
            this.#store.putFact("chunks", chunk);
            chunks.push({ chunk, worker });
            this.#sql.exec(
              `UPDATE task SET status = 'queued', chunk = ?, boot = ?, due_at = ?
               WHERE id IN (SELECT value FROM json_each(?))`,
              chunk,
              bootId,
              nowMs + HINT_MS,
              JSON.stringify(ids.slice(at, at + share.chunkTasks)),
            );
          }
        }
      });
    }
    const isHoldingBack = out + going.length < share.runTasks && going.length < seen.length;
    return { chunks, isHoldingBack };
  }

  /** Leases what is still queued of a chunk. */
  lease(chunk: number, bootId: string, nowMs: number): TaskRow[] {
    return this.#sql
      .exec<Record<string, SqlStorageValue>>(
        `UPDATE task SET status = 'leased', attempt = attempt + 1, fence = fence + 1, boot = ?, due_at = ?
         WHERE chunk = ? AND status = 'queued' RETURNING id, node, ord, attempt, fence, boot, outcome`,
        bootId,
        nowMs + LEASE_MS,
        chunk,
      )
      .toArray()
      .map(toTaskRow);
  }

  /**
   * Of these tasks those whose fence still holds their lease, by id. The plus keeps SQLite from going
   * by the status, which would read all the JSON once for each task that is leased.
   */
  leasedOf(tasks: readonly { readonly task_id: number; readonly fence: number }[]) {
    const rows = this.#sql
      .exec<Record<string, SqlStorageValue>>(
        `SELECT task.id, task.node, task.ord, task.attempt, task.fence, task.boot, task.outcome
         FROM json_each(?) AS asked JOIN task ON task.id = asked.value->>0
         WHERE task.fence = asked.value->>1 AND +task.status = 'leased'`,
        JSON.stringify(tasks.map(({ task_id, fence }) => [task_id, fence])),
      )
      .toArray()
      .map(toTaskRow);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** The task if this fence still holds its lease. */
  leased(id: number, fence: number): TaskRow | undefined {
    return this.#sql
      .exec<Record<string, SqlStorageValue>>(
        `SELECT id, node, ord, attempt, fence, boot, outcome FROM task
         WHERE id = ? AND fence = ? AND status = 'leased'`,
        id,
        fence,
      )
      .toArray()
      .map(toTaskRow)[0];
  }

  /** False when the lease is another's. */
  extend(id: number, fence: number, nowMs: number): boolean {
    const { rowsWritten } = this.#sql.exec(
      "UPDATE task SET due_at = ? WHERE id = ? AND fence = ? AND status = 'leased'",
      nowMs + LEASE_MS,
      id,
      fence,
    );
    return rowsWritten > 0;
  }

  /**
   * Keeps outcomes, where the fence still holds the lease, until they are taken into the state.
   * Answers of which tasks. `durationMs` is what the last attempt took.
   */
  report(outcomes: readonly TaskOutcomeRow[]): ReadonlySet<number> {
    const taken = new Set<number>();
    let batch: unknown[] = [];
    let chars = 0;
    const flush = () => {
      if (batch.length > 0) {
        this.#sql
          .exec<{ id: number }>(
            `UPDATE task SET status = 'reported', outcome = said.value->>1, due_at = NULL,
             ms = ms + (said.value->>2) FROM json_each(?) AS said
             WHERE task.id = said.value->>0 AND task.fence = said.value->>3 AND +task.status = 'leased'
             RETURNING task.id`,
            JSON.stringify(batch),
          )
          .toArray()
          .forEach((row) => taken.add(row.id));
      }
      batch = [];
      chars = 0;
    };
    for (const { id, fence, outcome, waits, durationMs } of outcomes) {
      const text = JSON.stringify(waits > 0 ? { ...outcome, waits } : outcome);
      if (chars > 0 && chars + text.length > OUTCOMES_CHARS_MAX) {
        flush();
      }
      batch.push([id, text, durationMs, fence]);
      chars += text.length;
    }
    flush();
    return taken;
  }

  /** Ready again in `delayMs`. */
  retryAfter(id: number, delayMs: number, durationMs: number, nowMs: number): void {
    // Only `pullIn` lowers it: until then it says that the clock has stepped back.
    this.#store.putFact(RETRIED_FACT, Math.max(nowMs, this.#retriedAtMs()));
    this.#sql.exec(
      "UPDATE task SET status = 'waiting', due_at = ?, ms = ms + ? WHERE id = ?",
      nowMs + delayMs,
      durationMs,
      id,
    );
  }

  /**
   * Waits with this for `delayMs`. Going on is no new attempt, so the number is given back. Nothing
   * but the task's end takes the token away.
   */
  waitFor(id: number, wait: TaskWait, delayMs: number, durationMs: number, nowMs: number): void {
    this.#store.putFact(RETRIED_FACT, Math.max(nowMs, this.#retriedAtMs()));
    this.#sql.exec(
      `UPDATE task SET status = 'waiting', attempt = attempt - 1, outcome = ?, due_at = ?,
       ms = ms + ? WHERE id = ?`,
      JSON.stringify(wait),
      nowMs + delayMs,
      durationMs,
      id,
    );
  }

  /** Retries and waits whose time has come are ready again. */
  wakeDue(nowMs: number): void {
    if (this.#store.hasTasks) {
      this.#sql.exec(
        "UPDATE task SET status = 'ready', due_at = NULL WHERE status = 'waiting' AND due_at <= ?",
        nowMs,
      );
    }
  }

  /** Leases that ended, or belong to a boot that is gone: nobody works on them any more. */
  expired(bootId: string, nowMs: number): TaskRow[] {
    if (!this.#store.hasTasks) {
      return [];
    }
    return this.#sql
      .exec<Record<string, SqlStorageValue>>(
        `SELECT id, node, ord, attempt, fence, boot, outcome FROM task
         WHERE status = 'leased' AND (due_at <= ? OR boot <> ?)`,
        nowMs,
        bootId,
      )
      .toArray()
      .map(toTaskRow);
  }

  /**
   * A lease of another boot did not fail: its attempt takes nothing from those that the task has.
   * Its fence keeps the count of all of them. Hints of that boot are gone too.
   */
  reviveAfterBoot(bootId: string): void {
    if (!this.#store.hasTasks) {
      return;
    }
    this.#sql.exec(
      `UPDATE task SET status = 'ready', attempt = attempt - 1, due_at = NULL
       WHERE status = 'leased' AND boot <> ?`,
      bootId,
    );
    this.#sql.exec(
      "UPDATE task SET status = 'ready', due_at = NULL WHERE status = 'queued' AND boot <> ?",
      bootId,
    );
  }

  /**
   * Nothing is due later than it can have been meant to be, seen from now: a clock that steps back a
   * day must not hold a run up for a day.
   */
  pullIn(nowMs: number): void {
    if (!this.#store.hasTasks) {
      return;
    }
    this.#dueBy(nowMs + LEASE_MS, "leased");
    this.#dueBy(nowMs + HINT_MS, "queued");
    if (this.#retriedAtMs() > nowMs) {
      this.#dueBy(nowMs + WAIT_MAX_MS, "waiting");
      this.#store.putFact(RETRIED_FACT, nowMs);
    }
  }

  #retriedAtMs(): number {
    return Number(this.#store.getFact(RETRIED_FACT) ?? 0);
  }

  #dueBy(dueMs: number, status: string): void {
    this.#sql.exec(
      "UPDATE task SET due_at = ? WHERE status = ? AND due_at > ?",
      dueMs,
      status,
      dueMs,
    );
  }

  /** Forgets what nobody works on; answers what had been worked on before, and by which fence last. */
  dropWaiting(): TaskRow[] {
    return this.#store.hasTasks
      ? this.#sql
          .exec<Record<string, SqlStorageValue>>(
            `DELETE FROM task WHERE status IN ('ready', 'queued', 'waiting')
             RETURNING id, node, ord, attempt, fence, boot, outcome`,
          )
          .toArray()
          .map(toTaskRow)
          .filter(({ fence }) => fence > 0)
      : [];
  }

  /** Forgets every task; answers which there were, and by which fence each was worked on last. */
  dropAll(): { readonly id: number; readonly fence: number }[] {
    return this.#store.hasTasks
      ? this.#sql
          .exec<{ id: number; fence: number }>("DELETE FROM task RETURNING id, fence")
          .toArray()
      : [];
  }

  dropLeased(ids: readonly number[]): void {
    // A run that has no tasks has no table of them, and its alarm still has to tell that it ended.
    if (this.#store.hasTasks) {
      this.#sql.exec(
        "DELETE FROM task WHERE id IN (SELECT value FROM json_each(?))",
        JSON.stringify(ids),
      );
    }
  }

  /** No lease lasts longer than until then. */
  endLeasesBy(atMs: number): void {
    if (this.#store.hasTasks) {
      this.#sql.exec("UPDATE task SET due_at = min(due_at, ?) WHERE status = 'leased'", atMs);
    }
  }

  /** How many tasks of each node are with the runner, or reported and not taken in yet. */
  leasedByNode(): { readonly node: number; readonly n: number }[] {
    return this.#store.hasTasks
      ? this.#sql
          .exec<{ node: number; n: number }>(
            "SELECT node, count(*) AS n FROM task WHERE status IN ('leased', 'reported') GROUP BY node",
          )
          .toArray()
      : [];
  }

  /** How many tasks of a node are with the runner, or reported and not taken in yet. */
  runningOf(node: number): number {
    return this.leasedByNode().find((row) => row.node === node)?.n ?? 0;
  }

  /** Unfinished tasks of some elements of a node, by element; `attempts` counts those of lost workers. */
  inFlightBetween(
    node: number,
    from: number,
    to: number,
  ): Map<number, { readonly attempts: number; readonly isLeased: boolean }> {
    if (!this.#store.hasTasks) {
      return new Map();
    }
    return new Map(
      this.#sql
        .exec<{ ord: number; attempts: number; status: string }>(
          `SELECT ord, fence - coalesce(outcome->>'waits', 0) AS attempts, status FROM task
           WHERE node = ? AND ord >= ? AND ord < ?`,
          node,
          from,
          to,
        )
        .toArray()
        .map(({ ord, attempts, status }) => [
          ord,
          { attempts, isLeased: status === "leased" || status === "reported" },
        ]),
    );
  }

  get leasedCount(): number {
    return this.#store.hasTasks ? this.#count("status IN ('leased', 'reported')") : 0;
  }

  /** When something is next due, null when nothing is. */
  nextDueMs(): number | null {
    if (!this.#store.hasTasks) {
      return null;
    }
    return (
      this.#sql
        .exec<{ due: number | null }>(
          // Of those that can be due, by the index: a fan-out has ten thousand others.
          "SELECT MIN(due_at) AS due FROM task WHERE status IN ('queued', 'leased', 'waiting')",
        )
        .toArray()[0]?.due ?? null
    );
  }

  /** Chunks whose hint is overdue, due again later. */
  #unclaimed(nowMs: number, workerOf: (node: number) => TaskWorker): QueuedChunk[] {
    const rows = this.#sql
      .exec<{ chunk: number; node: number }>(
        "UPDATE task SET due_at = ? WHERE status = 'queued' AND due_at <= ? RETURNING chunk, node",
        nowMs + HINT_MS,
        nowMs,
      )
      .toArray();
    const nodes = new Map(rows.map(({ chunk, node }) => [chunk, node]));
    return [...nodes].map(([chunk, node]) => ({ chunk, worker: workerOf(node) }));
  }

  #ready(limit: number): { readonly id: number; readonly node: number }[] {
    return this.#sql
      .exec<{ id: number; node: number }>(
        "SELECT id, node FROM task WHERE status = 'ready' ORDER BY id LIMIT ?",
        limit,
      )
      .toArray();
  }

  #count(where: string): number {
    return Number(
      this.#sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM task WHERE ${where}`).toArray()[0]
        ?.n,
    );
  }
}
