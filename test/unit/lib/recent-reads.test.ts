import { expect, test } from "vitest";
import { RecentReads } from "../../../src/lib/recent-reads.ts";

/** Reads that return their number. */
function counted() {
  let count = 0;
  return {
    get count() {
      return count;
    },
    read: () => {
      count += 1;
      return Promise.resolve(count);
    },
  };
}

test("callers share a read while it is recent, also one under way, and each key has its own", async () => {
  const reads = new RecentReads<number>(1_000);
  const reader = counted();
  const { promise, resolve } = Promise.withResolvers<number>();
  const first = reads.get("a", 0, () => promise);
  const second = reads.get("a", 999, reader.read);
  expect(reader.count).toBe(0);
  resolve(7);
  expect([await first, await second]).toEqual([7, 7]);
  expect(await reads.get("b", 999, reader.read)).toBe(1);
});

test("a read is as old as its beginning, and one of the future is not used", async () => {
  const reads = new RecentReads<number>(1_000);
  const { read } = counted();
  expect(await reads.get("a", 5_000, read)).toBe(1);
  expect(await reads.get("a", 5_999, read)).toBe(1);
  expect(await reads.get("a", 6_000, read)).toBe(2);
  expect(await reads.get("a", 4_000, read)).toBe(3);
});

test("a failed read fails for those that share it, and is not kept", async () => {
  const reads = new RecentReads<number>(1_000);
  const { read } = counted();
  const { promise, reject } = Promise.withResolvers<number>();
  const failed = [reads.get("a", 0, () => promise), reads.get("a", 1, read)];
  reject(new Error("no database"));
  expect((await Promise.allSettled(failed)).map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
  ]);
  expect(await reads.get("a", 2, read)).toBe(1);
});

test("reads that are too old are not kept", async () => {
  const reads = new RecentReads<number>(1_000);
  const { read } = counted();
  for (let at = 0; at < 50; at += 1) {
    await reads.get(`key ${at}`, at * 100, read);
    expect(reads.size).toBeLessThanOrEqual(10);
  }
  expect(await reads.get("key 49", 5_000, read)).toBe(50);
});
