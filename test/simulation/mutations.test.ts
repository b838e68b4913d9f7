import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { Fault } from "./object/faults.ts";
import { MUTATIONS, type Mutation } from "./mutations.ts";
import { type BuiltSimulation, buildMutated } from "./mutated-simulation.ts";
import { sizeOf } from "../support/sizes.ts";

/** These few seeds find each fault; every test run uses many more. */
const SEEDS = 250;
/** Seeds of a run object, which need a certain fault at a certain moment. */
const OBJECT_SEEDS = 1_000;
/** The other tests run thousands without any fault. */
const SOUND_SEEDS = sizeOf("soundSeeds");
/** The fault is not found without those faults in the worlds that found it with them, nor in this many more. */
const QUIET_SEEDS_MORE = 30;

/** The first of `seeds` seeds that shows the fault; undefined if none does. */
async function findingSeed(
  { simulateSeed, simulateMoneySeed, simulateRetrySeed, simulateObjectSeed }: BuiltSimulation,
  {
    isOfMoney,
    isOfRetry,
    onlyBy,
    firstSeed = 1,
  }: Pick<Mutation, "isOfMoney" | "isOfRetry" | "onlyBy" | "firstSeed">,
  seeds: number,
  without: readonly Fault[] = [],
): Promise<number | undefined> {
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
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
      } else if (isOfRetry === true) {
        const verdicts = await simulateRetrySeed(seed);
        if (
          !verdicts.every(({ actual, expected }) =>
            isDeepStrictEqual(plain(actual), plain(expected)),
          )
        ) {
          return seed;
        }
      } else {
        const { actual, expected } = await simulateSeed(seed);
        if (!isDeepStrictEqual(plain(actual), plain(expected))) {
          return seed;
        }
      }
    } catch {
      return seed; // stuck, a defect, or an invariant that the simulation checks meanwhile
    }
  }
  return undefined;
}

/** Exact numbers are objects of a class: compare their texts. */
function plain(outcome: object): unknown {
  return JSON.parse(JSON.stringify(outcome));
}

const looked = MUTATIONS.filter((_, index) => index % sizeOf("mutationStride") === 0);

describe("a fault planted in the engine is found by the simulation", () => {
  it.each(looked.map((mutation): [string, Mutation] => [mutation.name, mutation]))(
    "%s",
    async (_name, mutation) => {
      const built = await buildMutated(mutation);
      const { name, onlyBy } = mutation;
      const found = await findingSeed(built, mutation, onlyBy === undefined ? SEEDS : OBJECT_SEEDS);
      expect(found, name).toBeDefined();
      if (onlyBy !== undefined && onlyBy.length > 0) {
        // Those faults find it, and not another property of the world.
        const seeds = found! - (mutation.firstSeed ?? 1) + 1 + QUIET_SEEDS_MORE;
        expect(await findingSeed(built, mutation, seeds, onlyBy), name).toBeUndefined();
      }
    },
    120_000,
  );

  // All of them, though a test run of the small size plants a few.
  it("replaces a text that occurs exactly once", async () => {
    for (const { name, file, from } of MUTATIONS) {
      const text = await readFile(join(import.meta.dirname, "../..", file), "utf8");
      expect({ name, times: text.split(from).length - 1 }).toEqual({ name, times: 1 });
    }
  });

  it("and none is found without a planted fault", async () => {
    const built = await buildMutated(undefined);
    expect(await findingSeed(built, {}, SOUND_SEEDS)).toBeUndefined();
    expect(await findingSeed(built, { isOfMoney: true }, SOUND_SEEDS)).toBeUndefined();
    expect(await findingSeed(built, { isOfRetry: true }, SOUND_SEEDS)).toBeUndefined();
  });
});
