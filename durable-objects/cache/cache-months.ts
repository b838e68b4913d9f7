/** Months whose figures are kept, the current one included. */
const MONTHS_KEPT = 2;

interface MonthFigures {
  readonly hits: number;
  readonly misses: number;
  /** Milli-credits. */
  readonly saved: number;
}

/** What look-ups have found in each month (UTC). */
export class CacheMonths {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The figures of the month of a time. */
  at(nowMs: number): MonthFigures {
    const [row] = this.#sql
      .exec<{ hits: number; misses: number; saved: number }>(
        "SELECT hits, misses, saved FROM month WHERE month = ?",
        monthOf(nowMs),
      )
      .toArray();
    return row ?? { hits: 0, misses: 0, saved: 0 };
  }

  /** Adds to the figures of the month, none of which falls below zero; must be called within a transaction. */
  count(nowMs: number, { hits, misses, saved }: MonthFigures): void {
    this.#sql.exec(
      `INSERT INTO month VALUES (?1, max(0, ?2), ?3, max(0, ?4)) ON CONFLICT (month)
       DO UPDATE SET hits = max(0, hits + ?2), misses = misses + ?3, saved = max(0, saved + ?4)`,
      monthOf(nowMs),
      hits,
      misses,
      saved,
    );
    this.#sql.exec(
      "DELETE FROM month WHERE month NOT IN (SELECT month FROM month ORDER BY month DESC LIMIT ?)",
      MONTHS_KEPT,
    );
  }
}

function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
