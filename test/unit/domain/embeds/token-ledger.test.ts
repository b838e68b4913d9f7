/** docs/contract/embeds.md#caps, over a store that crashes: each step is compared with `ReferenceToken`. */
import { describe, expect, test } from "vitest";
import {
  type PermitRecord,
  TokenLedger,
  type TokenTotals,
} from "../../../../src/domain/embeds/token-ledger.ts";
import { LIMITS } from "../../../../src/lib/limits/limits-table.ts";
import { ReferenceToken } from "../../../support/embeds/reference-token.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { sizeOf } from "../../../support/sizes.ts";

const LIFE_MS = LIMITS.embed_permit.value;
const ENDS_AT_MS = 3_000_000;

const ACTS = [
  ...(["take", "take", "submit", "submit", "bare", "settle", "settle", "settle"] as const),
  ...(["crash", "revoke", "alarm"] as const),
];

/** A ledger and its rows. A call whose rows were not written is lost with the instance. */
class StoredLedger {
  #totals: TokenTotals | undefined;
  readonly #rows = new Map<string, PermitRecord>();
  ledger = new TokenLedger();

  call<T>(change: (ledger: TokenLedger) => T, isLost = false): T {
    const answer = change(this.ledger);
    const changes = this.ledger.takeChanges();
    if (isLost) {
      this.crash();
      return answer;
    }
    this.#totals = this.ledger.totals;
    for (const [id, record] of changes) {
      if (record === null) {
        this.#rows.delete(id);
      } else {
        this.#rows.set(id, record);
      }
    }
    return answer;
  }

  crash(): void {
    const permits = [...this.#rows].toSorted(([, a], [, b]) => a.lapses_at_ms - b.lapses_at_ms);
    this.ledger = new TokenLedger(this.#totals, permits);
  }

  erase(): void {
    this.#totals = undefined;
    this.#rows.clear();
    this.crash();
  }
}

/** Lets a random world act on the ledger; returns its cap, and whether it reached it and its end. */
function simulate(
  seed: number,
  steps: number,
  make: () => StoredLedger = () => new StoredLedger(),
) {
  const random = new SeededRandom(seed);
  const max = random.pick([null, 1, 3, 40]);
  const stored = make();
  const model = new ReferenceToken();
  let nowMs = 1_000_000;
  let runs = 0;
  let seen = 0;
  const permits: string[] = [];
  const holds: string[] = [];
  for (let step = 0; step < steps; step++) {
    nowMs += random.pick([0, 1, 1, 20_000, step % 50 === 0 ? LIFE_MS : 3]);
    const taking = { max, token_ends_at_ms: ENDS_AT_MS };
    const id = `prm_${String(step)}`;
    const isLost = random.int(0, 19) === 0;
    const act = random.pick(ACTS);
    if (act === "take" || act === "submit" || act === "bare") {
      model.endsAtMs = isLost ? model.endsAtMs : ENDS_AT_MS;
    }
    switch (act) {
      case "take": {
        const canTake = model.canTake(max);
        const outcome = stored.call((ledger) => ledger.take(taking, id, nowMs), isLost);
        expect(outcome.kind).toBe(canTake ? "taken" : "exhausted");
        if (canTake && !isLost) {
          model.took(max === null ? null : id, nowMs, LIFE_MS);
          permits.push(id);
        }
        break;
      }
      case "submit": {
        const permit = random.pick([...permits.slice(-5), `prm_unknown`]);
        const canHold = model.canHold(permit, nowMs);
        const outcome = stored.call(
          (ledger) => ledger.hold({ ...taking, permit }, id, nowMs),
          isLost,
        );
        expect(outcome.kind).toBe(canHold ? "held" : "refused");
        if (canHold && !isLost) {
          model.gotPermit(permit);
          holds.push(permit);
        }
        break;
      }
      case "bare": {
        const canTake = model.canTake(max);
        const outcome = stored.call(
          (ledger) => ledger.hold({ ...taking, permit: null }, id, nowMs),
          isLost,
        );
        expect(outcome.kind).toBe(canTake ? "held" : "exhausted");
        if (canTake && !isLost) {
          model.gotUnit(id, nowMs, LIFE_MS);
          holds.push(id);
        }
        break;
      }
      case "settle": {
        const at = random.int(0, Math.max(0, holds.length - 1));
        const [hold] = holds.splice(at, 1);
        const isUsed = random.int(0, 1) === 0;
        if (hold !== undefined) {
          // The run was committed before its permit is settled, whether or not that is stored.
          runs += isUsed ? 1 : 0;
          const settle = (isAgainLost: boolean) =>
            stored.call((ledger) => ledger.settle({ hold, is_used: isUsed }, nowMs), isAgainLost);
          settle(isLost);
          if (!isLost) {
            model.settled(hold, isUsed, nowMs);
            settle(false);
          } else {
            model.held.delete(hold);
          }
        }
        break;
      }
      case "revoke": {
        const until_ms = nowMs + random.int(-5, 50_000);
        stored.call((ledger) => ledger.revoke({ until_ms }, nowMs), isLost);
        if (!isLost && until_ms > nowMs) {
          model.revokedUntilMs = Math.max(model.revokedUntilMs, until_ms);
        }
        break;
      }
      case "alarm":
        expect(stored.ledger.endsAtMs).toBe(Math.max(model.endsAtMs, model.revokedUntilMs));
        if (stored.ledger.endsAtMs > 0 && stored.ledger.endsAtMs <= nowMs) {
          stored.erase();
          expect(stored.ledger.totals).toEqual({
            used: 0,
            revoked_until_ms: 0,
            token_ends_at_ms: 0,
          });
          // No call with this token is valid any more.
          return { max, seen, taken: step, isErased: true };
        }
        break;
      case "crash":
        stored.crash();
    }
    const { used, revoked_until_ms } = stored.ledger.totals;
    expect([used, revoked_until_ms]).toEqual([model.used, model.revokedUntilMs]);
    seen = Math.max(seen, used);
    expect(runs).toBeLessThanOrEqual(max ?? Infinity);
  }
  return { max, seen, taken: steps, isErased: false };
}

describe("the ledger of an embed token", () => {
  test("agrees with the rules over a store that crashes, and starts no more runs than its cap", () => {
    const steps = sizeOf("embedTokenSteps");
    let [capped, erased, taken] = [0, 0, 0];
    for (let seed = 0; seed < steps / 500; seed++) {
      const { max, seen, isErased, ...world } = simulate(seed, 500);
      taken += world.taken;
      capped += max !== null && seen === max ? 1 : 0;
      erased += isErased ? 1 : 0;
    }
    expect([capped > 0, erased > 0], "worlds that reached their cap, and their end").toEqual([
      true,
      true,
    ]);
    expect(taken, "a world may end early").toBeGreaterThanOrEqual(steps / 4);
  });

  test.each([
    [
      "gives a permit back",
      (ledger: TokenLedger) => {
        const settle = ledger.settle.bind(ledger);
        ledger.settle = (request, nowMs) => settle({ ...request, is_used: false }, nowMs);
      },
    ],
    [
      "forgets the cap",
      (ledger: TokenLedger) => {
        const take = ledger.take.bind(ledger);
        ledger.take = (request, id, nowMs) => take({ ...request, max: null }, id, nowMs);
      },
    ],
    [
      "lets permits live on",
      (ledger: TokenLedger) => {
        const hold = ledger.hold.bind(ledger);
        ledger.hold = (request, id, nowMs) => hold(request, id, nowMs - LIFE_MS);
      },
    ],
  ])("that %s is found by the model", (_name, plant) => {
    const worlds = () => {
      for (let seed = 0; seed < 20; seed++) {
        simulate(seed, 500, () => {
          const stored = new StoredLedger();
          plant(stored.ledger);
          const crash = stored.crash.bind(stored);
          stored.crash = () => {
            crash();
            plant(stored.ledger);
          };
          return stored;
        });
      }
    };
    expect(worlds).toThrow();
  });

  test("keeps a bounded number of open permits, and says when there is room", () => {
    const ledger = new TokenLedger();
    const taking = { max: 1_000_000, token_ends_at_ms: 1 };
    const most = LIMITS.embed_open_permits.value;
    for (let i = 0; i < most; i++) {
      expect(ledger.take(taking, `prm_${String(i)}`, 1_000 + i).kind).toBe("taken");
    }
    expect(ledger.take(taking, "prm_more", 500_000)).toEqual({
      kind: "crowded",
      used: most,
      retry_after_ms: 1_000 + LIFE_MS - 500_000,
    });
    expect(ledger.hold({ ...taking, permit: null }, "prm_more", 500_000).kind).toBe("crowded");
    expect(ledger.hold({ ...taking, permit: "prm_5" }, "prm_more", 500_000).kind).toBe("held");
    expect(ledger.take(taking, "prm_later", 1_000 + LIFE_MS).kind).toBe("taken");
    expect(ledger.totals.used).toBe(most + 1);
  });
});
