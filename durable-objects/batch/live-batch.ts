import type {
  BatchMoment,
  BatchRecord,
  BatchState,
  RunEndRow,
} from "../../src/contracts/batches/batch-object-api.ts";
import type { BatchStatus } from "../../src/contracts/batches/batch-states.ts";
import {
  type BatchChange,
  ITEM,
  type ItemState,
  type RunEnd,
} from "../../src/domain/batches/batch-facts.ts";
import { BatchLedger } from "../../src/domain/batches/batch-ledger.ts";
import { newId } from "../../src/platform/ids.ts";
import type { BatchEnd, BatchMark, BatchStore, ItemChanges, StoredBatch } from "./batch-store.ts";

/** No limit: more than a batch has items. */
const NO_CONCURRENCY = 1_000_000;
/** Changes of status that are kept for streams: they are one row, which each commit writes, and a batch can be retried forever. */
const MARKS_MAX = 100;
/** Messages of items are for people; those of runs can be read at the run. */
const MESSAGE_CHARS_MAX = 1_000;

/** States of items that have an event of their end. */
const ENDED: ReadonlySet<number> = new Set([
  ITEM.completed,
  ITEM.partial,
  ITEM.failed,
  ITEM.cancelled,
]);

/** The end of an item, as its event shows it. */
interface End {
  readonly used: number;
  readonly code: string | null;
  readonly message: string | null;
  readonly outputs?: string | null;
}

/** A batch in memory: its ledger, and the rows of each change, which are stored in one transaction with it. */
export class LiveBatch {
  readonly #created: BatchRecord;
  readonly ledger: BatchLedger;
  readonly #store: BatchStore;
  readonly #worst: Float64Array;
  /** Items whose largest cost is not stored yet. */
  #costs = new Set<number>();
  #seq: number;
  #marks: readonly BatchMark[];
  #listed: BatchStatus | null;
  #events: readonly BatchEnd[];
  /** Ended items in the order of their events. */
  #ends: { seq: number; index: number }[];
  readonly #details = new Map<number, End>();
  /** Outputs of runs whose ends are not stored yet, by the run. Lost with the memory: an export asks such runs. */
  readonly #outputs = new Map<string, string>();
  #status: BatchStatus;
  #attempt: number;
  /** Called after each commit that made an event. */
  onEvents: () => void = () => undefined;
  /** Called if a change could not be stored, which memory is ahead of then. */
  readonly #onFault: () => void;

  constructor(store: BatchStore, record: BatchRecord, onFault: () => void) {
    this.#onFault = onFault;
    const { facts, seq, marks, listed, events = [] } = store.stored();
    const { states, worst } = store.states();
    this.#created = record;
    this.#store = store;
    this.#worst = worst;
    this.#seq = seq;
    this.#marks = marks;
    this.#listed = listed;
    this.#events = events;
    this.#ends = states.some((state) => ENDED.has(state)) ? store.endsInOrder() : [];
    const live: (readonly [index: number, worst: number])[] = [];
    for (let index = states.indexOf(ITEM.running); index !== -1;) {
      live.push([index, worst[index] ?? 0]);
      index = states.indexOf(ITEM.running, index + 1);
    }
    const { max_concurrency, max_failed_items, max_total_milli_credits } = record;
    this.ledger = new BatchLedger(
      {
        max_concurrency: max_concurrency ?? NO_CONCURRENCY,
        max_failed_items,
        max_total_milli_credits,
      },
      states,
      facts,
      live,
    );
    this.#status = this.ledger.status;
    this.#attempt = facts.attempt;
  }

  get record(): BatchRecord {
    return this.#store.record ?? this.#created;
  }

  get state(): BatchState {
    return { record: this.record, ...this.#moment };
  }

  get #moment(): BatchMoment {
    const { ledger } = this;
    const { facts } = ledger;
    return {
      status: ledger.status,
      counts: ledger.counts,
      attempt: facts.attempt,
      used_milli_credits: facts.used_milli,
      stop: facts.stop,
      started_at_ms: facts.started_at_ms,
      completed_at_ms: facts.completed_at_ms,
      cancel_requested_at_ms: facts.cancel_requested_at_ms,
    };
  }

  /** Ends of attempts that webhook endpoints have not heard of, oldest first. */
  get events(): readonly BatchEnd[] {
    return this.#events;
  }

  get isListed(): boolean {
    return this.#listed === this.ledger.status;
  }

  /** The workspace lists the batch with an earlier status. False while it is asked to enter the batch, or for a retry. */
  get isListedAsBefore(): boolean {
    return this.#listed !== null && !this.isListed;
  }

  /** Items that could be accepted now if there were slots for them. */
  get wanted(): number {
    return this.wantedAfter(0);
  }

  /** The same once this many live items have ended. */
  wantedAfter(ends: number): number {
    const { ledger, record } = this;
    const { pending } = ledger.counts;
    const free = (record.max_concurrency ?? NO_CONCURRENCY) - ledger.live.length + ends;
    return ledger.hasWork ? Math.max(0, Math.min(pending, free)) : 0;
  }

  /** Number of the last event. */
  get seq(): number {
    return this.#seq;
  }

  get marks(): readonly BatchMark[] {
    return this.#marks;
  }

  /** Items whose ends are the events after `seq`, at most `limit`, with the number of each event. */
  endsAfter(seq: number, limit: number): readonly { seq: number; index: number }[] {
    let low = 0;
    for (let high = this.#ends.length; low < high;) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle]?.seq ?? 0) > seq) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return this.#ends.slice(low, low + limit);
  }

  start(isWaiting: boolean): BatchChange {
    const nowMs = Date.now();
    return this.#change(() => this.ledger.start(newId("run", nowMs), nowMs, isWaiting));
  }

  cancel(): BatchChange {
    return this.#change(() => this.ledger.cancel(Date.now()));
  }

  /** Begins another attempt. Items that wait again have no end that an event could show. */
  retry(includePartial: boolean): BatchChange {
    const nowMs = Date.now();
    return this.#change(() => {
      const change = this.ledger.retry(newId("run", nowMs), nowMs, includePartial);
      if (change === "changed") {
        this.#marks = this.#marks.filter(({ event }) => event !== "done");
        this.#ends = this.#ends.filter(({ index }) => isEnded(this.ledger.stateOf(index)));
      }
      return change;
    });
  }

  /** Offers items for which there is room; they are stored as offered before the call returns. */
  offer(room: number): readonly number[] {
    return this.#change(() =>
      this.ledger.offer(room, (index) => this.#worst[index] ?? 0, Date.now()),
    );
  }

  /** The next items that an offer for this room may have. */
  next(room: number): readonly number[] {
    return this.ledger.next(Math.min(room, this.wanted));
  }

  /** A retry of the item's run costs at most this, in milli-credits; stored with the offer of the item. */
  costsAtMost(index: number, milli: number): void {
    if (this.#worst[index] !== milli) {
      this.#worst[index] = milli;
      this.#costs.add(index);
    }
  }

  /** The outcomes of offers, in one transaction. */
  settleOffers(
    outcomes: readonly {
      readonly index: number;
      readonly kind: "accepted" | "withdrawn" | "refused";
      readonly code?: string;
      readonly message?: string;
    }[],
  ): void {
    const nowMs = Date.now();
    this.#change(() => {
      for (const { index, kind, code = "insufficient_credits", message = "" } of outcomes) {
        if (kind === "accepted") {
          this.ledger.accepted(index, this.#worst[index] ?? 0, nowMs);
        } else if (kind === "refused") {
          this.#details.set(index, { used: 0, code, message });
          this.ledger.refused(index, nowMs);
        } else {
          this.ledger.withdrawn(index, nowMs);
        }
      }
    });
  }

  /** The outputs of a live run, which are stored with its end: a `RunExportPage` as JSON. */
  keepOutputs(runId: string, outputs: string): void {
    const index = this.#indexOf(runId);
    // The start of a run of an earlier attempt can return late, and no end would take its outputs from memory.
    if (this.ledger.stateOf(index) === ITEM.running && this.ledger.runOf(index) === runId) {
      this.#outputs.set(runId, outputs);
    }
  }

  /** Runs of the batch have ended; those that the ledger does not wait for have no effect. */
  runsEnded(ends: readonly RunEndRow[]): void {
    const nowMs = Date.now();
    this.#change(() => {
      for (const end of ends) {
        const index = this.#indexOf(end.run_id);
        const { credits_used_milli: used, error_code: code, error_message } = end;
        const message = error_message?.slice(0, MESSAGE_CHARS_MAX).toWellFormed() ?? null;
        // The status of a run that has ended.
        if (this.ledger.ended(index, end.run_id, end.status as RunEnd, used, nowMs)) {
          const outputs = this.#outputs.get(end.run_id) ?? null;
          this.#details.set(index, { used, code, message, outputs });
        }
        this.#outputs.delete(end.run_id);
      }
    });
  }

  /** Every webhook endpoint has the event. */
  announced(eventId: string): void {
    this.#events = this.#events.filter(({ event_id: id }) => id !== eventId);
    this.#commit(nothing());
  }

  /** The workspace lists the batch with this status; null if that is not known. */
  listed(status: BatchStatus | null): void {
    this.#listed = status;
    this.#commit(nothing());
  }

  #indexOf(runId: string): number {
    const base = Number.parseInt(this.ledger.facts.run_base.slice(-4), 16);
    return (Number.parseInt(runId.slice(-4), 16) - base + 65_536) % 65_536;
  }

  /** Runs a change of the ledger, and stores it. */
  #change<T>(change: () => T): T {
    const before = this.ledger.facts;
    const answer = change();
    const changes = this.#changes();
    const isSame = JSON.stringify(before) === JSON.stringify(this.ledger.facts);
    const { ended, accepted, again, costs } = changes;
    if (!isSame || ended.length + accepted.length + again.length + costs.length > 0) {
      this.#commit(changes);
    }
    return answer;
  }

  #changes(): ItemChanges {
    const accepted: { index: number; run: string }[] = [];
    const ended: ItemChanges["ended"][number][] = [];
    const again: number[] = [];
    for (const index of this.ledger.takeChanged()) {
      const state = this.ledger.stateOf(index);
      if (state === ITEM.running) {
        accepted.push({ index, run: this.ledger.runOf(index) });
      } else if (state === ITEM.pending) {
        again.push(index);
      } else {
        const { used, code, message, outputs = null } = this.#details.get(index) ?? NO_DETAILS;
        const seq = ++this.#seq;
        ended.push({ index, state, used, code, message, outputs, seq });
        this.#ends.push({ seq, index });
      }
    }
    this.#details.clear();
    const costs = [...this.#costs].map((index) => [index, this.#worst[index] ?? 0] as const);
    this.#costs = new Set();
    return { accepted, ended, again, costs };
  }

  #commit(changes: ItemChanges): void {
    const { status } = this.ledger;
    const { attempt } = this.ledger.facts;
    const nowMs = Date.now();
    // A retry can end at once, with the same status: one of invalid items only.
    if (status !== this.#status || (this.ledger.isTerminal && attempt !== this.#attempt)) {
      this.#status = status;
      this.#attempt = attempt;
      this.#mark("status", status, nowMs);
      if (this.ledger.isTerminal) {
        this.#mark("done", status, nowMs);
        // A batch that is cancelled before its first start has had no attempt that could end.
        if (attempt > 0) {
          this.#events = [
            ...this.#events,
            { event_id: newId("event", nowMs), moment: this.#moment },
          ];
        }
      }
    }
    const stored: StoredBatch = {
      facts: this.ledger.facts,
      seq: this.#seq,
      marks: this.#marks,
      listed: this.#listed,
      events: this.#events,
    };
    try {
      this.#store.commit(stored, changes, nowMs);
    } catch (error) {
      this.#onFault();
      throw error;
    }
    this.onEvents();
  }

  #mark(event: BatchMark["event"], status: BatchStatus, atMs: number): void {
    const marks = [...this.#marks, { seq: ++this.#seq, event, status, at_ms: atMs }];
    this.#marks = marks.slice(-MARKS_MAX);
  }
}

function isEnded(state: ItemState): boolean {
  return state !== ITEM.pending && state !== ITEM.running;
}

const NO_DETAILS: End = { used: 0, code: null, message: null };

function nothing(): ItemChanges {
  return { accepted: [], ended: [], again: [], costs: [] };
}
