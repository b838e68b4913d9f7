/** The model of shared reads behind docs/scaling.md matches theory wherever it has an exact result. */
import { describe, expect, it } from "vitest";
import {
  type SharedLoad,
  simulateSharedReads,
} from "../../../bench/scale/simulate-shared-reads.ts";
import { zipfShares } from "../../../bench/scale/zipf.ts";
import { CACHE_LIMITS } from "../../../src/domain/cache-limits.ts";

const LOAD: SharedLoad = {
  runsPerSecond: 200,
  isolates: 10,
  shares: zipfShares(100, 1),
  definitionChars: 2_000,
  warmUpSeconds: 200,
  seconds: 2_000,
  seed: 7,
};

describe("the simulated reads of what isolates share", () => {
  // Data read by the first submit after 15 s is read once in 15 s plus the wait for that submit.
  it("of keys, and of the plan, are a renewal process while the cache has room", async () => {
    const { runsPerSecond, isolates, shares } = LOAD;
    const theory = shares.reduce((sum, share) => {
      const waitSeconds = isolates / (share * runsPerSecond);
      return sum + isolates / (CACHE_LIMITS.keys.refreshMs / 1000 + waitSeconds);
    }, 0);
    const { keys, plans } = await simulateSharedReads(LOAD);
    expect(keys / theory).toBeGreaterThan(0.97);
    expect(keys / theory).toBeLessThan(1.03);
    const planTheory = isolates / (CACHE_LIMITS.plans.refreshMs / 1000 + isolates / runsPerSecond);
    expect(plans / planTheory).toBeGreaterThan(0.97);
    expect(plans / planTheory).toBeLessThan(1.03);
  });

  it("of definitions are none if all fit, and most reads if few do", async () => {
    expect((await simulateSharedReads(LOAD)).definitions).toBe(0);
    const { charsMax } = CACHE_LIMITS.definitions;
    // Two fit: the definitions of the two largest tenants are rarely cached at the same time.
    const two = await simulateSharedReads({ ...LOAD, definitionChars: charsMax / 2 - 128 });
    expect(two.definitions).toBeGreaterThan(0.6 * LOAD.runsPerSecond);
    expect(two.definitions).toBeLessThan(LOAD.runsPerSecond);
    // A definition larger than the cache is never cached.
    const none = await simulateSharedReads({ ...LOAD, definitionChars: charsMax + 1 });
    expect(none.definitions / LOAD.runsPerSecond).toBeCloseTo(1, 1);
  });

  it("of D1 do not depend on the isolates: one read for each tenant in twenty minutes, and a plan", async () => {
    const [few, many] = await Promise.all(
      [10, 40].map((isolates) => simulateSharedReads({ ...LOAD, isolates, seconds: 20 })),
    );
    expect(few!.facts).toBe(many!.facts);
    // The smallest tenant runs every 2.6 s, so all facts are read again soon after they are too old.
    expect(few!.facts / ((100 + 1) / 1200)).toBeGreaterThan(0.99);
    expect(few!.facts / ((100 + 1) / 1200)).toBeLessThanOrEqual(1);
    expect(few!.planFacts).toBeCloseTo(1 / 1200);
  });

  it("grow with the number of isolates, because each caches only its own reads", async () => {
    const [few, many] = await Promise.all(
      [10, 40].map((isolates) => simulateSharedReads({ ...LOAD, isolates })),
    );
    expect(many!.keys / few!.keys).toBeGreaterThan(1.5);
    expect(many!.keys).toBeLessThan(LOAD.runsPerSecond);
  });

  it("are the same for the same seed", async () => {
    expect(await simulateSharedReads(LOAD)).toEqual(await simulateSharedReads(LOAD));
  });
});
