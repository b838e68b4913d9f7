import type { BatchBounds, RunEnd } from "../../../../src/domain/batches/batch-ledger.ts";

interface Item {
  state: "pending" | "running" | "completed" | "partial" | "failed" | "cancelled" | "invalid";
  isOffered: boolean;
  worst: number;
}

/** What BatchLedger must do, as plainly as possible: every figure is counted from the items whenever it is asked for. */
export class BatchReference {
  readonly items: Item[];
  attempt = 0;
  stop: string | null = null;
  hasCancel = false;
  used = 0;
  failedNow = 0;
  isOver = false;
  readonly #bounds: BatchBounds;

  constructor(bounds: BatchBounds, invalid: readonly boolean[]) {
    this.#bounds = bounds;
    this.items = invalid.map((is) => ({
      state: is ? "invalid" : "pending",
      isOffered: false,
      worst: 0,
    }));
  }

  count(...states: Item["state"][]): number {
    return this.items.filter(({ state }) => states.includes(state)).length;
  }
  get accepts(): boolean {
    return this.attempt > 0 && !this.isOver && this.stop === null && !this.hasCancel;
  }
  start(): void {
    this.attempt = 1;
    this.#settle();
  }
  offer(room: number, worstOf: (index: number) => number): number[] {
    const offered: number[] = [];
    for (const [index, item] of this.items.entries()) {
      const busy = this.items.filter(({ state, isOffered }) => isOffered || state === "running");
      if (offered.length >= room || busy.length >= this.#bounds.max_concurrency || !this.accepts) {
        break;
      }
      if (item.state !== "pending" || item.isOffered) {
        continue;
      }
      const left = (this.#bounds.max_total_milli_credits ?? Infinity) - this.used;
      if (worstOf(index) > left) {
        this.stop = "BATCH_CREDIT_LIMIT";
        this.#settle();
      } else if (worstOf(index) > left - busy.reduce((sum, { worst }) => sum + worst, 0)) {
        break;
      } else {
        Object.assign(item, { isOffered: true, worst: worstOf(index) });
        offered.push(index);
      }
    }
    return offered;
  }
  outcome(index: number, state: Item["state"]): void {
    Object.assign(this.items[index] ?? {}, { isOffered: false, state });
    this.#failed(state);
    this.#settle();
  }
  ended(index: number, end: RunEnd, milli: number): void {
    this.used += milli;
    this.outcome(index, end === "partial_success" ? "partial" : end);
  }
  cancel(): void {
    this.hasCancel = true;
    this.#settle();
  }
  retry(includePartial: boolean): void {
    Object.assign(this, { stop: null, hasCancel: false, failedNow: 0, isOver: false });
    this.attempt++;
    for (const item of this.items) {
      const isAgain = item.state === "failed" || item.state === "cancelled";
      item.state = isAgain || (includePartial && item.state === "partial") ? "pending" : item.state;
    }
    this.#settle();
  }
  #failed(state: Item["state"]): void {
    this.failedNow += state === "failed" ? 1 : 0;
    const max = this.#bounds.max_failed_items ?? Infinity;
    if (state === "failed" && this.failedNow > max && this.accepts) {
      this.stop = "BATCH_FAILURE_LIMIT";
    }
  }
  #settle(): void {
    for (const item of this.items) {
      const waits = item.state === "pending" && !item.isOffered;
      item.state = waits && (this.stop !== null || this.hasCancel) ? "cancelled" : item.state;
    }
    const isDone = this.count("pending", "running") === 0;
    this.isOver = (this.attempt > 0 || this.hasCancel) && isDone;
  }
}
