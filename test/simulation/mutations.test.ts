import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { MUTATIONS, type Mutation } from "./mutations.ts";
import { type BuiltSimulation, buildMutated } from "./mutated-simulation.ts";

/** So few seeds find each: the ones of every test run are many times more. */
const SEEDS = 150;

/** The first seed that shows the fault; undefined when none of them does. */
async function findingSeed(
  { simulateSeed, simulateMoneySeed }: BuiltSimulation,
  isOfMoney: boolean,
): Promise<number | undefined> {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    try {
      if (isOfMoney) {
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
      const found = await findingSeed(await buildMutated(mutation), mutation.isOfMoney === true);
      expect(found, `within ${SEEDS} seeds`).toBeDefined();
    },
  );

  it("and without one it finds nothing", async () => {
    const built = await buildMutated(undefined);
    expect(await findingSeed(built, false)).toBeUndefined();
    expect(await findingSeed(built, true)).toBeUndefined();
  });
});
