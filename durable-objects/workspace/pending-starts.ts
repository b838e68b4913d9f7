import { Signal } from "../shared/signal.ts";

/** A run whose start is stored and has not been repeated yet. */
export interface PendingStart {
  readonly seq: number;
  readonly run_id: string;
  readonly created_at_ms: number;
  /** As in the store: 2 for an ended run that must be reminded of it. */
  readonly phase: number;
  /** 1 if the run is in the index of live runs, as runs waiting for a slot are. */
  readonly is_live: number;
}

/** A start in memory. `sinceMs` is from the current clock, which may have been set back since the run's own time. */
interface Kept extends PendingStart {
  readonly sinceMs: number;
}

/** An older start was lost, and a list must not wait for its repeats. */
const UNDER_WAY_MS = 2_000;

interface Waiter {
  readonly runs: Set<string>;
  readonly confirmed: Signal;
}

/**
 * The starts that are under way, in the order of admission: each from its submit until its run responds. Kept in
 * memory, and read from their rows when the object wakes.
 */
export class PendingStarts {
  readonly #starts = new Map<string, Kept>();
  readonly #waiters = new Set<Waiter>();

  constructor(starts: readonly PendingStart[], nowMs: number) {
    this.reset(starts, nowMs);
  }

  /** `starts` from their rows. */
  reset(starts: readonly PendingStart[], nowMs: number): void {
    this.#starts.clear();
    for (const start of starts) {
      // Creation times never decrease, so after the clock was set back they are ahead of it.
      this.#starts.set(start.run_id, { ...start, sinceMs: Math.min(start.created_at_ms, nowMs) });
    }
  }

  add(start: PendingStart, nowMs: number): void {
    this.#starts.set(start.run_id, { ...start, sinceMs: nowMs });
  }

  /** The lowest number of a start; undefined if there is none. */
  get from(): number | undefined {
    return this.#oldest()?.seq;
  }

  /** How long the oldest start has been under way, in milliseconds; undefined if there is none. */
  oldestAgeMs(nowMs: number): number | undefined {
    const oldest = this.#oldest();
    return oldest === undefined ? undefined : ageMs(oldest, nowMs);
  }

  /** Runs with a slot that are not in the index of live runs. */
  get slotsTaken(): number {
    return [...this.#starts.values()].filter((start) => holdsSlot(start)).length;
  }

  /** Starts under way for `ms` or longer, at most `limit`, oldest first. */
  underWayFor(ms: number, nowMs: number, limit: number): string[] {
    const due: string[] = [];
    for (const start of this.#starts.values()) {
      if (due.length === limit || ageMs(start, nowMs) < ms) {
        break;
      }
      due.push(start.run_id);
    }
    return due;
  }

  /** The run has ended and its start stays. */
  ended(runId: string): void {
    const start = this.#starts.get(runId);
    if (start !== undefined) {
      this.#starts.set(runId, { ...start, phase: 2 });
    }
    this.#confirm(runId);
  }

  /** The run has reported its state. */
  confirmed(runId: string): void {
    this.#starts.delete(runId);
    this.#confirm(runId);
  }

  /** The start was repeated: from now on the index of due starts has it. */
  repeated(runId: string): void {
    this.#starts.delete(runId);
  }

  /**
   * Resolves once the runs that were just admitted have reported their state. Their submits may have returned `running`
   * already, and a list by status must then include them (read your own writes). Later starts are not awaited.
   */
  async untilConfirmed(nowMs: number): Promise<void> {
    const runs = new Set<string>();
    for (const start of this.#starts.values()) {
      if (holdsSlot(start) && ageMs(start, nowMs) <= UNDER_WAY_MS) {
        runs.add(start.run_id);
      }
    }
    if (runs.size === 0) {
      return;
    }
    const waiter: Waiter = { runs, confirmed: new Signal() };
    this.#waiters.add(waiter);
    await waiter.confirmed.within(UNDER_WAY_MS);
    this.#waiters.delete(waiter);
  }

  #confirm(runId: string): void {
    for (const { runs, confirmed } of this.#waiters) {
      if (runs.delete(runId) && runs.size === 0) {
        confirmed.fire();
      }
    }
  }

  #oldest(): Kept | undefined {
    const { value } = this.#starts.values().next();
    return value;
  }
}

/** Infinity for a start from before the clock was set back: its age is unknown. */
function ageMs({ sinceMs }: Kept, nowMs: number): number {
  return sinceMs > nowMs ? Number.POSITIVE_INFINITY : nowMs - sinceMs;
}

function holdsSlot({ phase, is_live: isLive }: PendingStart): boolean {
  return phase < 2 && isLive === 0;
}
