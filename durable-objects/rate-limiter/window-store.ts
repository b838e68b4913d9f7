import { type DatabaseSchema, openDatabase, schemaMark } from "../shared/migrations.ts";
import { SlidingWindow, type WindowRows } from "../../src/domain/rate-limit/sliding-window.ts";

/** One row, whatever the size of the window: each counted response writes one row. */
const TABLES = `CREATE TABLE counted (${schemaMark(2)}
  id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL) STRICT`;

interface State extends WindowRows {
  readonly windowMs: number;
}

/** `shared/migrations.ts` describes how to change these tables. */
export const LIMITER_SCHEMA: DatabaseSchema = {
  object: "rate-limiter",
  firstTable: "clock",
  goneIn: 2,
  migrations: [toVersion2],
};

/** SQL of a rate limiter: its slices, the length of its window, and the offset of its time from the clock. */
export class WindowStore {
  readonly #sql: SqlStorage;
  #hasTables: boolean;
  #written = "";

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#hasTables = openDatabase(storage, LIMITER_SCHEMA).version > 0;
  }

  /** Undefined if nothing is stored. */
  load(): SlidingWindow | undefined {
    const [row] = this.#hasTables
      ? this.#sql.exec<{ state: string }>("SELECT state FROM counted").toArray()
      : [];
    if (row === undefined) {
      return undefined;
    }
    this.#written = row.state;
    const { windowMs, slices, offsetMs } = JSON.parse(row.state) as State;
    return new SlidingWindow(windowMs, { slices, offsetMs });
  }

  /** Writes the changes since the last call. */
  save({ windowMs, slices, offsetMs }: SlidingWindow): void {
    const state = JSON.stringify({ windowMs, slices, offsetMs } satisfies State);
    if (state === this.#written) {
      return;
    }
    if (!this.#hasTables) {
      this.#sql.exec(TABLES);
      this.#hasTables = true;
    }
    this.#sql.exec("INSERT OR REPLACE INTO counted (id, state) VALUES (1, ?)", state);
    this.#written = state;
  }

  /** Called after everything was deleted. */
  forget(): void {
    this.#hasTables = false;
    this.#written = "";
  }
}

/** Version 1 had one row per slice, and the window's length and the clock's offset in separate tables. */
function toVersion2(sql: SqlStorage): void {
  const [settings] = sql.exec<{ window_ms: number }>("SELECT window_ms FROM settings").toArray();
  const [clock] = sql.exec<{ offset_ms: number }>("SELECT offset_ms FROM clock").toArray();
  const slices = sql
    .exec<{ at: number; count: number }>("SELECT at, count FROM slices ORDER BY at")
    .toArray();
  sql.exec(TABLES);
  if (settings !== undefined) {
    const state = { windowMs: settings.window_ms, slices, offsetMs: clock?.offset_ms ?? 0 };
    sql.exec(
      "INSERT INTO counted (id, state) VALUES (1, ?)",
      JSON.stringify(state satisfies State),
    );
  }
  sql.exec("DROP TABLE clock; DROP TABLE settings; DROP TABLE slices");
}
