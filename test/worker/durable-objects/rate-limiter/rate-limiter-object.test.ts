import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { RateLimiterObject } from "../../../../durable-objects/rate-limiter/rate-limiter-object.ts";
import type { RateLimiterApi } from "../../../../src/contracts/workspaces/rate-limit.ts";

const rule = { v: 1, limit: 3, window_ms: 60_000 } as const;

function limiter(name: string) {
  const stub = env.RATE_LIMITER.get(env.RATE_LIMITER.idFromName(name));
  return { stub, take: (request = rule) => (stub as unknown as RateLimiterApi).take(request) };
}

describe("RateLimiterObject", () => {
  test("counts allowed requests, refuses the rest, and returns the time to wait", async () => {
    const { take } = limiter("counts");
    const outcomes = [await take(), await take(), await take(), await take()];
    expect(outcomes.map((outcome) => [outcome.is_allowed, outcome.remaining])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ]);
    const wait = outcomes[3]?.retry_after_ms ?? 0;
    expect(wait).toBeGreaterThan(58_000);
    expect(wait).toBeLessThanOrEqual(61_000);
  });

  test("allows exactly the limit when all requests come at once", async () => {
    const { take } = limiter("at-once");
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => take()));
    expect(outcomes.filter((outcome) => outcome.is_allowed)).toHaveLength(3);
  });

  test("keeps its counts over an eviction", async () => {
    const { stub, take } = limiter("sleeps");
    await take();
    await take();
    await evictDurableObject(stub);
    expect([(await take()).is_allowed, (await take()).is_allowed]).toEqual([true, false]);
  });

  test("has an alarm while it counts, keeps current slices, and deletes itself when none is left", async () => {
    const { stub, take } = limiter("cleans");
    await take();
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    await runInDurableObject(stub, async (_object, state) => {
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now() + 50_000);
      const { state: kept } = state.storage.sql
        .exec<{ state: string }>("SELECT state FROM counted")
        .one();
      const window = JSON.parse(kept) as { slices: { at: number; count: number }[] };
      const slices = window.slices.map(({ at, count }) => ({ at: at - 1000, count }));
      state.storage.sql.exec("UPDATE counted SET state = ?", JSON.stringify({ ...window, slices }));
    });
    await evictDurableObject(stub);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    await runInDurableObject(stub, async (_object, state) => {
      expect(await state.storage.getAlarm()).toBeNull();
      const tables = state.storage.sql.exec(
        "SELECT name FROM sqlite_master WHERE name = 'counted'",
      );
      expect(tables.toArray()).toEqual([]);
    });
    expect((await take()).remaining).toBe(2);
  });

  test("leases the rest, counts earlier requests, and takes unused permits back", async () => {
    const { stub } = limiter("leases");
    const lease = (request: object) =>
      (stub as unknown as RateLimiterApi).lease({
        ...rule,
        limit: 10,
        want: 0,
        spent: 0,
        unused: [],
        ...request,
      });
    const first = await lease({ want: 7 });
    expect(first).toMatchObject({ granted: 7, remaining: 3 });
    expect(await lease({ want: 9, spent: 1 })).toMatchObject({ granted: 2, remaining: 0 });
    const full = await lease({ want: 1 });
    expect(full).toMatchObject({ granted: 0, remaining: 0 });
    expect(full.retry_after_ms).toBeGreaterThan(58_000);
    const back = await lease({ want: 9, unused: [{ slice: first.slice, count: 5 }] });
    expect(back).toMatchObject({ granted: 5, remaining: 0 });
    await evictDurableObject(stub);
    expect(await lease({ want: 1 })).toMatchObject({ granted: 0, remaining: 0 });
  });

  test("writes one row per response, and keeps no more slices than its window has, however long it is busy", async () => {
    const { stub, take } = limiter("busy");
    await take();
    await runInDurableObject(stub, async (object, state) => {
      const { sql } = state.storage;
      const exec = sql.exec.bind(sql);
      const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
      sql.exec = ((...args: Parameters<typeof exec>) => {
        const cursor = exec(...args);
        cursors.push(cursor);
        return cursor;
      }) as typeof sql.exec;
      const now = Date.now;
      try {
        for (let second = 0; second < 400; second++) {
          const nowMs = now() + second * 1_000;
          Date.now = () => nowMs;
          await (object as RateLimiterObject).take({ ...rule, limit: 1_000_000 });
        }
      } finally {
        Date.now = now;
        sql.exec = exec as typeof sql.exec;
      }
      expect(cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0)).toBe(400);
      const { slices } = sql
        .exec<{ slices: number }>(
          "SELECT json_array_length(state, '$.slices') AS slices FROM counted",
        )
        .one();
      expect(slices).toBeGreaterThan(50);
      expect(slices).toBeLessThanOrEqual(124);
    });
  });

  test("stays closed through a step back of the clock and an eviction, and opens a window later", async () => {
    const { stub, take } = limiter("steps");
    await Promise.all([take(), take(), take()]);
    const now = Date.now;
    const at = async (byMs: number) => {
      Date.now = () => now() + byMs;
      try {
        return (await take()).is_allowed;
      } finally {
        Date.now = now;
      }
    };
    expect(await at(-3_600_000)).toBe(false);
    await evictDurableObject(stub);
    expect(await at(-7_200_000)).toBe(false);
    expect(await at(-7_200_000 + 59_000)).toBe(false);
    expect(await at(-7_200_000 + 62_000)).toBe(true);
  });

  test("continues from the rows of a limiter of the first version", async () => {
    const { stub, take } = limiter("first version");
    await runInDurableObject(stub, (_object, { storage }) => {
      storage.sql.exec(`
        CREATE TABLE slices (at INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT;
        CREATE TABLE settings (
          id INTEGER PRIMARY KEY CHECK (id = 1), window_ms INTEGER NOT NULL) STRICT;
        CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), offset_ms REAL NOT NULL) STRICT;
        INSERT INTO settings VALUES (1, 60000); INSERT INTO clock VALUES (1, 250.5);
        INSERT INTO slices VALUES (${Math.floor(Date.now() / 500) - 4}, 2)`);
    });
    await evictDurableObject(stub);
    expect([(await take()).is_allowed, (await take()).is_allowed]).toEqual([true, false]);
  });

  test("starts a new window when its length changes, and rejects an invalid rule", async () => {
    const { stub, take } = limiter("changes");
    await take();
    expect((await take({ ...rule, window_ms: 120_000 as never })).remaining).toBe(2);
    await runInDurableObject(stub, async (object) => {
      await expect((object as RateLimiterObject).take({ ...rule, limit: 0 })).rejects.toThrow(
        "limit",
      );
    });
  });
});
