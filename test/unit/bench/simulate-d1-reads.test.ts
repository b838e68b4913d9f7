/** The model of D1 reads behind docs/scaling.md matches theory wherever it has an exact result. */
import { describe, expect, it } from "vitest";
import { type D1Load, simulateD1Reads } from "../../../bench/scale/simulate-d1-reads.ts";
import { zipfShares } from "../../../bench/scale/zipf.ts";
import { CACHE_LIMITS } from "../../../src/domain/cache-limits.ts";

const LOAD: D1Load = {
  runsPerSecond: 200,
  isolates: 10,
  shares: zipfShares(100, 1),
  definitionChars: 2_000,
  warmUpSeconds: 200,
  seconds: 2_000,
  seed: 7,
};

describe("the simulated reads of D1", () => {
  // Data read by the first submit after 15 s is read once in 15 s plus the wait for that submit.
  it("of keys and plans are a renewal process while the cache has room", async () => {
    const { runsPerSecond, isolates, shares } = LOAD;
    const theory = shares.reduce((sum, share) => {
      const waitSeconds = isolates / (share * runsPerSecond);
      return sum + isolates / (CACHE_LIMITS.keys.refreshMs / 1000 + waitSeconds);
    }, 0);
    const { keys, plans } = await simulateD1Reads(LOAD);
    expect(keys / theory).toBeGreaterThan(0.97);
    expect(keys / theory).toBeLessThan(1.03);
    expect(plans).toBe(keys);
  });

  it("of definitions are none if all fit, and most reads if few do", async () => {
    expect((await simulateD1Reads(LOAD)).definitions).toBe(0);
    const { charsMax } = CACHE_LIMITS.definitions;
    // Two fit: the definitions of the two largest tenants are rarely cached at the same time.
    const two = await simulateD1Reads({ ...LOAD, definitionChars: charsMax / 2 - 128 });
    expect(two.definitions).toBeGreaterThan(0.6 * LOAD.runsPerSecond);
    expect(two.definitions).toBeLessThan(LOAD.runsPerSecond);
    // A definition larger than the cache is never cached.
    const none = await simulateD1Reads({ ...LOAD, definitionChars: charsMax + 1 });
    expect(none.definitions / LOAD.runsPerSecond).toBeCloseTo(1, 1);
  });

  it("grow with the number of isolates, because each caches only its own reads", async () => {
    const [few, many] = await Promise.all(
      [10, 40].map((isolates) => simulateD1Reads({ ...LOAD, isolates })),
    );
    expect(many!.keys / few!.keys).toBeGreaterThan(1.5);
    expect(many!.keys).toBeLessThan(LOAD.runsPerSecond);
  });

  it("are the same for the same seed", async () => {
    expect(await simulateD1Reads(LOAD)).toEqual(await simulateD1Reads(LOAD));
  });
});
