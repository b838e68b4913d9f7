import { expect, test } from "vitest";
import { queuedWaitMs, resumedLimitMs, waitMs } from "../../../../src/engine/step/wait-bounds.ts";

const HOUR_MS = 3_600_000;
const call = (nowMs: number, limitMs = 10 * HOUR_MS) => ({ sinceMs: 1_000_000, nowMs, limitMs });
const started = call(1_000_000);

test("[E26] a wait is as long as requested, from a quarter of a second to an hour", () => {
  const asked = [5_000, 0, -7, 2 * HOUR_MS, Infinity, Number.NaN];
  expect(asked.map((ms) => waitMs(ms, started))).toEqual([
    5_000,
    250,
    250,
    HOUR_MS,
    HOUR_MS,
    HOUR_MS,
  ]);
});

test("[E26] it ends with the node's time limit at the latest, and there is none after that", () => {
  const limitMs = 60_000;
  expect(waitMs(50_000, call(1_020_000, limitMs))).toBe(40_000);
  expect(waitMs(50_000, call(1_060_000, limitMs))).toBeNull();
  expect(waitMs(1, call(1_999_999, limitMs))).toBeNull();
});

test("[E26] a task that waits repeatedly for an hour has waited no longer than its node's time limit", () => {
  const limitMs = 5 * HOUR_MS + 1;
  let nowMs = 0;
  let waits = 0;
  for (;;) {
    const ms = waitMs(Infinity, { sinceMs: 0, nowMs, limitMs });
    if (ms === null) {
      break;
    }
    nowMs += ms;
    waits++;
  }
  expect([nowMs, waits]).toEqual([limitMs, 6]);
});

test("[E26] a wait for a turn is from a quarter of a second to an hour too, whatever is left of the node's time limit", () => {
  const asked = [5_000, 250.5, 0, -7, 2 * HOUR_MS, Infinity, Number.NaN];
  expect(asked.map((ms) => queuedWaitMs(ms))).toEqual([
    5_000,
    251,
    250,
    250,
    HOUR_MS,
    HOUR_MS,
    HOUR_MS,
  ]);
});

test("[E26] a resumed task has the rest of that time, and at least ten seconds to finish", () => {
  const limitMs = 60_000;
  expect(resumedLimitMs(call(1_020_000, limitMs))).toBe(40_000);
  expect(resumedLimitMs(call(1_060_000, limitMs))).toBe(10_000);
  expect(resumedLimitMs(call(1_060_000, 2_000))).toBe(2_000);
});

test("[E26] a clock that steps back never extends the total time", () => {
  const limitMs = 60_000;
  expect(waitMs(HOUR_MS, call(10, limitMs))).toBe(limitMs);
  expect(resumedLimitMs(call(10, limitMs))).toBe(limitMs);
});
