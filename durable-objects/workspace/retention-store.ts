/**
 * SQL on the retention of the workspace's runs. Runs are passed in the order of admission; those that are not due then
 * (still live, or ended later than others admitted after them) are marked as *late* and found by an index of their own.
 */
export class RetentionStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** When the plan is checked next; null while nothing is kept. */
  get nextAtMs(): number | null {
    return (
      this.#sql.exec<{ at: number }>("SELECT next_at_ms AS at FROM retention").toArray()[0]?.at ??
      null
    );
  }

  putNext(atMs: number | null): void {
    if (atMs === null) {
      this.#sql.exec("DELETE FROM retention");
    } else {
      this.#sql.exec("INSERT OR REPLACE INTO retention VALUES (1, ?)", atMs);
    }
  }

  /** Id of the object's workspace; undefined before the first run. Stored because an alarm does not receive it. */
  get workspaceId(): string | undefined {
    return this.#sql.exec<{ id: string }>("SELECT workspace_id AS id FROM owner").toArray()[0]?.id;
  }

  putWorkspaceId(workspaceId: string): void {
    this.#sql.exec("INSERT OR IGNORE INTO owner VALUES (1, ?)", workspaceId);
  }

  /** The run up to which every run has expired or is late. */
  get expiredThrough(): number {
    return (
      this.#sql.exec<{ seq: number }>("SELECT expired_through AS seq FROM settings").toArray()[0]
        ?.seq ?? 0
    );
  }

  putExpiredThrough(seq: number): void {
    this.#sql.exec(
      `INSERT INTO settings (id, expired_through) VALUES (1, ?1)
       ON CONFLICT (id) DO UPDATE SET expired_through = ?1`,
      seq,
    );
  }

  /** The next runs after `seq` that were admitted by `untilMs`. */
  runsAfter(seq: number, untilMs: number, limit: number): RetainedRun[] {
    const runs = this.#sql
      .exec<RetainedRun & Record<string, SqlStorageValue>>(
        `SELECT seq, run_id, created_at_ms, completed_at_ms,
           outputs_expired_at_ms IS NOT NULL AS is_expired, is_late
         FROM runs WHERE seq > ? ORDER BY seq LIMIT ?`,
        seq,
        limit,
      )
      .toArray();
    // The index sorts by this column.
    return runs.filter(({ created_at_ms: createdAtMs }) => createdAtMs <= untilMs);
  }

  /** Late runs that had ended by then, earliest end first, except for the given ones. */
  lateRuns(endedByMs: number, without: ReadonlySet<string>, limit: number): string[] {
    return this.#sql
      .exec<{ run_id: string }>(
        `SELECT run_id FROM runs INDEXED BY runs_late
         WHERE is_late = 1 AND completed_at_ms <= ?
           AND run_id NOT IN (SELECT value FROM json_each(?))
         ORDER BY completed_at_ms LIMIT ?`,
        endedByMs,
        JSON.stringify([...without]),
        limit,
      )
      .toArray()
      .map(({ run_id }) => run_id);
  }

  /** Whether any run has outputs that were not deleted. */
  isAnyKept(): boolean {
    return (
      this.#sql
        .exec(
          `SELECT 1 WHERE EXISTS (SELECT 1 FROM runs WHERE seq > ?)
             OR EXISTS (SELECT 1 FROM runs INDEXED BY runs_late WHERE is_late = 1)`,
          this.expiredThrough,
        )
        .toArray().length > 0
    );
  }

  /** The batch that the run belongs to; null if there is none. */
  batchOf(runId: string): string | null {
    const [row] = this.#sql
      .exec<{ batch: string | null }>("SELECT batch FROM runs WHERE run_id = ?", runId)
      .toArray();
    return row?.batch ?? null;
  }

  markLate(runId: string): void {
    this.#sql.exec("UPDATE runs SET is_late = 1 WHERE run_id = ? AND is_late = 0", runId);
  }

  /** Its outputs have expired, and are kept for its retries. */
  markHeld(runId: string, atMs: number): void {
    this.#sql.exec(
      `UPDATE runs SET outputs_expired_at_ms = COALESCE(outputs_expired_at_ms, ?), is_late = 1
       WHERE run_id = ?`,
      atMs,
      runId,
    );
  }

  /** Its idempotency key, at least a day old by now, is deleted with its outputs. */
  markExpired(runId: string, atMs: number): void {
    this.#sql.exec(
      `UPDATE runs SET outputs_expired_at_ms = COALESCE(outputs_expired_at_ms, ?), is_late = 0,
         idempotency_key = NULL, fingerprint = NULL
       WHERE run_id = ? AND (outputs_expired_at_ms IS NULL OR is_late = 1)`,
      atMs,
      runId,
    );
  }
}

export interface RetainedRun {
  readonly seq: number;
  readonly run_id: string;
  readonly created_at_ms: number;
  readonly completed_at_ms: number | null;
  readonly is_expired: number;
  readonly is_late: number;
}
