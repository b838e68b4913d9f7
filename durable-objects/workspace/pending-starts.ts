/** A run whose start is kept and has not been repeated yet. */
export interface PendingStart {
  readonly seq: number;
  readonly run_id: string;
  readonly created_at_ms: number;
  /** As in the store: 2 for one that has ended and must be reminded of it. */
  readonly phase: number;
  /** 1 where the index of live runs has it, as it has those that wait for a slot. */
  readonly is_live: number;
}

/** A start that is older has not come through, and a list must not wait for its repeats. */
const UNDER_WAY_MS = 2_000;

interface Waiter {
  readonly runs: Set<string>;
  readonly wake: () => void;
}

/**
 * The starts that are under way, in the order of admission: of each submit for the moment until its
 * run is heard of. In memory, and read from their rows when the object wakes.
 */
export class PendingStarts {
  readonly #starts = new Map<string, PendingStart>();
  readonly #waiters = new Set<Waiter>();

  constructor(starts: readonly PendingStart[]) {
    this.reset(starts);
  }

  reset(starts: readonly PendingStart[]): void {
    this.#starts.clear();
    for (const start of starts) {
      this.#starts.set(start.run_id, start);
    }
  }

  add(start: PendingStart): void {
    this.#starts.set(start.run_id, start);
  }

  /** The lowest number of one; undefined when there is none. */
  get from(): number | undefined {
    return this.#oldest()?.seq;
  }

  get oldestMs(): number | undefined {
    return this.#oldest()?.created_at_ms;
  }

  /** Runs with a slot that the index of live runs does not have. */
  get slotsTaken(): number {
    return [...this.#starts.values()].filter((start) => holdsSlot(start)).length;
  }

  /** Those admitted by `untilMs`, at most `limit`, oldest first. */
  admittedBy(untilMs: number, limit: number): string[] {
    const due: string[] = [];
    for (const { run_id: runId, created_at_ms: createdAtMs } of this.#starts.values()) {
      if (due.length === limit || createdAtMs > untilMs) {
        break;
      }
      due.push(runId);
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

  /** The run has said how it stands. */
  confirmed(runId: string): void {
    this.#starts.delete(runId);
    this.#confirm(runId);
  }

  /** Its start was repeated: from now on the index of due starts has it. */
  repeated(runId: string): void {
    this.#starts.delete(runId);
  }

  /**
   * Resolves once the runs that were just admitted have said how they stand. Their submits may have
   * been answered `running` already, and a list by status must then find them there: it reads its
   * caller's own writes. Starts that come while it waits are not waited for.
   */
  async untilConfirmed(nowMs: number): Promise<void> {
    const runs = new Set<string>();
    for (const start of this.#starts.values()) {
      if (holdsSlot(start) && start.created_at_ms >= nowMs - UNDER_WAY_MS) {
        runs.add(start.run_id);
      }
    }
    if (runs.size === 0) {
      return;
    }
    await new Promise<void>((resolve) => {
      const waiter = {
        runs,
        wake: () => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve();
        },
      };
      const timer = setTimeout(waiter.wake, UNDER_WAY_MS);
      this.#waiters.add(waiter);
    });
  }

  #confirm(runId: string): void {
    for (const { runs, wake } of this.#waiters) {
      if (runs.delete(runId) && runs.size === 0) {
        wake();
      }
    }
  }

  #oldest(): PendingStart | undefined {
    const { value } = this.#starts.values().next();
    return value;
  }
}

function holdsSlot({ phase, is_live: isLive }: PendingStart): boolean {
  return phase < 2 && isLive === 0;
}
