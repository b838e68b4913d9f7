import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LEASE_TRANSIT_MS } from "../../../../src/domain/rate-limit/lease-policy.ts";
import { SlidingWindow } from "../../../../src/domain/rate-limit/sliding-window.ts";

const WINDOW_MS = 60_000;
const SLICE_MS = WINDOW_MS / 120;
const LATE_MS = SLICE_MS + LEASE_TRANSIT_MS;
const START_MS = 1_700_000_000_000;

describe("SlidingWindow", () => {
  test("never lets more than the limit through in any window, and returns all of it after one", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 12 }), (steps, limit) => {
        const window = new SlidingWindow(WINDOW_MS);
        const taken: number[] = [];
        let nowMs = START_MS;
        for (const step of steps) {
          nowMs += step;
          const inWindow = taken.filter((at) => at > nowMs - WINDOW_MS).length;
          const isFree = taken.filter((at) => at > nowMs - WINDOW_MS - LATE_MS - 1).length < limit;
          if (window.take(limit, nowMs) === 1) {
            expect(inWindow).toBeLessThan(limit);
            taken.push(nowMs);
          } else {
            expect(isFree).toBe(false);
          }
        }
      }),
    );
  });

  test("returns exactly the time at which another take succeeds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9_000 }), { minLength: 3, maxLength: 40 }),
        (steps) => {
          const window = new SlidingWindow(WINDOW_MS);
          let nowMs = START_MS;
          for (const step of steps) {
            nowMs += step;
            window.take(3, nowMs);
          }
          const wait = window.untilFree(3, nowMs);
          if (wait > 0) {
            expect(window.take(3, nowMs + wait - 1)).toBe(0);
          }
          expect(window.take(3, nowMs + wait)).toBe(1);
        },
      ),
    );
  });

  test("grants the rest of a large request, and counts uses beyond the limit that were not requested", () => {
    const window = new SlidingWindow(WINDOW_MS);
    expect(window.take(10, START_MS, 7)).toBe(7);
    expect(window.take(10, START_MS, 7)).toBe(3);
    window.record(2, START_MS);
    expect([window.used(), window.take(12, START_MS, 5)]).toEqual([12, 0]);
  });

  test("takes back unused permits, at most those of a slice, and none of a slice outside of the window", () => {
    const window = new SlidingWindow(WINDOW_MS);
    window.take(10, START_MS, 10);
    const at = window.slices[0]!.at;
    window.giveBack(at, 4);
    expect(window.take(10, START_MS, 10)).toBe(4);
    window.giveBack(at, 1_000);
    expect(window.used()).toBe(0);
    window.take(10, START_MS + 2 * WINDOW_MS, 10);
    window.giveBack(at, 5);
    expect(window.used()).toBe(10);
  });

  test.each([1, 700, 5_000, 90_000, 3_600_000, START_MS - 5])(
    "neither grants early nor blocks when the clock steps back by %i ms",
    (step) => {
      const window = new SlidingWindow(WINDOW_MS);
      window.take(2, START_MS, 2);
      const backMs = START_MS - step;
      expect(window.take(2, backMs)).toBe(0);
      expect(window.take(2, backMs + WINDOW_MS - 1)).toBe(0);
      expect(window.untilFree(2, backMs)).toBeLessThanOrEqual(WINDOW_MS + LATE_MS);
      expect(window.take(2, backMs + WINDOW_MS + LATE_MS)).toBe(1);
    },
  );

  test("stays full with an oscillating clock", () => {
    const window = new SlidingWindow(WINDOW_MS);
    window.take(1, START_MS);
    for (let ms = 0; ms < 20_000; ms += 1) {
      // Forward and back, with an advancing mean: half of a window's time.
      expect(window.take(1, START_MS + ms + (ms % 2))).toBe(0);
    }
  });

  test("is the same after storage, also if the clock stepped back before or during it", () => {
    for (const [before, after] of [
      [0, 0],
      [40_000, 0],
      [0, 40_000],
      [3_600_000, 0],
      [0, 3_600_000],
    ] as const) {
      const window = new SlidingWindow(WINDOW_MS);
      for (let at = 0; at < 5; at++) {
        window.take(5, START_MS + at * 7_000);
      }
      window.take(5, START_MS + 28_000 - before);
      const rows = { slices: structuredClone(window.slices), offsetMs: window.offsetMs };
      const again = new SlidingWindow(WINDOW_MS, rows);
      const nowMs = START_MS + 28_000 - before - after;
      expect([again.used(), again.take(5, nowMs)]).toEqual([5, 0]);
      expect(again.untilEmpty(nowMs)).toBeLessThanOrEqual(WINDOW_MS + LATE_MS);
      expect(again.take(5, nowMs + WINDOW_MS + LATE_MS)).toBe(1);
    }
  });
});
