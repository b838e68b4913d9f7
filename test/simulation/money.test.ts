import { describe, expect, it } from "vitest";
import { moneyProblem } from "./verify-money.ts";
import { simulateMoneySeed } from "./simulate-money-seed.ts";
import { sizeOf } from "../support/sizes.ts";

const SEEDS = sizeOf("moneySeeds");
const BATCH = 100;

/**
 * Runs that may be refused and cancelled at any step, with a ledger whose calls are lost and repeated. The simulation
 * itself checks conservation, "reserved before started" and "nothing new after a cancel" at every call and commit;
 * these tests check how such runs end and what they cost.
 */
describe("[E17] [E24] with refusals, cancels and a ledger whose calls are lost", () => {
  const batches = Array.from({ length: SEEDS / BATCH }, (_, batch) => 1 + batch * BATCH);
  const seen = { cancelled: 0, refused: 0, bounded: 0, charged: 0 };
  it.each(batches)(
    "a run ends and is charged exactly for its work, seeds from %d on",
    async (from) => {
      for (let seed = from; seed < from + BATCH; seed++) {
        const verdict = await simulateMoneySeed(seed);
        const { outcome } = verdict;
        expect({ seed, problem: await moneyProblem(verdict) }).toEqual({
          seed,
          problem: undefined,
        });
        seen.cancelled += outcome.status === ("cancelled" as string) ? 1 : 0;
        seen.refused += outcome.stoppedBy === "INSUFFICIENT_CREDITS" ? 1 : 0;
        seen.bounded += outcome.stoppedBy === "ADMISSION_LIMIT_EXCEEDED" ? 1 : 0;
        seen.charged += outcome.chargedMilliCredits > 0 ? 1 : 0;
      }
    },
  );

  // Over all seeds: a hundred may well contain none that is refused.
  it("runs are refused, bounded, cancelled and charged", () => {
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(SEEDS / 50);
  });
});
