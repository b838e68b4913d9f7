import { describe, expect, it } from "vitest";
import { sizeOf } from "../support/sizes.ts";
import { simulateRetrySeed } from "./simulate-retry-seed.ts";

const BATCH = 100;

describe("[E36] [E37] [E38] [E39] [E40] a retry has the result of a run from nothing, and takes over all that it may", () => {
  const batches = Array.from(
    { length: sizeOf("retrySeeds") / BATCH },
    (_, batch) => 1 + batch * BATCH,
  );
  it.each(batches)("seeds from %d on", async (from) => {
    let reused = 0;
    for (let seed = from; seed < from + BATCH; seed++) {
      for (const { actual, expected } of await simulateRetrySeed(seed)) {
        expect({ seed, ...actual }).toEqual({ seed, ...expected });
        reused += actual.reused.length;
      }
    }
    // Retries that take nothing over would prove little.
    expect(reused).toBeGreaterThan(BATCH);
  });
});
