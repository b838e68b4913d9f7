/** The exports of modules are read fast (test/support/fast-modules.ts), so tests take as long as the code that they test. */
import { expect, test } from "vitest";
import { increment } from "../../support/increment.ts";

/** So few that another process seldom interrupts them. */
const TURNS = 100_000;
const TRIES = 40;

/** Milliseconds of the best of many runs. */
function bestMs(work: () => number): number {
  return Math.min(
    ...Array.from({ length: TRIES }, () => {
      const beganMs = performance.now();
      expect(work()).toBe(TURNS);
      return performance.now() - beganMs;
    }),
  );
}

const incrementHere: typeof increment = (value) => value + 1;

/** The exports of a module of usual size as Vite's module runner makes them. */
function plainExports(): { readonly increment: typeof increment } {
  const exports = Object.create(null);
  for (const name of [..."abcdefghijklmnopqrs".split(""), "increment"]) {
    Object.defineProperty(exports, name, {
      enumerable: true,
      configurable: true,
      get: () => incrementHere,
    });
  }
  return exports;
}

test("an import is read faster than from an object as the module runner makes it", () => {
  const exports = plainExports();
  const slowMs = bestMs(() => {
    let sum = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      sum = exports.increment(sum);
    }
    return sum;
  });
  const ms = bestMs(() => {
    let sum = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      sum = increment(sum);
    }
    return sum;
  });
  expect(slowMs / ms).toBeGreaterThan(2);
});
