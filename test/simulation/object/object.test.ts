/**
 * The real run object over SQLite, in a world that loses, repeats, delays and reorders all messages, kills it at any
 * await, and disturbs its clock and its alarm.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { type BuiltSimulation, buildMutated } from "../mutated-simulation.ts";
import { IS_PROOF, sizeOf } from "../../support/sizes.ts";

/** More with `npm run simulate`. */
const SEEDS = sizeOf("objectSeeds");
const BATCH = Math.min(100, SEEDS);

describe("a run object in a hostile world", () => {
  let built: BuiltSimulation;
  let mostOutstanding = 0;
  beforeAll(async () => {
    built = await buildMutated(undefined);
  });

  const batches = Array.from({ length: SEEDS / BATCH }, (_, batch) => 1 + batch * BATCH);
  it.each(batches)(
    "[E19] [E20] [E24] [E25] [E26] [E27] ends its run with the reference's result, seeds from %d on",
    async (from) => {
      const seen = { crashes: 0, staleReports: 0, tasks: 0, waits: 0, cancelled: 0, heldFiles: 0 };
      for (let seed = from; seed < from + BATCH; seed++) {
        const {
          problem,
          crashes,
          staleReports,
          tasks,
          waits,
          heldFiles,
          status,
          mostOutstanding: most,
        } = await built.simulateObjectSeed(seed);
        expect({ seed, problem }).toEqual({ seed, problem: undefined });
        mostOutstanding = Math.max(mostOutstanding, most);
        seen.crashes += crashes;
        seen.staleReports += staleReports;
        seen.tasks += tasks;
        seen.waits += waits;
        seen.heldFiles += heldFiles;
        seen.cancelled += status === "cancelled" ? 1 : 0;
      }
      // A quiet world would prove little.
      expect(seen.crashes).toBeGreaterThan(BATCH / 2);
      const { staleReports, tasks, waits, cancelled, heldFiles } = seen;
      expect(heldFiles).toBeGreaterThan(BATCH / 2);
      expect(Math.min(staleReports, tasks, waits, cancelled)).toBeGreaterThan(2);
    },
    120_000,
  );

  // Over all seeds: a hundred may contain only wide graphs that are cancelled or lack credits.
  it("reaches the limit of tasks with the runner, and never exceeds it", () => {
    expect(mostOutstanding).toBeLessThanOrEqual(64);
    expect(mostOutstanding).toBeGreaterThanOrEqual(IS_PROOF ? 64 : 48);
  });

  it("is in the same world for the same seed", async () => {
    // The second one delays tasks, so that a timer runs in its object.
    for (const seed of [17, 20]) {
      const once = await built.simulateObjectSeed(seed);
      expect(await built.simulateObjectSeed(seed)).toEqual(once);
    }
  });
});
