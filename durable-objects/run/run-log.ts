/**
 * The log of a run: one row for each commit that changed something, written in that commit. Rows
 * lie with the facts, because a table of their own would cost every new run more than its rows do.
 */
import {
  decodeDelta,
  encodeDelta,
  type LoggedDelta,
  NEW_PHASE_PREFIX,
} from "../../src/engine/events/delta-text.ts";
import type { RunDelta } from "../../src/engine/events/run-delta.ts";

const PREFIX = "log.";
/** The character after the dot: the end of the range of names. */
const END = "log/";
const DIGITS = 9;

export class RunLog {
  readonly #sql: SqlStorage;
  readonly #nowMs: () => number;
  #last: { readonly seq: number; readonly atMs: number } | undefined;
  /** Called after each commit that left a row. */
  onCommitted: (entry: LoggedDelta) => void = () => {};

  constructor(sql: SqlStorage, nowMs: () => number) {
    this.#sql = sql;
    this.#nowMs = nowMs;
  }

  /** Number of the last row, 0 before the first: it grows whenever a view of the run may change. */
  get head(): number {
    return this.#lastEntry().seq;
  }

  /** The run was just made: nothing needs to be looked up. */
  startEmpty(): void {
    this.#last = { seq: 0, atMs: 0 };
  }

  /** Adds a row within the caller's transaction. `committed` follows when that has ended well. */
  append(delta: RunDelta): LoggedDelta {
    const last = this.#lastEntry();
    const entry = { seq: last.seq + 1, atMs: Math.max(this.#nowMs(), last.atMs), delta };
    this.#sql.exec(
      "INSERT INTO fact VALUES (?, ?)",
      nameOf(entry.seq),
      encodeDelta(delta, entry.atMs),
    );
    return entry;
  }

  committed(entry: LoggedDelta): void {
    this.#last = entry;
    this.onCommitted(entry);
  }

  /** At most `limit` rows, the first being `seq` or the next there is. */
  from(seq: number, limit: number): LoggedDelta[] {
    return this.#sql
      .exec<{ name: string; value: string }>(
        "SELECT name, value FROM fact WHERE name >= ? AND name < ? ORDER BY name LIMIT ?",
        nameOf(seq),
        END,
        limit,
      )
      .toArray()
      .map(toEntry);
  }

  /** Rows after `seq` with which some node opened or ended. */
  newPhasesAfter(seq: number): LoggedDelta[] {
    return this.#sql
      .exec<{ name: string; value: string }>(
        "SELECT name, value FROM fact WHERE name > ? AND name < ? AND substr(value, 1, ?) = ? ORDER BY name",
        nameOf(seq),
        END,
        NEW_PHASE_PREFIX.length,
        NEW_PHASE_PREFIX,
      )
      .toArray()
      .map(toEntry);
  }

  #lastEntry(): { readonly seq: number; readonly atMs: number } {
    if (this.#last === undefined) {
      const row = this.#sql
        .exec<{ name: string; value: string }>(
          "SELECT name, value FROM fact WHERE name >= ? AND name < ? ORDER BY name DESC LIMIT 1",
          PREFIX,
          END,
        )
        .toArray()[0];
      this.#last = row === undefined ? { seq: 0, atMs: 0 } : toEntry(row);
    }
    return this.#last;
  }
}

function nameOf(seq: number): string {
  return PREFIX + String(seq).padStart(DIGITS, "0");
}

function toEntry({ name, value }: { name: string; value: string }): LoggedDelta {
  return decodeDelta(Number(name.slice(PREFIX.length)), value);
}
