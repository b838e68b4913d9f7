/** A batch that has not asked for this long is no longer counted on: its object asks at least that often. */
const WAITING_MS = 60_000;

interface Waiting {
  /** Items that it could accept besides those that are live. */
  readonly wanted: number;
  readonly seenMs: number;
}

/** Slots of a plan that all batches of a workspace may hold together, of `max` executions at once. */
export function sharedSlots(max: number): number {
  return Math.max(1, Math.floor((max * 3) / 4));
}

/**
 * How the batches of one workspace share the slots of its plan (docs/contract/batches.md#pacing): a free slot goes to
 * the batch with work that holds the fewest, and among equals to the one that was served longest ago. Pure and in memory.
 */
export class BatchShares {
  readonly #live = new Map<string, number>();
  /** In the order in which they were served. */
  readonly #waiting = new Map<string, Waiting>();
  #total = 0;

  /** Replaces everything by the live runs of each batch; batches with work ask again. */
  reset(live: Iterable<readonly [string, number]>): void {
    this.#live.clear();
    this.#waiting.clear();
    this.#total = 0;
    for (const [batch, count] of live) {
      this.#live.set(batch, count);
      this.#total += count;
    }
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether a batch other than this one waits. */
  hasWaitingBeside(batch: string): boolean {
    return this.#waiting.size > (this.#waiting.has(batch) ? 1 : 0);
  }

  /** A batch states how many items it could accept now; 0 if it has no work. */
  wants(batch: string, wanted: number, nowMs: number): void {
    if (wanted === 0) {
      this.#waiting.delete(batch);
    } else {
      // An entry that exists keeps its place.
      this.#waiting.set(batch, { wanted, seenMs: nowMs });
    }
  }

  /** A run of the batch was admitted. */
  admitted(batch: string): void {
    this.#live.set(batch, this.#liveOf(batch) + 1);
    this.#total++;
    const waiting = this.#waiting.get(batch);
    this.#waiting.delete(batch);
    if (waiting !== undefined && waiting.wanted > 1) {
      this.#waiting.set(batch, { ...waiting, wanted: waiting.wanted - 1 });
    }
  }

  /** A run of the batch has ended. */
  ended(batch: string): void {
    const live = this.#liveOf(batch);
    if (live > 0) {
      this.#total--;
    }
    if (live > 1) {
      this.#live.set(batch, live - 1);
    } else {
      this.#live.delete(batch);
    }
  }

  /**
   * Returns how many of the free slots each waiting batch may take now. `max` is the plan's concurrency, `free` its
   * slots without a run.
   */
  rooms(max: number, free: number, nowMs: number): ReadonlyMap<string, number> {
    const rooms = new Map<string, number>();
    const waiting: { batch: string; held: number; wanted: number }[] = [];
    for (const [batch, { wanted, seenMs }] of this.#waiting) {
      if (Math.abs(nowMs - seenMs) < WAITING_MS) {
        waiting.push({ batch, held: this.#liveOf(batch), wanted });
      } else {
        this.#waiting.delete(batch);
      }
    }
    for (let left = Math.min(free, sharedSlots(max) - this.#total); left > 0; left--) {
      let next: (typeof waiting)[number] | undefined;
      for (const one of waiting) {
        if (one.wanted > 0 && (next === undefined || one.held < next.held)) {
          next = one;
        }
      }
      if (next === undefined) {
        break;
      }
      next.held++;
      next.wanted--;
      rooms.set(next.batch, (rooms.get(next.batch) ?? 0) + 1);
    }
    return rooms;
  }

  #liveOf(batch: string): number {
    return this.#live.get(batch) ?? 0;
  }
}
