import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SlidingWindow } from "../../../../durable-objects/rate-limiter/sliding-window.ts";

const WINDOW_MS = 60_000;
const SLICE_MS = WINDOW_MS / 60;

describe("SlidingWindow", () => {
  test("never lets more than the limit through in any window, and gives everything back after one", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 12 }), (steps, limit) => {
        const window = new SlidingWindow(WINDOW_MS);
        const taken: number[] = [];
        let nowMs = 1_700_000_000_000;
        for (const step of steps) {
          nowMs += step;
          const inWindow = taken.filter((at) => at > nowMs - WINDOW_MS).length;
          const isFree = taken.filter((at) => at > nowMs - WINDOW_MS - 2 * SLICE_MS).length < limit;
          const slice = window.take(limit, nowMs);
          if (slice !== undefined) {
            expect(inWindow).toBeLessThan(limit);
            taken.push(nowMs);
          } else {
            expect(isFree).toBe(false);
          }
        }
      }),
    );
  });

  test("says exactly when another take succeeds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9_000 }), { minLength: 3, maxLength: 40 }),
        (steps) => {
          const window = new SlidingWindow(WINDOW_MS);
          let nowMs = 1_700_000_000_000;
          for (const step of steps) {
            nowMs += step;
            window.take(3, nowMs);
          }
          const wait = window.untilFree(3, nowMs);
          if (wait > 0) {
            expect(window.take(3, nowMs + wait - 1)).toBeUndefined();
          }
          expect(window.take(3, nowMs + wait)).toBeDefined();
        },
      ),
    );
  });

  test("gives nothing back early when the clock steps back", () => {
    const window = new SlidingWindow(WINDOW_MS);
    window.take(2, 1_000_000);
    window.take(2, 500_000);
    expect(window.take(2, 500_000)).toBeUndefined();
    expect(window.take(2, 1_000_000 + WINDOW_MS - 1)).toBeUndefined();
  });

  test("is the same after its slices went through storage", () => {
    const window = new SlidingWindow(WINDOW_MS);
    for (let at = 0; at < 5; at++) {
      window.take(5, 1_000_000 + at * 7_000);
    }
    const again = new SlidingWindow(WINDOW_MS, structuredClone(window.slices));
    expect([again.used(), again.untilFree(5, 1_030_000), again.untilEmpty(1_030_000)]).toEqual([
      window.used(),
      window.untilFree(5, 1_030_000),
      window.untilEmpty(1_030_000),
    ]);
  });
});
