import { expect } from "vitest";

const TRIES = 5;

/**
 * Expects that the work takes less than `limitMs` in one of five runs: other processes can delay some runs, and work whose
 * time grows out of proportion takes too long in each.
 */
export async function expectWithin(limitMs: number, work: () => unknown): Promise<void> {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && bestMs >= limitMs; tries++) {
    const beganMs = performance.now();
    await work();
    bestMs = Math.min(bestMs, performance.now() - beganMs);
  }
  expect(bestMs, `milliseconds in the best of ${TRIES} runs`).toBeLessThan(limitMs);
}
