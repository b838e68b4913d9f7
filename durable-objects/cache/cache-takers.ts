/**
 * Runs that have taken files of one run, in this object. Sixteen of them tell that run of 40,000 at most, whose ids it keeps in
 * one value. Its entries then go, and the next run makes them again.
 */
export const TAKERS_MAX = 2_500;

/**
 * A release is repeated within this time: because its answer was lost, or each day by a damaged run whose files others hold, which
 * cannot keep their ids itself.
 */
const REPEATED_WITHIN_MS = 7 * 86_400_000;

/** Which runs have taken files of which. Both methods must be called within a transaction. */
export class CacheTakers {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Records that a run takes files of the makers. Returns those of which it may not, because too many others have. */
  add(run: string, makers: Iterable<string>): Set<string> {
    const refused = new Set<string>();
    for (const maker of makers) {
      const { takers, has } = this.#sql
        .exec<{ takers: number; has: number }>(
          `SELECT count(*) AS takers, coalesce(max(run = ?2), 0) AS has FROM taker WHERE execution = ?1`,
          maker,
          run,
        )
        .one();
      if (has === 0 && takers >= TAKERS_MAX) {
        refused.add(maker);
      } else {
        this.#sql.exec("INSERT OR IGNORE INTO taker (execution, run) VALUES (?, ?)", maker, run);
      }
    }
    return refused;
  }

  /** Returns the runs that have taken files of a run which deletes them, to a repeat within a week too. */
  release(execution: string, nowMs: number): string[] {
    this.#sql.exec("UPDATE taker SET released_ms = ? WHERE execution = ?", nowMs, execution);
    this.#sql.exec("DELETE FROM taker WHERE released_ms < ?", nowMs - REPEATED_WITHIN_MS);
    return this.#sql
      .exec<{ run: string }>("SELECT run FROM taker WHERE execution = ?", execution)
      .toArray()
      .map(({ run }) => run);
  }
}
