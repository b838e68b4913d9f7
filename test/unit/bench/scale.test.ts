/** The simulator behind docs/scaling.md matches queueing theory wherever it has an exact result. */
import { describe, expect, it } from "vitest";
import { simulateObjectQueue } from "../../../bench/scale/simulate-object-queue.ts";
import { zipfShares } from "../../../bench/scale/zipf.ts";
import { sizeOf } from "../../support/sizes.ts";

const CALLS = sizeOf("queueCalls");

function queue(runsPerSecond: number, callsMs: readonly number[], seed = 7) {
  return simulateObjectQueue({ runsPerSecond, callsMs, betweenMs: 50, calls: CALLS, seed });
}

describe("the simulated object", () => {
  // M/D/1: with service time s and utilization ρ, a call waits ρ s / (2 (1 - ρ)) on average.
  it.each([0.1, 0.3, 0.5, 0.7, 0.9])(
    "at utilization %d with one service time waits as in the Pollaczek–Khinchine formula",
    (rho) => {
      const { utilisation, meanMs } = queue(rho * 1000, [1]);
      expect(utilisation / rho).toBeCloseTo(1, 1);
      expect(meanMs / ((rho * 1) / (2 * (1 - rho)))).toBeGreaterThan(0.95);
      expect(meanMs / ((rho * 1) / (2 * (1 - rho)))).toBeLessThan(1.05);
    },
  );

  // M/G/1: λ E[S²] / (2 (1 - ρ)); the calls of distant runs arrive independently.
  it("with two service times waits as in the general formula", () => {
    const { meanMs, utilisation } = queue(250, [0.5, 1.5]);
    const theory = (0.5 * ((0.25 + 2.25) / 2)) / (2 * (1 - 0.5));
    expect(utilisation).toBeCloseTo(0.5, 1);
    expect(meanMs / theory).toBeGreaterThan(0.93);
    expect(meanMs / theory).toBeLessThan(1.07);
  });

  it("does not keep up with more calls than it can serve, and reports it", () => {
    const { isStable, p99Ms } = queue(1_100, [1]);
    expect(isStable).toBe(false);
    expect(p99Ms).toBeGreaterThan(1_000);
    expect(queue(900, [1]).isStable).toBe(true);
  });

  it("returns the same for the same seed, and nearly the same for another", () => {
    expect(queue(500, [1])).toEqual(queue(500, [1]));
    expect(queue(500, [1], 8).meanMs / queue(500, [1]).meanMs).toBeCloseTo(1, 1);
  });
});

describe("Zipf's law", () => {
  it("returns shares that fall as the rank to the power of the skew, and add up to one", () => {
    const shares = zipfShares(1000, 1);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(shares[0]! / shares[9]!).toBeCloseTo(10, 9);
    // 1 / H(1000)
    expect(shares[0]).toBeCloseTo(1 / 7.485470860550345, 12);
    expect(new Set(zipfShares(4, 0))).toEqual(new Set([0.25]));
  });
});
