import type { BatchCounts, BatchStatus, BatchStop } from "../../contracts/batches/batch-states.ts";
import { numberedId } from "../../platform/ids.ts";
import {
  type BatchBounds,
  type BatchChange,
  type BatchFacts,
  ITEM,
  type ItemState,
  NEW_FACTS,
  type RunEnd,
} from "./batch-facts.ts";

/** Number of states of an item. */
const STATES = Object.keys(ITEM).length;

/**
 * The state of one batch (docs/contract/batches.md): which items wait, run and have ended, and when the batch has.
 * Pure and synchronous, so that no two calls interleave; the object stores the facts and the changed items of each call
 * in one transaction.
 *
 * An item is *offered* from the moment that its admission is sent until the outcome is known, and is pending for
 * callers meanwhile. Offers are stored before they are sent: an object that wakes with offers asks for their outcomes,
 * so that a cancel between the two neither loses an accepted run nor accepts another one. Offers are numbered: the
 * workspace refuses an admission that arrives after the batch asked for its outcome.
 */
export class BatchLedger {
  readonly #bounds: BatchBounds;
  readonly #states: Uint8Array;
  /** The most that each live run can cost, by index. */
  readonly #live: Map<number, number>;
  readonly #offered: Map<number, number>;
  readonly #counts = new Int32Array(STATES);
  #facts: Omit<BatchFacts, "offered">;
  #liveMilli = 0;
  /** No item before this one is pending and not offered. */
  #from = 0;
  #changed = new Set<number>();

  /**
   * @param states the state of each item by index; the ledger changes them.
   * @param live the most that each live run can cost in milli-credits, by index, in the order of acceptance.
   */
  constructor(
    bounds: BatchBounds,
    states: Uint8Array,
    { offered, ...facts }: BatchFacts = NEW_FACTS,
    live: Iterable<readonly [number, number]> = [],
  ) {
    this.#bounds = bounds;
    this.#states = states;
    this.#facts = facts;
    this.#live = new Map(live);
    // The cost of an offer is not stored: its outcome is asked for before another item is offered.
    this.#offered = new Map(offered.map((index) => [index, 0]));
    for (const milli of this.#live.values()) {
      this.#liveMilli += milli;
    }
    for (const state of states) {
      this.#counts[state] = this.#count(state) + 1;
    }
  }

  get facts(): BatchFacts {
    return { ...this.#facts, offered: [...this.#offered.keys()] };
  }

  /** Items with a live run, in the order of their acceptance. */
  get live(): readonly number[] {
    return [...this.#live.keys()];
  }

  /** Id of the item's run of this attempt, whether it exists or not: repeats of an admission have the same one. */
  runOf(index: number): string {
    return numberedId(this.#facts.run_base, index);
  }

  get isTerminal(): boolean {
    return this.#facts.completed_at_ms !== null;
  }

  /** Whether an item waits for admission. */
  get hasWork(): boolean {
    return this.#accepts && this.#count(ITEM.pending) > this.#offered.size;
  }

  /** The sum of pending, running, completed, failed and cancelled is the total at any time. */
  get counts(): BatchCounts {
    const partial = this.#count(ITEM.partial);
    return {
      total_items: this.#states.length,
      pending: this.#count(ITEM.pending),
      running: this.#count(ITEM.running),
      completed: this.#count(ITEM.completed) + partial,
      failed: this.#count(ITEM.failed) + this.#count(ITEM.invalid),
      cancelled: this.#count(ITEM.cancelled),
      partial_success: partial,
    };
  }

  get status(): BatchStatus {
    if (!this.isTerminal) {
      return this.#facts.started_at_ms === null ? "pending" : "running";
    }
    const { total_items: total, completed } = this.counts;
    if (this.#facts.cancel_requested_at_ms !== null) {
      return "cancelled";
    }
    return completed === total ? "completed" : completed === 0 ? "failed" : "partial_success";
  }

  stateOf(index: number): ItemState {
    return (this.#states[index] ?? ITEM.pending) as ItemState;
  }

  /** Returns the items whose state changed since the last call. */
  takeChanged(): ReadonlySet<number> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /**
   * Starts the first attempt, whose runs are numbered from `runBase`. `isWaiting`: the batch stays `pending` until its
   * first item is accepted.
   */
  start(runBase: string, nowMs: number, isWaiting: boolean): BatchChange {
    if (this.#facts.attempt > 0 || this.isTerminal) {
      return "invalid_state";
    }
    this.#set({ attempt: 1, run_base: runBase, started_at_ms: isWaiting ? null : nowMs });
    this.#endIfDone(nowMs);
    return "changed";
  }

  /**
   * Offers the next items in the order of their index, at most `room`: none if the batch accepts no more. `worstOf`
   * returns the most that an item can cost, in milli-credits. Ends the attempt's acceptance if the next item cannot fit
   * into the batch's credits; while it can fit once live runs have ended, no item is offered before that.
   */
  offer(room: number, worstOf: (index: number) => number, nowMs: number): readonly number[] {
    const { max_concurrency: concurrency, max_total_milli_credits: total } = this.#bounds;
    const most = Math.min(room, concurrency - this.#live.size - this.#offered.size);
    const offered: number[] = [];
    let milli = this.#liveMilli;
    for (const worst of this.#offered.values()) {
      milli += worst;
    }
    while (this.#accepts && offered.length < most) {
      const index = this.#nextPending();
      if (index === undefined) {
        break;
      }
      const worst = worstOf(index);
      if (total !== null && worst > total - this.#facts.used_milli) {
        this.#stop("BATCH_CREDIT_LIMIT");
        this.#endIfDone(nowMs);
        break;
      }
      if (total !== null && worst > total - this.#facts.used_milli - milli) {
        break;
      }
      milli += worst;
      this.#offered.set(index, worst);
      offered.push(index);
    }
    if (offered.length > 0) {
      this.#set({ offers: this.#facts.offers + 1 });
    }
    return offered;
  }

  /** The next items that `offer` would consider, at most `count`. */
  next(count: number): readonly number[] {
    const found: number[] = [];
    for (let index = this.#from; found.length < count && index < this.#states.length; index++) {
      if (this.stateOf(index) === ITEM.pending && !this.#offered.has(index)) {
        found.push(index);
      }
    }
    return found;
  }

  /** The offered item has a run, which is live. */
  accepted(index: number, worstMilli: number, nowMs: number): void {
    if (!this.#offered.delete(index)) {
      return;
    }
    this.#set({ started_at_ms: this.#facts.started_at_ms ?? nowMs });
    this.#live.set(index, worstMilli);
    this.#liveMilli += worstMilli;
    this.#put(index, ITEM.running);
  }

  /** The offered item failed without a run. */
  refused(index: number, nowMs: number): void {
    if (!this.#offered.delete(index)) {
      return;
    }
    this.#set({ started_at_ms: this.#facts.started_at_ms ?? nowMs });
    this.#fail(index);
    this.#endIfDone(nowMs);
  }

  /** The offered item was not admitted, and waits again. */
  withdrawn(index: number, nowMs: number): void {
    if (!this.#offered.delete(index)) {
      return;
    }
    if (this.#accepts) {
      this.#from = Math.min(this.#from, index);
      return;
    }
    this.#put(index, ITEM.cancelled);
    this.#endIfDone(nowMs);
  }

  /** The run of an item has ended. False if the ledger knows that, or the item has a later run. */
  ended(index: number, runId: string, end: RunEnd, milli: number, nowMs: number): boolean {
    const worst = this.#live.get(index);
    if (worst === undefined || runId !== this.runOf(index)) {
      return false;
    }
    this.#live.delete(index);
    this.#liveMilli -= worst;
    this.#set({ used_milli: this.#facts.used_milli + milli });
    if (end === "failed") {
      this.#fail(index);
    } else {
      this.#put(index, end === "partial_success" ? ITEM.partial : ITEM[end]);
    }
    this.#endIfDone(nowMs);
    return true;
  }

  /** Cancels the items that wait. The caller cancels the live runs, whose ends end the batch. */
  cancel(nowMs: number): BatchChange {
    if (this.isTerminal) {
      return "invalid_state";
    }
    if (this.#facts.cancel_requested_at_ms !== null) {
      return "unchanged";
    }
    this.#set({ cancel_requested_at_ms: nowMs });
    this.#cancelPending();
    this.#endIfDone(nowMs);
    return "changed";
  }

  /**
   * Begins another attempt with the failed and cancelled items, and with `includePartial` those that ended in part; its
   * runs are numbered from `runBase`. Invalid items stay failed.
   */
  retry(runBase: string, nowMs: number, includePartial: boolean): BatchChange {
    const refusal = this.refusalOfRetry(includePartial);
    if (refusal !== undefined) {
      return refusal;
    }
    const again = (state: number) => isAgain(state, includePartial);
    const { attempt, used_milli, offers } = this.#facts;
    this.#facts = {
      ...NEW_FACTS,
      offers,
      attempt: attempt + 1,
      run_base: runBase,
      started_at_ms: this.#facts.started_at_ms ?? nowMs,
      used_milli,
    };
    for (const [index, state] of this.#states.entries()) {
      if (again(state)) {
        this.#put(index, ITEM.pending);
      }
    }
    this.#from = 0;
    this.#endIfDone(nowMs);
    return "changed";
  }

  /** Why `retry` would change nothing now; undefined if it would. */
  refusalOfRetry(includePartial: boolean): "invalid_state" | "no_failed_items" | undefined {
    if (!this.isTerminal) {
      return "invalid_state";
    }
    const isAny =
      this.#count(ITEM.invalid) > 0 || this.#states.some((state) => isAgain(state, includePartial));
    return isAny ? undefined : "no_failed_items";
  }

  get #accepts(): boolean {
    const { attempt, stop, cancel_requested_at_ms: cancelled } = this.#facts;
    return attempt > 0 && stop === null && cancelled === null && !this.isTerminal;
  }

  #count(state: number): number {
    return this.#counts[state] ?? 0;
  }

  #set(facts: Partial<Omit<BatchFacts, "offered">>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  #put(index: number, state: ItemState): void {
    const before = this.stateOf(index);
    this.#counts[before] = this.#count(before) - 1;
    this.#counts[state] = this.#count(state) + 1;
    this.#states[index] = state;
    this.#changed.add(index);
  }

  #nextPending(): number | undefined {
    for (; this.#from < this.#states.length; this.#from++) {
      if (this.stateOf(this.#from) === ITEM.pending && !this.#offered.has(this.#from)) {
        return this.#from;
      }
    }
    return undefined;
  }

  #fail(index: number): void {
    this.#put(index, ITEM.failed);
    const failed = this.#facts.failed_now + 1;
    this.#set({ failed_now: failed });
    const { max_failed_items: max } = this.#bounds;
    if (max !== null && failed > max && this.#accepts) {
      this.#stop("BATCH_FAILURE_LIMIT");
    }
  }

  #stop(stop: BatchStop): void {
    this.#set({ stop });
    this.#cancelPending();
  }

  /** Offered items follow with their outcome. */
  #cancelPending(): void {
    for (let index = this.#nextPending(); index !== undefined; index = this.#nextPending()) {
      this.#put(index, ITEM.cancelled);
    }
  }

  #endIfDone(nowMs: number): void {
    const isOver = this.#facts.attempt > 0 || this.#facts.cancel_requested_at_ms !== null;
    if (isOver && this.#count(ITEM.pending) === 0 && this.#live.size === 0) {
      this.#set({ completed_at_ms: nowMs });
    }
  }
}

function isAgain(state: number, includePartial: boolean): boolean {
  return (
    state === ITEM.failed || state === ITEM.cancelled || (includePartial && state === ITEM.partial)
  );
}
