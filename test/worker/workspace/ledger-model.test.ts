import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { LedgerStore } from "../../../durable-objects/workspace/ledger-store.ts";
import { checkCharge } from "../../../src/engine/step/charge.ts";
import { newId } from "../../../src/platform/ids.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { ReferenceLedger } from "../../support/reference-ledger.ts";
import { sizeOf } from "../../support/sizes.ts";

const STEPS = sizeOf("ledgerSteps");
const RUNS = 12;
const NOW = Date.UTC(2026, 5, 15);

type Operation =
  | { readonly kind: "reserve" | "release"; run: string; seq: number; milli: number }
  | { readonly kind: "settle" | "close"; run: string; milli: number }
  | { readonly kind: "grant"; key: string; milli: number };

/** An object of its own, for its SQLite alone. */
function inEmptyObject<T>(work: (storage: DurableObjectStorage) => T): Promise<T> {
  const stub = env.WORKSPACE.get(env.WORKSPACE.idFromName(newId("workspace", Date.now())));
  return runInDurableObject(stub, (_object, state) => work(state.storage));
}

function apply(ledger: LedgerStore, operation: Operation, nowMs: number): unknown {
  switch (operation.kind) {
    case "reserve": {
      const { run, seq, milli } = operation;
      const request = { run_id: run, seq, node_id: "n", milli_credits: milli };
      return ledger.reserve(request, nowMs).kind === "reserved";
    }
    case "release":
      return ledger.release(
        { run_id: operation.run, seq: operation.seq, milli_credits: operation.milli },
        nowMs,
      );
    case "settle":
      return ledger.settle(operation.run, operation.milli, nowMs);
    case "close":
      return ledger.close(operation.run, operation.milli, nowMs);
    case "grant":
      ledger.grant(operation.key, operation.milli, nowMs);
      return undefined;
  }
}

function applyToReference(ledger: ReferenceLedger, operation: Operation): unknown {
  switch (operation.kind) {
    case "reserve":
      return ledger.reserve(operation.run, operation.seq, operation.milli);
    case "release":
      return ledger.release(operation.run, operation.seq, operation.milli);
    case "settle":
      return ledger.settle(operation.run, operation.milli);
    case "close":
      return ledger.close(operation.run, operation.milli);
    case "grant":
      return ledger.grant(operation.key, operation.milli);
  }
}

/** What the reports of a run's items have claimed: each item is charged on its own, whatever its node may cost at most. */
class ClaimedItems {
  readonly #charged = new Map<string, number>();
  readonly problems = { capped: 0, refused: 0 };

  /** More items of the run are reported; returns the charge of all of them. */
  report(run: string, random: SeededRandom): number {
    let charged = this.#charged.get(run) ?? 0;
    for (let left = random.int(1, 5); left > 0; left--) {
      const cost = random.int(0, 300);
      const milli = random.pick([0, random.int(0, cost), cost, cost + 1, 5_000, -1, 0.5, NaN]);
      const isSilent = random.chance(0.2);
      const status = random.chance(0.8) ? "ok" : "failed";
      const claimed = isSilent ? undefined : { milli_credits: milli, usage: null };
      const node = { costMilliCredits: cost, costUnit: "request" } as const;
      const { charge, problem } = checkCharge(node, status, claimed);
      const isWhole = Number.isInteger(milli) && milli >= 0;
      const expected = isSilent
        ? status === "ok"
          ? cost
          : 0
        : isWhole
          ? Math.min(milli, cost)
          : 0;
      if ((charge?.milliCredits ?? 0) !== expected) {
        throw new Error(`${JSON.stringify({ cost, milli, status, charge, problem, expected })}`);
      }
      this.problems.capped += problem === "capped" ? 1 : 0;
      this.problems.refused += problem === "refused" ? 1 : 0;
      charged += expected;
    }
    this.#charged.set(run, charged);
    return charged;
  }
}

function draw(
  random: SeededRandom,
  runs: string[],
  step: number,
  items = new ClaimedItems(),
): Operation {
  const at = random.int(0, runs.length - 1);
  const run = runs[at] ?? "";
  const milli = random.int(0, 900);
  switch (random.int(0, 9)) {
    case 0:
    case 1:
    case 2:
      return { kind: "reserve", run, seq: random.int(0, 5), milli };
    case 3:
    case 4:
    case 5:
      return {
        kind: "settle",
        run,
        milli: random.chance(0.7) ? items.report(run, random) : random.int(0, 2_000),
      };
    case 6:
    case 7:
      return { kind: "release", run, seq: random.int(0, 5), milli };
    case 8:
      if (random.chance(0.5)) {
        runs[at] = `run${String(step)}`;
      }
      return { kind: "close", run, milli: random.int(0, 2_000) };
    default:
      return { kind: "grant", key: `grant${String(random.int(0, 4_000))}`, milli: 500 };
  }
}

/** The reserved amount of the account is the sum of the runs' reservations. */
function checkHeld(sql: SqlStorage, step: number): void {
  const { is_equal: isEqual } = sql
    .exec<{ is_equal: number }>(
      `SELECT (held, held_granted) = (SELECT coalesce(sum(lapsing + monthly + granted), 0),
         coalesce(sum(granted), 0) FROM holds) AS is_equal FROM account`,
    )
    .one();
  if (isEqual !== 1) {
    throw new Error(`step ${step}: the account's sums are not those of the holds`);
  }
}

class Crash extends Error {}

it(`matches a ten-line reference over ${STEPS.toLocaleString("en")} steps, with charges of each item and crashed, repeated and late ones`, async () => {
  const seen = await inEmptyObject((storage) => {
    const random = new SeededRandom(20_261_120);
    const ledger = new LedgerStore(storage.sql);
    const reference = new ReferenceLedger();
    ledger.renew(NOW, 5_000);
    reference.grant("the month's", 5_000);
    const runs = Array.from({ length: RUNS }, (_, at) => `first${String(at)}`);
    const earlier: Operation[] = [];
    const counts = { crashed: 0, repeated: 0, refused: 0 };
    const items = new ClaimedItems();
    for (let step = 0; step < STEPS; step++) {
      const isRepeat = earlier.length > 0 && random.chance(0.2);
      const operation = isRepeat ? random.pick(earlier) : draw(random, runs, step, items);
      counts.repeated += isRepeat ? 1 : 0;
      if (random.chance(0.1)) {
        counts.crashed++;
        try {
          storage.transactionSync(() => {
            apply(ledger, operation, NOW);
            throw new Crash();
          });
        } catch (error) {
          if (!(error instanceof Crash)) {
            throw error;
          }
        }
      } else {
        earlier.push(operation);
        earlier.splice(0, Math.max(0, earlier.length - 200));
        const response = storage.transactionSync(() => apply(ledger, operation, NOW));
        const expected = applyToReference(reference, operation);
        counts.refused += expected === false ? 1 : 0;
        if (response !== expected) {
          throw new Error(
            `step ${step}: ${JSON.stringify(operation)} answered ${String(response)}, not ${String(expected)}`,
          );
        }
      }
      const now = ledger.balance(NOW, null);
      if (
        now.balance_milli_credits !== reference.balance ||
        now.reserved_milli_credits !== reference.held ||
        now.spent_this_month_milli_credits !== reference.spent ||
        now.monthly_milli_credits < 0 ||
        now.granted_milli_credits < 0
      ) {
        throw new Error(`step ${step}: ${JSON.stringify({ operation, now, reference })}`);
      }
      checkHeld(storage.sql, step);
    }
    return { ...counts, capped: items.problems.capped, unusable: items.problems.refused };
  });
  // Without faults and refusals the test would prove little.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(STEPS / 20);
});

it("is consistent over ended months and clocks that step back: entries sum to the balance, each closed run to zero", async () => {
  const { unbalanced, sum, balance, months } = await inEmptyObject((storage) => {
    const random = new SeededRandom(77);
    const ledger = new LedgerStore(storage.sql);
    const runs = Array.from({ length: RUNS }, (_, at) => `first${String(at)}`);
    let nowMs = NOW;
    ledger.renew(nowMs, 20_000);
    for (let step = 0; step < 5_000; step++) {
      nowMs += random.int(-3, 8) * 3_600_000;
      storage.transactionSync(() => {
        apply(ledger, draw(random, runs, step), nowMs);
      });
      const { balance_milli_credits: left, reserved_milli_credits: held } = ledger.balance(
        nowMs,
        random.pick([20_000, 20_000, 10_000, 30_000]),
      );
      if (left < 0 || held < 0) {
        throw new Error(`step ${step}: ${left} left, ${held} held`);
      }
      checkHeld(storage.sql, step);
    }
    for (const { run_id } of storage.sql
      .exec<{ run_id: string }>("SELECT run_id FROM holds")
      .toArray()) {
      ledger.close(run_id, 0, nowMs);
    }
    const SIGNED = "CASE kind WHEN 'reserve' THEN -milli WHEN 'settle' THEN 0 ELSE milli END";
    return {
      unbalanced: storage.sql
        .exec(
          `SELECT run_id FROM ledger WHERE run_id IS NOT NULL GROUP BY run_id
           HAVING sum(CASE kind WHEN 'reserve' THEN milli ELSE -milli END) <> 0`,
        )
        .toArray(),
      sum: storage.sql.exec<{ n: number }>(`SELECT sum(${SIGNED}) AS n FROM ledger`).one().n,
      balance: ledger.balance(nowMs, null).balance_milli_credits,
      months: (nowMs - NOW) / (30 * 24 * 3_600_000),
    };
  });
  expect(months).toBeGreaterThan(6);
  expect(unbalanced).toEqual([]);
  expect(sum).toBe(balance);
});
