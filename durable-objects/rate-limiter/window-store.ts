import { type DatabaseSchema, openDatabase } from "../shared/migrations.ts";
import { type Slice, SlidingWindow } from "../../src/domain/rate-limit/sliding-window.ts";

/** See `shared/migrations.ts` for how these tables are changed. */
export const LIMITER_SCHEMA: DatabaseSchema = {
  object: "rate-limiter",
  firstTable: "clock",
  migrations: [],
};

export const LIMITER_TABLES = `
  CREATE TABLE IF NOT EXISTS slices (at INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS settings (
    id INTEGER PRIMARY KEY CHECK (id = 1), window_ms INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS clock (
    id INTEGER PRIMARY KEY CHECK (id = 1), offset_ms REAL NOT NULL) STRICT;`;

/** SQL of a rate limiter: its slices, its window's length, and how far its time is ahead of the clock. */
export class WindowStore {
  readonly #sql: SqlStorage;
  #hasTables: boolean;
  #offsetMs = 0;
  #newestAt: number | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#hasTables = openDatabase(storage, LIMITER_SCHEMA).version > 0;
  }

  /** Undefined where nothing is kept. */
  load(): SlidingWindow | undefined {
    if (!this.#hasTables) {
      return undefined;
    }
    const [row] = this.#sql.exec<{ window_ms: number }>("SELECT window_ms FROM settings").toArray();
    if (row === undefined) {
      return undefined;
    }
    const slices = this.#sql
      .exec<{ at: number; count: number }>("SELECT at, count FROM slices ORDER BY at")
      .toArray();
    const [clock] = this.#sql.exec<{ offset_ms: number }>("SELECT offset_ms FROM clock").toArray();
    this.#offsetMs = clock?.offset_ms ?? 0;
    return new SlidingWindow(row.window_ms, { slices, offsetMs: this.#offsetMs });
  }

  /** Begins anew with a window of this length. */
  reset(windowMs: number): void {
    this.#sql.exec(`${LIMITER_TABLES} DELETE FROM slices; DELETE FROM clock;`);
    this.#hasTables = true;
    this.#sql.exec("INSERT OR REPLACE INTO settings (id, window_ms) VALUES (1, ?)", windowMs);
    this.#offsetMs = 0;
  }

  save(slice: Slice | undefined, oldest: Slice | undefined): void {
    if (slice !== undefined) {
      if (slice.at !== this.#newestAt) {
        this.#newestAt = slice.at;
        // A busy counter never empties: what has left the window goes with each new slice.
        this.#sql.exec("DELETE FROM slices WHERE at < ?", oldest?.at ?? slice.at);
      }
      this.#sql.exec(
        "INSERT INTO slices (at, count) VALUES (?, ?) ON CONFLICT (at) DO UPDATE SET count = excluded.count",
        slice.at,
        slice.count,
      );
    }
  }

  /** Written only when the clock has stepped back. */
  saveOffset(offsetMs: number): void {
    if (offsetMs !== this.#offsetMs) {
      this.#offsetMs = offsetMs;
      this.#sql.exec("INSERT OR REPLACE INTO clock (id, offset_ms) VALUES (1, ?)", offsetMs);
    }
  }

  /** Everything was deleted. */
  forget(): void {
    this.#hasTables = false;
  }
}
