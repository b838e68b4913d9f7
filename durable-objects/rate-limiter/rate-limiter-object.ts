import { DurableObject } from "cloudflare:workers";
import {
  type RateLimiterApi,
  type TakeOutcome,
  TakeRequest,
} from "../../src/contracts/rate-limit.ts";
import type { Env } from "../../src/platform/env.ts";
import { SlidingWindow } from "./sliding-window.ts";

/**
 * One counter, named by what it limits (`token:203.0.113.7`). Kept in SQL, because an object is
 * put to sleep within seconds while its window lasts minutes; deletes itself once its window is empty.
 */
export class RateLimiterObject extends DurableObject<Env> implements RateLimiterApi {
  #window: SlidingWindow | undefined;
  #windowMs = 0;

  async take(request: TakeRequest): Promise<TakeOutcome> {
    const { limit, window_ms: windowMs } = TakeRequest.parse(request);
    const nowMs = Date.now();
    const window = this.#load(windowMs);
    const slice = window.take(limit, nowMs);
    if (slice !== undefined) {
      this.ctx.storage.sql.exec(
        "INSERT INTO slices (at, count) VALUES (?, ?) ON CONFLICT (at) DO UPDATE SET count = excluded.count",
        slice.at,
        slice.count,
      );
      if ((await this.ctx.storage.getAlarm()) === null) {
        await this.ctx.storage.setAlarm(nowMs + window.untilEmpty(nowMs) + 1);
      }
    }
    return {
      is_allowed: slice !== undefined,
      remaining: Math.max(0, limit - window.used()),
      retry_after_ms: window.untilFree(limit, nowMs),
      reset_ms: window.untilEmpty(nowMs),
    };
  }

  override async alarm(): Promise<void> {
    const nowMs = Date.now();
    const [row] = this.#hasTables()
      ? this.ctx.storage.sql.exec<{ window_ms: number }>("SELECT window_ms FROM settings").toArray()
      : [];
    const untilEmpty = row === undefined ? 0 : this.#load(row.window_ms).untilEmpty(nowMs);
    if (untilEmpty > 0) {
      await this.ctx.storage.setAlarm(nowMs + untilEmpty + 1);
      return;
    }
    this.#window = undefined;
    await this.ctx.storage.deleteAll();
  }

  /** The window in memory, from SQL after a sleep. Another window length begins anew. */
  #load(windowMs: number): SlidingWindow {
    if (this.#window !== undefined && this.#windowMs === windowMs) {
      return this.#window;
    }
    const sql = this.ctx.storage.sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS slices (at INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT",
    );
    sql.exec(
      "CREATE TABLE IF NOT EXISTS settings (id INTEGER PRIMARY KEY CHECK (id = 1), window_ms INTEGER NOT NULL) STRICT",
    );
    const [known] = sql.exec<{ window_ms: number }>("SELECT window_ms FROM settings").toArray();
    if (known?.window_ms !== windowMs) {
      sql.exec("DELETE FROM slices");
      sql.exec("INSERT OR REPLACE INTO settings (id, window_ms) VALUES (1, ?)", windowMs);
    }
    const rows = sql
      .exec<{ at: number; count: number }>("SELECT at, count FROM slices ORDER BY at")
      .toArray();
    this.#windowMs = windowMs;
    this.#window = new SlidingWindow(windowMs, rows);
    return this.#window;
  }

  #hasTables(): boolean {
    return (
      this.ctx.storage.sql
        .exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'settings'")
        .toArray().length > 0
    );
  }
}
