import { SeededRandom } from "../../test/simulation/seeded-random.ts";
import { quantile } from "../statistics.ts";

export interface ObjectLoad {
  /** Runs a second that arrive at random moments (a Poisson process). */
  readonly runsPerSecond: number;
  /** Milliseconds of each call of a run, in their order. */
  readonly callsMs: readonly number[];
  /** Mean milliseconds from one call of a run to the next (exponentially distributed). */
  readonly betweenMs: number;
  /** Calls to simulate; a tenth more precede them and are not counted. */
  readonly calls: number;
  readonly seed: number;
}

export interface ObjectQueue {
  /** Share of the time in which the object works. */
  readonly utilisation: number;
  /** Milliseconds that calls wait in the queue. */
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Whether the object keeps up. Otherwise every figure but the first grows with the simulated time. */
  readonly isStable: boolean;
}

/**
 * Simulates one object that serves calls in the order of their arrival. Deterministic for a seed, so that figures in
 * the docs can be reproduced.
 */
export function simulateObjectQueue(load: ObjectLoad): ObjectQueue {
  const { runsPerSecond, callsMs, betweenMs, calls, seed } = load;
  const random = new SeededRandom(seed);
  const exponential = (mean: number) => -mean * Math.log(1 - random.next());
  const warmUp = Math.floor(calls / 10);
  const runs = Math.ceil((calls + warmUp) / callsMs.length);
  const arrivals: { readonly atMs: number; readonly tookMs: number }[] = [];
  let bornMs = 0;
  for (let run = 0; run < runs; run++) {
    bornMs += exponential(1000 / runsPerSecond);
    let atMs = bornMs;
    for (const tookMs of callsMs) {
      arrivals.push({ atMs, tookMs });
      atMs += exponential(betweenMs);
    }
  }
  arrivals.sort((a, b) => a.atMs - b.atMs);
  const waits: number[] = [];
  let freeMs = 0;
  let busyMs = 0;
  for (const [index, { atMs, tookMs }] of arrivals.entries()) {
    const startMs = Math.max(freeMs, atMs);
    freeMs = startMs + tookMs;
    if (index >= warmUp) {
      busyMs += tookMs;
      waits.push(startMs - atMs);
    }
  }
  const spanMs = Math.max(freeMs, arrivals.at(-1)!.atMs) - arrivals[warmUp]!.atMs;
  const offered = (runsPerSecond * callsMs.reduce((sum, ms) => sum + ms, 0)) / 1000;
  return {
    utilisation: busyMs / spanMs,
    meanMs: waits.reduce((sum, ms) => sum + ms, 0) / waits.length,
    p50Ms: quantile(waits, 0.5),
    p99Ms: quantile(waits, 0.99),
    isStable: offered < 1,
  };
}
