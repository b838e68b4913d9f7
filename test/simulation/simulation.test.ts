import { describe, expect, it } from "vitest";
import { simulateSeed } from "./simulate-seed.ts";
import { sizeOf } from "../support/sizes.ts";

/** The seeds of every test run; `npm run simulate` runs more. */
const SEEDS = sizeOf("engineSeeds");
const BATCH = 100;

describe("[E19] in a hostile world the engine has the reference's result", () => {
  const batches = Array.from({ length: SEEDS / BATCH }, (_, batch) => 1 + batch * BATCH);
  it.each(batches)("seeds from %d on", async (from) => {
    let crashes = 0;
    for (let seed = from; seed < from + BATCH; seed++) {
      const verdict = await simulateSeed(seed);
      expect({ seed, ...verdict.actual }).toEqual({ seed, ...verdict.expected });
      crashes += verdict.crashes;
    }
    // A world without crashes would prove little.
    expect(crashes).toBeGreaterThan(BATCH / 2);
  });
});
