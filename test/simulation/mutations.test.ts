import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { Fault } from "./object/faults.ts";
import { MUTATIONS, type Mutation } from "./mutations.ts";
import { type BuiltSimulation, buildMutated } from "./mutated-simulation.ts";

/** So few seeds find each: the ones of every test run are many times more. */
const SEEDS = 250;
/** Of those of a run object, which need a certain fault at a certain moment. */
const OBJECT_SEEDS = 1_000;
/** And in so many worlds without the faults that find it, it is not found. */
const QUIET_SEEDS = 30;

/** The first seed that shows the fault; undefined when none of them does. */
async function findingSeed(
  { simulateSeed, simulateMoneySeed, simulateObjectSeed }: BuiltSimulation,
  { isOfMoney, onlyBy }: Pick<Mutation, "isOfMoney" | "onlyBy">,
  without: readonly Fault[] = [],
): Promise<number | undefined> {
  const loud = onlyBy === undefined ? SEEDS : OBJECT_SEEDS;
  const seeds = without.length === 0 ? loud : QUIET_SEEDS;
  for (let seed = 1; seed <= seeds; seed += 1) {
    try {
      if (onlyBy !== undefined) {
        if ((await simulateObjectSeed(seed, without)).problem !== undefined) {
          return seed;
        }
      } else if (isOfMoney === true) {
        const { outcome, costMilliCredits } = await simulateMoneySeed(seed);
        if (outcome.chargedMilliCredits !== costMilliCredits) {
          return seed;
        }
      } else {
        const { actual, expected } = await simulateSeed(seed);
        if (!isDeepStrictEqual(plain(actual), plain(expected))) {
          return seed;
        }
      }
    } catch {
      return seed; // stuck, a defect, or an invariant that the simulation checks on the way
    }
  }
  return undefined;
}

/** Exact numbers are objects of a class: compared as they are written. */
function plain(outcome: object): unknown {
  return JSON.parse(JSON.stringify(outcome));
}

describe("a fault planted in the engine is found by the simulation", () => {
  it.each(MUTATIONS.map((mutation): [string, Mutation] => [mutation.name, mutation]))(
    "%s",
    async (_name, mutation) => {
      const built = await buildMutated(mutation);
      expect(await findingSeed(built, mutation), mutation.name).toBeDefined();
      const { onlyBy = [] } = mutation;
      if (onlyBy.length > 0) {
        // Those faults find it, and not something else that is wrong with the world.
        expect(await findingSeed(built, mutation, onlyBy)).toBeUndefined();
      }
    },
    120_000,
  );

  it("and without one it finds nothing", async () => {
    const built = await buildMutated(undefined);
    expect(await findingSeed(built, {})).toBeUndefined();
    expect(await findingSeed(built, { isOfMoney: true })).toBeUndefined();
  }, 120_000);
});
