import { expect, test } from "vitest";
import { RefreshingCache } from "../../../src/lib/memory/refreshing-cache.ts";

const LIMITS = { ttlMs: 30, refreshMs: 15, entriesMax: 3 };

/** A cache with a clock set by the test and a source that returns its number of reads. */
function fixture() {
  const cache = new RefreshingCache<string>(LIMITS);
  const asked: string[] = [];
  const left: Promise<unknown>[] = [];
  const state = { atMs: 0, error: undefined as Error | undefined, isGone: false };
  return {
    asked,
    state,
    cache,
    settle: () => Promise.all(left.splice(0)),
    get: (key: string) =>
      cache.get(key, {
        nowMs: () => state.atMs,
        waitUntil: (read) => left.push(read),
        async read() {
          asked.push(key);
          if (state.error !== undefined) {
            throw state.error;
          }
          return state.isGone ? undefined : `${key} at ${state.atMs}`;
        },
      }),
  };
}

test("a young value is returned without a read, an older one while it is refreshed, an expired one never", async () => {
  const { get, asked, state, settle } = fixture();
  expect(await get("a")).toBe("a at 0");
  state.atMs = 14;
  expect(await get("a")).toBe("a at 0");
  expect(asked).toHaveLength(1);
  state.atMs = 15;
  expect(await Promise.all([get("a"), get("a")])).toEqual(["a at 0", "a at 0"]);
  await settle();
  expect(asked).toHaveLength(2);
  expect(await get("a")).toBe("a at 15");
  state.atMs = 45;
  expect(await get("a")).toBe("a at 45");
});

test("the age counts from before the read, so that a change during it does not extend it", async () => {
  const cache = new RefreshingCache<string>(LIMITS);
  let atMs = 0;
  const source = {
    nowMs: () => atMs,
    waitUntil: () => {},
    async read() {
      atMs += 10;
      return `read until ${atMs}`;
    },
  };
  expect(await cache.get("a", source)).toBe("read until 10");
  atMs = 30;
  expect(await cache.get("a", source)).toBe("read until 40");
});

test("a clock that steps back does not extend a value's life", async () => {
  const { get, state } = fixture();
  state.atMs = 1_000;
  await get("a");
  state.atMs = 10;
  expect(await get("a")).toBe("a at 10");
});

test("a full cache removes only the value that was read longest ago", async () => {
  const { get, asked, state, settle } = fixture();
  for (const key of ["a", "b", "c"]) {
    state.atMs += 1;
    await get(key);
  }
  state.atMs = 16;
  // Refreshed, so that it is the newest now; a full cache that reads one of its own values again
  // stays full.
  await get("a");
  await settle();
  expect(await get("b")).toBe("b at 2");
  await get("d");
  expect(asked).toEqual(["a", "b", "c", "a", "d"]);
  expect([await get("a"), await get("c"), await get("d")]).toEqual([
    "a at 16",
    "c at 3",
    "d at 16",
  ]);
  expect(asked).toHaveLength(5);
  await get("b");
  expect(asked).toHaveLength(6);
});

test("a failed refresh keeps the value until it expires; then its error is thrown", async () => {
  const { get, state, settle } = fixture();
  await get("a");
  state.error = new Error("no database");
  state.atMs = 20;
  expect(await get("a")).toBe("a at 0");
  await settle();
  expect(await get("a")).toBe("a at 0");
  state.atMs = 30;
  await expect(get("a")).rejects.toThrow("no database");
});

test("a value that was deleted or removed is read at the next use", async () => {
  const { cache, get, asked, state } = fixture();
  await get("a");
  cache.delete("a");
  await get("a");
  cache.clear();
  state.isGone = true;
  expect([await get("a"), await get("a")]).toEqual([undefined, undefined]);
  expect(asked).toHaveLength(4);
});
