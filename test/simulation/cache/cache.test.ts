/**
 * Runs with a result cache in a hostile world (docs/contract/cache.md): their results are those of runs from nothing, what was
 * kept or is equal costs nothing, and nothing is worked out needlessly. Executors look results up, and runs look their own
 * elements up.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { IS_PROOF, sizeOf } from "../../support/sizes.ts";
import { type BuiltSimulation, buildMutated } from "../mutated-simulation.ts";
import { CACHE_FAULTS } from "./cache-faults.ts";
import { type LookUpCounts, noLookUps } from "./simulated-look-ups.ts";

const SEEDS = sizeOf("cacheSeeds");
/** Of each fault; the seed that finds it is the same on every machine. */
const FAULT_SEEDS = 150;

describe("runs with a result cache", () => {
  let built: BuiltSimulation;
  beforeAll(async () => {
    built = await buildMutated(undefined);
  });

  test(`[E41] [E42] [E43] [E44] [E45] [E46] [E47] of ${SEEDS} worlds have the results of runs from nothing, and work nothing out that they may take`, async () => {
    const seen = { worked: 0, fromOthers: 0, fromOwn: 0, crashes: 0 };
    const answers = noLookUps();
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one world after the other
      const { problem, lookUps, ...counts } = await built.simulateCacheSeed(seed);
      expect({ seed, problem }).toEqual({ seed, problem: undefined });
      for (const name of ["worked", "fromOthers", "fromOwn", "crashes"] as const) {
        seen[name] += counts[name];
      }
      for (const name of Object.keys(answers) as (keyof LookUpCounts)[]) {
        answers[name] += lookUps[name];
      }
    }
    // Worlds without equal elements would prove little.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(SEEDS / 2);
    expect(answers.found).toBeGreaterThan(SEEDS / 10);
    // Some of them are rare.
    expect(IS_PROOF ? Object.entries(answers).filter(([, n]) => n === 0) : []).toEqual([]);
  }, 600_000);

  test("are the same for the same seed", async () => {
    const once = await built.simulateCacheSeed(2);
    expect(await built.simulateCacheSeed(2)).toEqual(once);
  });
});

describe("a fault planted in the result cache is found", () => {
  const planted = CACHE_FAULTS.filter((_, at) => at % sizeOf("cacheFaultStride") === 0);
  test.each(planted.map((fault) => [fault.name, fault] as const))(
    "%s",
    async (_name, { how, ...mutation }) => {
      const mutant = await buildMutated(mutation);
      const { firstSeed: from = 1 } = mutation;
      for (let seed = from; seed < from + FAULT_SEEDS; seed += 1) {
        // oxlint-disable-next-line no-await-in-loop -- until one finds it
        const { problem } = await mutant.simulateCacheSeed(seed);
        if (problem !== undefined) {
          expect(problem).toMatch(how);
          return;
        }
      }
      throw new Error("No seed finds the fault.");
    },
    300_000,
  );

  // All of them, though a test run of the small size plants a few.
  test("replaces texts that occur exactly once", async () => {
    for (const { name, also = [], ...first } of CACHE_FAULTS) {
      for (const { file, from } of [first, ...also]) {
        // oxlint-disable-next-line no-await-in-loop -- one file after the other
        const text = await readFile(join(import.meta.dirname, "../../..", file), "utf8");
        expect({ name, times: text.split(from).length - 1 }).toEqual({ name, times: 1 });
      }
    }
  });
});
