import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import {
  type BatchBounds,
  ITEM,
  type ItemState,
  type RunEnd,
} from "../../../../src/domain/batches/batch-facts.ts";
import { BatchLedger } from "../../../../src/domain/batches/batch-ledger.ts";
import { newId } from "../../../../src/platform/ids.ts";
import type { SeededRandom } from "../../../simulation/seeded-random.ts";
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

/** A matcher for each of a hundred thousand steps takes longer than the steps. */
function same(actual: object, expected: object): void {
  if (!isDeepStrictEqual(actual, expected)) {
    expect(actual).toEqual(expected);
  }
}

/** A run that the workspace has admitted. */
interface Run {
  readonly index: number;
  end: { readonly end: RunEnd; readonly milli: number } | null;
}

/** A batch, the workspace that admits its runs, and messages between them that are lost, late or repeated. */
export class BatchWorld {
  readonly #random: SeededRandom;
  readonly #Ledger: typeof BatchLedger;
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
  /** What was charged, and the number of the last offer, which never fall. */
  #before: readonly [number, number] = [0, 0];
  #made = 0;
  /** The last offer of which the batch asked for the outcome. */
  #settled = 0;

  /** @param Ledger the one to compare; another one has a planted fault. */
  constructor(random: SeededRandom, Ledger: typeof BatchLedger = BatchLedger) {
    this.#random = random;
    this.#Ledger = Ledger;
    const total = random.int(1, random.chance(0.1) ? 40 : 10);
    this.#bounds = {
      max_concurrency: random.int(1, 6),
      max_failed_items: random.chance(0.5) ? random.int(0, 3) : null,
      max_total_milli_credits: random.chance(0.5) ? random.int(1, 60) : null,
    };
    this.#worst = Array.from({ length: total }, () => random.int(0, 9));
    // A batch without any valid item is not created.
    const valid = random.below(total);
    this.#invalid = this.#worst.map((_, index) => random.chance(0.1) && index !== valid);
    this.#ledger = new Ledger(this.#bounds, this.#initialStates());
    const most = {
      live: this.#bounds.max_concurrency,
      failed: this.#bounds.max_failed_items ?? Infinity,
      milli: this.#bounds.max_total_milli_credits ?? Infinity,
    };
    this.#reference = new BatchReference(most, this.#invalid);
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
    for (let round = 0; !this.isTerminal && this.#reference.facts.attempt > 0; round++) {
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
    const isRefused = this.#reference.facts.attempt > 0 || this.#reference.isOver;
    const answer = this.#ledger.start(this.#newBase(), 1, this.#random.chance(0.5));
    expect(answer).toBe(isRefused ? "invalid_state" : "changed");
    if (!isRefused) {
      this.#reference.begin();
    }
  }

  cancel(): void {
    if (this.#random.chance(0.8)) {
      return;
    }
    const { isOver, facts } = this.#reference;
    const expected = isOver ? "invalid_state" : facts.hasCancel ? "unchanged" : "changed";
    expect(this.#ledger.cancel(1)).toBe(expected);
    if (expected === "changed") {
      facts.hasCancel = true;
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
      this.#reference.begin(
        "failed",
        "cancelled",
        ...(includesPartial ? ["partial" as const] : []),
      );
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
    this.#ledger = new this.#Ledger(this.#bounds, states, facts as BatchLedger["facts"], live);
  }

  topUp(): void {
    this.#balance += this.#random.int(0, 30);
  }

  /** Offers items, and learns the outcomes; with the chance `lost` these are lost with the object. */
  offer(lost = 0.2): void {
    this.#settled = this.#ledger.facts.offers;
    this.#decide(this.#ledger.facts.offered);
    const room = this.#random.int(0, 8);
    const offered = this.#ledger.offer(room, (index) => this.#worstOf(index), 1);
    expect(offered).toEqual(this.#reference.offer(room, this.#worst));
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
      if (isKnown || (this.#reference.isOpen && this.#random.chance(0.8) && this.#admit(index))) {
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
      this.#reference.states[run.index] === "running" && id === this.#ledger.runOf(run.index);
    const { end, milli } = run.end;
    expect(this.#ledger.ended(run.index, id, end, milli, 1)).toBe(isFirst);
    if (isFirst) {
      const state = end === "partial_success" ? "partial" : end;
      this.#reference.outcome(run.index, state, milli);
    }
  }

  #check(): void {
    const reference = this.#reference;
    const ledger = this.#ledger;
    const { counts, facts, isTerminal } = ledger;
    const { attempt, stop, used } = reference.facts;
    const { pending, running, completed, failed, cancelled } = counts;
    const offered = [...reference.states.keys()].filter((at) => reference.states[at] === "offered");
    const states = reference.states.map((state) => (state === "offered" ? "pending" : state));
    const live = [...this.#runs].filter(([, run]) => run.end === null);
    same(
      {
        counts,
        sum: pending + running + completed + failed + cancelled,
        facts: [facts.attempt, facts.stop, facts.used_milli, isTerminal],
        offered: facts.offered,
        states: states.map((_, index) => NAMES.get(ledger.stateOf(index))),
        // Each live run is known, unless the outcome of its admission was lost.
        live: live.filter(
          ([id, { index }]) =>
            facts.offered.length > 0 ||
            (id === ledger.runOf(index) && ledger.stateOf(index) === ITEM.running),
        ),
      },
      {
        counts: {
          total_items: this.#worst.length,
          pending: reference.count("pending", "offered"),
          running: reference.count("running"),
          completed: reference.count("completed", "partial"),
          failed: reference.count("failed", "invalid"),
          cancelled: reference.count("cancelled"),
          partial_success: reference.count("partial"),
        },
        sum: this.#worst.length,
        facts: [attempt, stop, used, reference.isOver],
        offered,
        states,
        live,
      },
    );
    const [usedBefore, offersBefore] = this.#before;
    expect(facts.used_milli >= usedBefore && facts.offers >= offersBefore).toBe(true);
    this.#before = [facts.used_milli, facts.offers];
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
