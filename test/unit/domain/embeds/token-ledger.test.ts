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

/** A random world that acts on a ledger and on the rules side by side. */
class World {
  readonly #random: SeededRandom;
  readonly #stored: StoredLedger;
  readonly #model = new ReferenceToken();
  readonly #permits: string[] = [];
  readonly #holds: string[] = [];
  readonly max: number | null;
  #nowMs = 1_000_000;
  #runs = 0;
  #isLost = false;
  taken = 0;
  seen = 0;
  isErased = false;

  constructor(seed: number, stored = new StoredLedger()) {
    this.#random = new SeededRandom(seed);
    this.#stored = stored;
    this.max = this.#random.pick([null, 1, 3, 40]);
  }

  live(steps: number): this {
    for (; this.taken < steps && !this.isErased; this.taken++) {
      const pause = this.taken % 50 === 0 ? LIFE_MS : 3;
      this.#nowMs += this.#random.pick([0, 1, 1, 20_000, pause]);
      this.#isLost = this.#random.int(0, 19) === 0;
      this[this.#random.pick(ACTS)](`prm_${String(this.taken)}`);
      const { used, revoked_until_ms } = this.#stored.ledger.totals;
      expect([used, revoked_until_ms]).toEqual([this.#model.used, this.#model.revokedUntilMs]);
      this.seen = Math.max(this.seen, used);
      expect(this.#runs).toBeLessThanOrEqual(this.max ?? Infinity);
    }
    return this;
  }

  take(id: string): void {
    const isAllowed = this.#model.canTake(this.max);
    const outcome = this.#call((ledger) => ledger.take(this.#taking(), id, this.#nowMs));
    expect(outcome.kind).toBe(isAllowed ? "taken" : "exhausted");
    if (isAllowed && !this.#isLost) {
      this.#model.took(this.max === null ? null : id, this.#nowMs, LIFE_MS);
      this.#permits.push(id);
    }
  }

  submit(id: string): void {
    const permit = this.#random.pick([...this.#permits.slice(-5), "prm_unknown"]);
    const isAllowed = this.#model.canHold(permit, this.#nowMs);
    const request = { ...this.#taking(), permit };
    const outcome = this.#call((ledger) => ledger.hold(request, id, this.#nowMs));
    expect(outcome.kind).toBe(isAllowed ? "held" : "refused");
    if (isAllowed && !this.#isLost) {
      this.#model.gotPermit(permit);
      this.#holds.push(permit);
    }
  }

  bare(id: string): void {
    const isAllowed = this.#model.canTake(this.max);
    const request = { ...this.#taking(), permit: null };
    const outcome = this.#call((ledger) => ledger.hold(request, id, this.#nowMs));
    expect(outcome.kind).toBe(isAllowed ? "held" : "exhausted");
    if (isAllowed && !this.#isLost) {
      this.#model.gotUnit(id, this.#nowMs, LIFE_MS);
      this.#holds.push(id);
    }
  }

  settle(): void {
    const [hold] = this.#holds.splice(this.#random.below(Math.max(1, this.#holds.length)), 1);
    const is_used = this.#random.chance(0.5);
    if (hold === undefined) {
      return;
    }
    // The run was committed before its permit is settled, whether or not that is stored.
    this.#runs += is_used ? 1 : 0;
    const settle = () => this.#call((ledger) => ledger.settle({ hold, is_used }, this.#nowMs));
    settle();
    if (this.#isLost) {
      this.#model.held.delete(hold);
    } else {
      this.#model.settled(hold, is_used, this.#nowMs);
      settle();
    }
  }

  revoke(): void {
    const until_ms = this.#nowMs + this.#random.int(-5, 50_000);
    this.#call((ledger) => ledger.revoke({ until_ms }, this.#nowMs));
    if (!this.#isLost && until_ms > this.#nowMs) {
      this.#model.revokedUntilMs = Math.max(this.#model.revokedUntilMs, until_ms);
    }
  }

  /** After the end, no call with the token is valid. */
  alarm(): void {
    const { endsAtMs } = this.#stored.ledger;
    expect(endsAtMs).toBe(Math.max(this.#model.endsAtMs, this.#model.revokedUntilMs));
    if (endsAtMs > 0 && endsAtMs <= this.#nowMs) {
      this.#stored.erase();
      const nothing = { used: 0, revoked_until_ms: 0, token_ends_at_ms: 0 };
      expect(this.#stored.ledger.totals).toEqual(nothing);
      Object.assign(this.#model, { used: 0, revokedUntilMs: 0 });
      this.isErased = true;
    }
  }

  crash(): void {
    this.#stored.crash();
  }

  #taking() {
    this.#model.endsAtMs = this.#isLost ? this.#model.endsAtMs : ENDS_AT_MS;
    return { max: this.max, token_ends_at_ms: ENDS_AT_MS };
  }

  #call<T>(change: (ledger: TokenLedger) => T): T {
    return this.#stored.call(change, this.#isLost);
  }
}

describe("the ledger of an embed token", () => {
  test("agrees with the rules over a store that crashes, and starts no more runs than its cap", () => {
    const steps = sizeOf("embedTokenSteps");
    let [capped, erased, taken] = [0, 0, 0];
    for (let seed = 0; seed < steps / 500; seed++) {
      const world = new World(seed).live(500);
      capped += world.seen === world.max ? 1 : 0;
      erased += world.isErased ? 1 : 0;
      taken += world.taken;
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
    const planted = () => {
      const stored = new StoredLedger();
      const crash = stored.crash.bind(stored);
      stored.crash = () => {
        crash();
        plant(stored.ledger);
      };
      plant(stored.ledger);
      return stored;
    };
    const worlds = () => {
      for (let seed = 0; seed < 20; seed++) {
        new World(seed, planted()).live(500);
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
