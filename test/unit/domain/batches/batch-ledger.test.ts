/** The ledger of a batch against a plain reference, under kills, repeats and late reports (docs/contract/batches.md). */
import { describe, expect, test } from "vitest";
import {
  type BatchBounds,
  BatchLedger,
  ITEM,
  type ItemState,
  type RunEnd,
} from "../../../../src/domain/batches/batch-ledger.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { sizeOf } from "../../../support/sizes.ts";
import { BatchReference } from "./batch-reference.ts";

const ENDS: readonly RunEnd[] = ["completed", "partial_success", "failed", "cancelled"];
const NAMES = new Map<ItemState, string>(
  Object.entries(ITEM).map(([name, state]) => [state, name]),
);

const ACTS = [
  ...(["start", "start", "cancel", "retry", "retry", "kill", "topUp"] as const),
  ...([
    "offer",
    "offer",
    "offer",
    "offer",
    "late",
    "late",
    "end",
    "end",
    "end",
    "report",
    "report",
  ] as const),
];

/** A run that the workspace has admitted. */
interface Run {
  readonly index: number;
  end: { readonly end: RunEnd; readonly milli: number } | null;
}

/** A batch, the workspace that admits its runs, and messages between them that are lost, late or repeated. */
class World {
  readonly #random: SeededRandom;
  readonly #bounds: BatchBounds;
  readonly #worst: readonly number[];
  readonly #invalid: readonly boolean[];
  readonly #runs = new Map<string, Run>();
  /** Reports of ends, each of which may arrive at any time and any number of times. */
  readonly #reports: string[] = [];
  /** Admissions under way, each of which may arrive at any time, or never. */
  readonly #late: { readonly offer: number; readonly index: number; readonly id: string }[] = [];
  readonly #reference: BatchReference;
  #ledger: BatchLedger;
  #balance = 20;
  #usedBefore = 0;
  #made = 0;
  /** The last offer of which the batch asked for the outcome. */
  #settled = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
    const total = random.int(1, random.chance(0.1) ? 40 : 10);
    this.#bounds = {
      max_concurrency: random.int(1, 6),
      max_failed_items: random.chance(0.5) ? random.int(0, 3) : null,
      max_total_milli_credits: random.chance(0.5) ? random.int(1, 60) : null,
    };
    this.#worst = Array.from({ length: total }, () => random.int(0, 9));
    this.#invalid = this.#worst.map(() => random.chance(0.1));
    this.#ledger = new BatchLedger(this.#bounds, this.#initialStates());
    this.#reference = new BatchReference(this.#bounds, this.#invalid);
  }

  get isTerminal(): boolean {
    return this.#ledger.isTerminal;
  }

  step(): void {
    this[this.#random.pick(ACTS)]();
    this.#check();
  }

  /** Ends all live runs and offers until nothing is left, as a batch that is left alone does. */
  finish(): void {
    this.#balance = Number.MAX_SAFE_INTEGER;
    for (let round = 0; !this.isTerminal && this.#reference.attempt > 0; round++) {
      expect(round).toBeLessThan(500);
      this.offer(0);
      for (const [id, run] of this.#runs) {
        run.end ??= { end: "completed", milli: 0 };
        this.#deliver(id);
      }
      this.#check();
    }
  }

  start(): void {
    const isRefused = this.#reference.attempt > 0 || this.#reference.isOver;
    const answer = this.#ledger.start(this.#newBase(), 1, this.#random.chance(0.5));
    expect(answer).toBe(isRefused ? "invalid_state" : "changed");
    if (!isRefused) {
      this.#reference.start();
    }
  }

  cancel(): void {
    if (this.#random.chance(0.8)) {
      return;
    }
    const { isOver, hasCancel } = this.#reference;
    const expected = isOver ? "invalid_state" : hasCancel ? "unchanged" : "changed";
    expect(this.#ledger.cancel(1)).toBe(expected);
    if (expected === "changed") {
      this.#reference.cancel();
    }
  }

  retry(): void {
    const includesPartial = this.#random.chance(0.5);
    const again = this.#reference.count("failed", "cancelled", "invalid");
    const isEmpty = again + (includesPartial ? this.#reference.count("partial") : 0) === 0;
    const expected = !this.#reference.isOver
      ? "invalid_state"
      : isEmpty
        ? "no_failed_items"
        : "changed";
    expect(this.#ledger.retry(this.#newBase(), 1, includesPartial)).toBe(expected);
    if (expected === "changed") {
      this.#reference.retry(includesPartial);
    }
  }

  /** The object is made again from its rows. Costs of offers are not among them. */
  kill(): void {
    const states = this.#initialStates();
    for (let index = 0; index < states.length; index++) {
      states[index] = this.#ledger.stateOf(index);
    }
    const facts: unknown = JSON.parse(JSON.stringify(this.#ledger.facts));
    const live = this.#ledger.live.map((index) => [index, this.#worstOf(index)] as const);
    // The shape that `facts` had before.
    this.#ledger = new BatchLedger(this.#bounds, states, facts as BatchLedger["facts"], live);
  }

  topUp(): void {
    this.#balance += this.#random.int(0, 30);
  }

  /** Offers items, and learns the outcomes; with the chance `lost` these are lost with the object. */
  offer(lost = 0.2): void {
    this.#settled = this.#ledger.facts.offers;
    this.#decide(this.#ledger.facts.offered);
    const room = this.#random.int(0, 8);
    const worstOf = (index: number) => this.#worstOf(index);
    const offered = this.#ledger.offer(room, worstOf, 1);
    expect(offered).toEqual(this.#reference.offer(room, worstOf));
    if (this.#random.chance(lost)) {
      for (const index of offered) {
        if (this.#random.chance(0.5)) {
          this.#admit(index);
        } else {
          const offer = this.#ledger.facts.offers;
          this.#late.push({ offer, index, id: this.#ledger.runOf(index) });
        }
      }
      this.kill();
      return;
    }
    this.#decide(offered);
  }

  /** An admission that was under way when its batch's object was killed arrives. */
  late(): void {
    const [late] = this.#late.splice(this.#random.below(Math.max(1, this.#late.length)), 1);
    if (late !== undefined && late.offer > this.#settled) {
      expect(late.id).toBe(this.#ledger.runOf(late.index));
      this.#admit(late.index);
    }
  }

  end(): void {
    const live = [...this.#runs].filter(([, run]) => run.end === null);
    if (live.length > 0) {
      const [id, run] = this.#random.pick(live);
      const milli = this.#random.int(0, this.#worstOf(run.index));
      run.end = { end: this.#random.pick(ENDS), milli };
      this.#reports.push(id);
    }
  }

  report(): void {
    if (this.#reports.length === 0) {
      return;
    }
    const at = this.#random.below(this.#reports.length);
    const id = this.#reports[at] ?? "";
    if (this.#random.chance(0.7)) {
      this.#reports.splice(at, 1);
    }
    this.#deliver(id);
  }

  /** The outcome of each offer: the run that an earlier admission made, a new one, a refusal, or none for now. */
  #decide(offered: readonly number[]): void {
    for (const index of offered) {
      const isKnown = this.#runs.has(this.#ledger.runOf(index));
      if (isKnown || (this.#reference.accepts && this.#random.chance(0.8) && this.#admit(index))) {
        this.#ledger.accepted(index, this.#worstOf(index), 1);
        this.#reference.outcome(index, "running");
      } else if (this.#random.chance(0.3)) {
        this.#ledger.refused(index, 1);
        this.#reference.outcome(index, "failed");
      } else {
        this.#ledger.withdrawn(index, 1);
        this.#reference.outcome(index, "pending");
      }
    }
  }

  /** False for lack of credits. */
  #admit(index: number): boolean {
    if (this.#balance < this.#worstOf(index)) {
      return false;
    }
    const id = this.#ledger.runOf(index);
    expect(this.#runs.has(id)).toBe(false);
    this.#balance -= this.#worstOf(index);
    this.#runs.set(id, { index, end: null });
    return true;
  }

  #deliver(id: string): void {
    const run = this.#runs.get(id);
    if (run?.end == null) {
      return;
    }
    const isFirst =
      this.#reference.items[run.index]?.state === "running" && id === this.#ledger.runOf(run.index);
    const { end, milli } = run.end;
    expect(this.#ledger.ended(run.index, id, end, milli, 1)).toBe(isFirst);
    if (isFirst) {
      this.#reference.ended(run.index, end, milli);
    }
  }

  #check(): void {
    const reference = this.#reference;
    const { counts, facts } = this.#ledger;
    expect(counts).toEqual({
      total_items: this.#worst.length,
      pending: reference.count("pending"),
      running: reference.count("running"),
      completed: reference.count("completed", "partial"),
      failed: reference.count("failed", "invalid"),
      cancelled: reference.count("cancelled"),
      partial_success: reference.count("partial"),
    });
    const { pending, running, completed, failed, cancelled } = counts;
    expect(pending + running + completed + failed + cancelled).toBe(this.#worst.length);
    expect([facts.attempt, facts.stop, facts.used_milli, this.isTerminal]).toEqual([
      reference.attempt,
      reference.stop,
      reference.used,
      reference.isOver,
    ]);
    expect(facts.used_milli).toBeGreaterThanOrEqual(this.#usedBefore);
    this.#usedBefore = facts.used_milli;
    if (facts.offered.length === 0) {
      const live = [...this.#runs].filter(([, run]) => run.end === null);
      const known = live.filter(([id, { index }]) => id === this.#ledger.runOf(index));
      expect(known).toEqual(live);
      expect(live.every(([, { index }]) => this.#ledger.stateOf(index) === ITEM.running)).toBe(
        true,
      );
    }
    const states = reference.items.map(({ state }) => state);
    expect(states.map((_, index) => NAMES.get(this.#ledger.stateOf(index)))).toEqual(states);
  }

  #initialStates(): Uint8Array {
    return Uint8Array.from(this.#invalid, (is) => (is ? ITEM.invalid : ITEM.pending));
  }

  #worstOf(index: number): number {
    return this.#worst[index] ?? 0;
  }

  #newBase(): string {
    return newId("run", this.#made++);
  }
}

describe("the ledger of a batch", () => {
  test("is at each step what a plain reference says, and ends when it is left alone", () => {
    const random = new SeededRandom(11);
    const steps = sizeOf("batchSteps");
    let ended = 0;
    for (let taken = 0; taken < steps;) {
      const world = new World(random);
      for (let n = random.int(1, 120); n > 0; n--, taken++) {
        world.step();
      }
      world.finish();
      ended += world.isTerminal ? 1 : 0;
    }
    expect(ended).toBeGreaterThan(steps / 200);
  });
});

const NO_BOUNDS: BatchBounds = {
  max_concurrency: 4,
  max_failed_items: null,
  max_total_milli_credits: null,
};

function ledgerOf(items: number, bounds: Partial<BatchBounds> = {}): BatchLedger {
  return new BatchLedger({ ...NO_BOUNDS, ...bounds }, new Uint8Array(items));
}

function accept(ledger: BatchLedger, offered: readonly number[], worst = 0): void {
  for (const index of offered) {
    ledger.accepted(index, worst, 2);
  }
}

describe("a batch", () => {
  const free = () => 0;

  test("is pending until its first item is accepted, if it was started with its creation", () => {
    const ledger = ledgerOf(2);
    ledger.start(newId("run", 0), 1, true);
    expect([ledger.status, ledger.facts.started_at_ms]).toEqual(["pending", null]);
    accept(ledger, ledger.offer(1, free, 2));
    expect([ledger.status, ledger.facts.started_at_ms]).toEqual(["running", 2]);
  });

  test.each([
    [["completed", "partial_success"], "completed"],
    [["completed", "failed"], "partial_success"],
    [["failed", "cancelled"], "failed"],
  ] as const)("with items that ended as %j is %s", (ends, status) => {
    const ledger = ledgerOf(2);
    ledger.start(newId("run", 0), 1, true);
    accept(ledger, ledger.offer(2, free, 2));
    for (const [index, end] of ends.entries()) {
      ledger.ended(index, ledger.runOf(index), end, 0, 3);
    }
    expect(ledger.status).toBe(status);
  });

  test("ends as cancelled if its cancel came before the last item ended, whatever the counts", () => {
    const ledger = ledgerOf(1);
    ledger.start(newId("run", 0), 1, true);
    accept(ledger, ledger.offer(1, free, 2));
    ledger.cancel(3);
    expect(ledger.status).toBe("running");
    ledger.ended(0, ledger.runOf(0), "completed", 0, 4);
    expect(ledger.status).toBe("cancelled");
  });

  test("waits for live runs if the next item could fit its credits afterwards, else stops", () => {
    const ledger = ledgerOf(3, { max_total_milli_credits: 10 });
    ledger.start(newId("run", 0), 1, true);
    const worst = () => 6;
    accept(ledger, ledger.offer(3, worst, 2), 6);
    expect(ledger.counts).toMatchObject({ running: 1, pending: 2 });
    expect(ledger.offer(3, worst, 3)).toEqual([]);
    expect(ledger.facts.stop).toBeNull();
    ledger.ended(0, ledger.runOf(0), "completed", 5, 4);
    expect(ledger.offer(3, worst, 5)).toEqual([]);
    expect([ledger.facts.stop, ledger.status]).toEqual(["BATCH_CREDIT_LIMIT", "partial_success"]);
    expect(ledger.counts).toMatchObject({ completed: 1, cancelled: 2 });
  });

  test("accepts no more after one failed item too many, and lets live runs end", () => {
    const ledger = ledgerOf(9, { max_failed_items: 1 });
    ledger.start(newId("run", 0), 1, true);
    accept(ledger, ledger.offer(4, free, 2));
    for (const index of [0, 1]) {
      ledger.ended(index, ledger.runOf(index), "failed", 0, 3);
    }
    expect(ledger.counts).toMatchObject({ failed: 2, running: 2, cancelled: 5 });
    expect([ledger.facts.stop, ledger.status]).toEqual(["BATCH_FAILURE_LIMIT", "running"]);
  });
});
