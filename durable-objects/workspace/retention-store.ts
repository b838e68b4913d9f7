/** SQL on what of the workspace's runs is still kept. Its tables are the store's and one of its own. */
export class RetentionStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** When the plan is looked at next; null while there is nothing to look for. */
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

  /** Whose object this is; undefined before the first run. An alarm is not told. */
  get workspaceId(): string | undefined {
    return this.#sql.exec<{ id: string }>("SELECT workspace_id AS id FROM owner").toArray()[0]?.id;
  }

  putWorkspaceId(workspaceId: string): void {
    this.#sql.exec("INSERT OR IGNORE INTO owner VALUES (1, ?)", workspaceId);
  }

  /** Ended runs that still have their outputs, those that ended first, without some. */
  keptRuns(endedByMs: number, without: ReadonlySet<string>, limit: number): string[] {
    return this.#sql
      .exec<{ run_id: string }>(
        `SELECT run_id FROM runs INDEXED BY runs_kept
         WHERE phase = 2 AND outputs_expired_at_ms IS NULL AND completed_at_ms <= ?
           AND run_id NOT IN (SELECT value FROM json_each(?))
         ORDER BY completed_at_ms LIMIT ?`,
        endedByMs,
        JSON.stringify([...without]),
        limit,
      )
      .toArray()
      .map(({ run_id }) => run_id);
  }

  markExpired(runId: string, atMs: number): void {
    this.#sql.exec(
      "UPDATE runs SET outputs_expired_at_ms = ? WHERE run_id = ? AND outputs_expired_at_ms IS NULL",
      atMs,
      runId,
    );
  }
}
