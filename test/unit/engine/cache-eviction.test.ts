/** Which results of a full cache are evicted, and in how many calls. */
import { describe, expect, it } from "vitest";
import { nextEviction, roomyMax } from "../../../src/engine/reuse/cache-eviction.ts";

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;
const BYTES = 100;

/** `count` results of equal size, over all digits in turn; the first was used `ageMs` ago, the last now. */
function full(count: number, ageMs: number) {
  const digits = new Map<string, number[]>();
  for (let at = 0; at < count; at++) {
    const digit = ((at * 7) % 16).toString(16);
    const usedMs = NOW - ageMs + Math.floor((ageMs * at) / count);
    digits.set(digit, [...(digits.get(digit) ?? []), usedMs]);
  }
  return digits;
}

/** Evicts as the objects do; returns the number of calls. */
function evicted(digits: Map<string, number[]>, max: number): number {
  const parts = () =>
    new Map(
      [...digits].map(([digit, used]) => [
        digit,
        { bytes: used.length * BYTES, oldest_ms: used[0] ?? null },
      ]),
    );
  for (let calls = 0; ; calls++) {
    const next = nextEviction(parts(), max, NOW);
    if (next === null) {
      return calls;
    }
    const used = digits.get(next.digit)!;
    let left = next.bytes;
    while (left > 0 && used[0] !== undefined && used[0] <= next.untilMs) {
      used.shift();
      left -= BYTES;
    }
  }
}

describe("an eviction", () => {
  it("takes far fewer calls than it deletes results, and leaves none that is clearly older than what it deletes", () => {
    for (const ageMs of [1_000, DAY_MS, 30 * DAY_MS]) {
      const digits = full(6_400, ageMs);
      const before = [...digits.values()].flat();
      const calls = evicted(digits, 4_800 * BYTES);
      expect(calls).toBeLessThan(1_600 / 10);
      const left = [...digits.values()].flat();
      expect(left).toHaveLength(4_800);
      const stays = new Set(left);
      const gone = before.filter((at) => !stays.has(at));
      const newestGone = gone.reduce((most, at) => Math.max(most, at), 0);
      const oldestLeft = left.reduce((least, at) => Math.min(least, at), NOW);
      expect(newestGone - oldestLeft).toBeLessThanOrEqual(Math.max(60_000, ageMs / 16));
    }
  });

  it("is none up to the figure, and leaves room below it", () => {
    const digits = full(64, DAY_MS);
    expect(evicted(digits, 64 * BYTES)).toBe(0);
    expect(evicted(digits, roomyMax(64 * BYTES))).toBe(1);
    expect([...digits.values()].flat()).toHaveLength(63);
  });
});
