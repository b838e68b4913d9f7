import {
  ADMITTED_START_MAX_BYTES,
  type AdmittedStart,
} from "../../src/contracts/workspaces/admission.ts";
import { type KnownRun, SLOT } from "./known-run.ts";
import type { PendingStart } from "./pending-starts.ts";

/** UTF-16 code units of a start as text: the caller's part and the workspace's. */
const START_MAX_UNITS = ADMITTED_START_MAX_BYTES + 4_096;

/** `has_start` of a start that is stored in pieces. */
const IN_PIECES = 2;

/** Starts, and promotions of held ones, that run objects have not confirmed: columns of the rows of runs. */
export class UndeliveredStarts {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Starts that were never repeated, oldest first; for an instance that has just woken. `from`: the lowest number. */
  pending(from: number): PendingStart[] {
    return this.#sql
      .exec<PendingStart & Record<string, SqlStorageValue>>(
        `SELECT seq, run_id, created_at_ms, phase, is_live FROM runs
         WHERE seq >= ? AND start IS NOT NULL AND due_at_ms IS NULL ORDER BY seq`,
        from,
      )
      .toArray();
  }

  /** The start as it was admitted, with the current `is_held`; undefined once acknowledged. */
  kept(runId: string): AdmittedStart | undefined {
    const row = this.#sql
      .exec<{ slot: number; start: string | null }>(
        "SELECT slot, start FROM runs WHERE run_id = ?",
        runId,
      )
      .toArray()[0];
    if (row === undefined || row.start === null) {
      return undefined;
    }
    const start = JSON.parse(row.start === "" ? this.#pieces(runId) : row.start) as AdmittedStart;
    return { ...start, is_held: row.slot === SLOT.held };
  }

  /** Starts that were repeated at least once and are due again. Later than `laterMs`: the clock was set back. */
  due(nowMs: number, laterMs: number, limit: number): { run_id: string; attempts: number }[] {
    return this.#sql
      .exec<{ run_id: string; attempts: number }>(
        `SELECT run_id, attempts FROM runs INDEXED BY runs_due
         WHERE due_at_ms IS NOT NULL AND (due_at_ms <= ? OR due_at_ms > ?)
         ORDER BY due_at_ms LIMIT ?`,
        nowMs,
        laterMs,
        limit,
      )
      .toArray();
  }

  nextDueMs(): number | null {
    return this.#sql
      .exec<{ at: number | null }>(
        "SELECT min(due_at_ms) AS at FROM runs INDEXED BY runs_due WHERE due_at_ms IS NOT NULL",
      )
      .one().at;
  }

  /** From here on the indexes of starts and of live runs have the run. */
  postpone(runId: string, dueAtMs: number): void {
    this.#sql.exec(
      `UPDATE runs SET due_at_ms = ?, attempts = attempts + 1, is_live = phase < 2
       WHERE run_id = ? AND start IS NOT NULL`,
      dueAtMs,
      runId,
    );
  }

  dropPieces({ run_id: runId, has_start: hasStart }: KnownRun): void {
    if (hasStart === IN_PIECES) {
      this.#sql.exec("DELETE FROM start_pieces WHERE run_id = ?", runId);
    }
  }

  /** Runs that got a slot and were not told yet, in the order of admission, after the run with the number `after`. */
  promoted(limit: number, after: number): { seq: number; run_id: string }[] {
    return this.#sql
      .exec<{ seq: number; run_id: string }>(
        `SELECT seq, run_id FROM runs INDEXED BY runs_live
         WHERE is_live = 1 AND slot = 2 AND seq > ? ORDER BY seq LIMIT ?`,
        after,
        limit,
      )
      .toArray();
  }

  promotionDelivered(runId: string): void {
    this.#sql.exec("UPDATE runs SET slot = 0 WHERE run_id = ? AND slot = 2", runId);
  }

  /** A start of the first version that was too long for a row. */
  #pieces(runId: string): string {
    return this.#sql
      .exec<{ body: string }>(
        "SELECT body FROM start_pieces WHERE run_id = ? ORDER BY piece",
        runId,
      )
      .toArray()
      .map(({ body }) => body)
      .join("");
  }
}

/** Returns the start in the row. Throws for a start that should be in the file store. */
export function startText({ values_key: key, ...start }: AdmittedStart): string {
  // First, so that the beginning of the text shows whether there is one.
  const text = JSON.stringify(key === undefined ? start : { values_key: key, ...start });
  if (text.length > START_MAX_UNITS) {
    throw new RangeError(`A start of ${String(text.length)} characters is too long for a row.`);
  }
  return text;
}
