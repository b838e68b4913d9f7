import {
  type DivisibleLease,
  isolateMemory,
  type KeptMemory,
  type MemoryBudget,
  type MemoryHolder,
  type MemoryLease,
  type MemoryTicket,
} from "./memory-budget.ts";

/** Delays between polls: short at first, because most memory is released soon. */
const POLL_AGAIN_MS = [1, 2, 5, 10, 20] as const;

/** Interval of a holder's sign of life, well below the time after which it counts as dead. */
const BEAT_MS = 5_000;

interface Waiter {
  readonly ticket: MemoryTicket;
  readonly grant: (lease: DivisibleLease | undefined) => void;
}

/** Memory for work that does not know its size in advance. */
export interface MemorySource {
  /** Takes the bytes at once or after a wait. Throws if there is no room in time. */
  take(bytes: number): Promise<MemoryLease>;
  /** Takes the bytes if there is room now; undefined otherwise. */
  takeNow(bytes: number): MemoryLease | undefined;
}

/** A place in the queue of one gate. */
export interface MemoryWait {
  /** The memory when there is room; undefined if the place was left before. */
  readonly granted: Promise<DivisibleLease | undefined>;
  /**
   * Leaves the queue at once. Memory that was granted before must still be released by the caller.
   */
  readonly leave: () => void;
}

/**
 * Takes memory of the isolate's budget for one object or one call, and waits if there is none. It
 * has its own timers, because an object must not await a promise of another object.
 */
export class MemoryGate {
  readonly #budget: MemoryBudget;
  readonly #waiting: Waiter[] = [];
  #holder: MemoryHolder | undefined;
  #leases = 0;
  #isPolling = false;
  #beat: ReturnType<typeof setTimeout> | undefined;

  constructor(budget: MemoryBudget = isolateMemory) {
    this.#budget = budget;
  }

  /** Undefined at once if there is no room now and `take` would wait. */
  takeNow(bytes: number): DivisibleLease | undefined {
    const ticket = this.#budget.join(this.#own(), bytes);
    const lease = this.#waiting.length === 0 ? this.#try(ticket) : undefined;
    if (lease === undefined) {
      this.#budget.leave(ticket);
    }
    return lease;
  }

  /** Counts data that is there already, whether or not there is room. */
  takeAnyway(bytes: number): DivisibleLease {
    return this.#counted(this.#budget.takeAnyway(this.#own(), bytes));
  }

  /** Counts kept memory, as `MemoryBudget.keep` does. */
  keep(bytes: number, drop: () => void): KeptMemory {
    return this.#budget.keep(bytes, drop);
  }

  /** Resolves with a lease on this many bytes, held until it is released. */
  take(bytes: number): Promise<MemoryLease> {
    // No other code has the ticket, so the place cannot be left.
    return this.wait(bytes).granted as Promise<MemoryLease>;
  }

  /** Like `take`, for a caller that may stop waiting. */
  wait(bytes: number): MemoryWait {
    const ticket = this.#budget.join(this.#own(), bytes);
    const { promise, resolve } = Promise.withResolvers<DivisibleLease | undefined>();
    const waiter: Waiter = { ticket, grant: resolve };
    this.#waiting.push(waiter);
    this.#grant();
    if (this.#waiting.length > 0 && !this.#isPolling) {
      void this.#poll();
    }
    return {
      granted: promise,
      leave: () => {
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) {
          this.#waiting.splice(at, 1);
          this.#budget.leave(ticket);
          resolve(undefined);
        }
      },
    };
  }

  /** Waits for at most this many milliseconds; undefined if there was no room in that time. */
  async takeWithin(bytes: number, ms: number): Promise<MemoryLease | undefined> {
    const wait = this.wait(bytes);
    const timer = setTimeout(wait.leave, ms);
    try {
      return await wait.granted;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs the work with this many bytes, and releases them however it ends. */
  async use<T>(bytes: number, work: (lease: MemoryLease) => Promise<T>): Promise<T> {
    const lease = await this.take(bytes);
    try {
      return await work(lease);
    } finally {
      lease.release();
    }
  }

  #own(): MemoryHolder {
    return (this.#holder ??= this.#budget.holder());
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    for (let asked = 0; this.#waiting.length > 0; asked++) {
      const ms = POLL_AGAIN_MS[Math.min(asked, POLL_AGAIN_MS.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (this.#grant() > 0) {
        asked = 0;
      }
    }
    this.#isPolling = false;
  }

  /** Grants memory to the waiters that fit, in order; returns how many that were. */
  #grant(): number {
    let granted = 0;
    for (let at = 0; at < this.#waiting.length;) {
      const waiter = this.#waiting[at];
      const lease = waiter === undefined ? undefined : this.#try(waiter.ticket);
      if (waiter === undefined || lease === undefined) {
        at++;
      } else {
        this.#waiting.splice(at, 1);
        waiter.grant(lease);
        granted++;
      }
    }
    return granted;
  }

  #try(ticket: MemoryTicket): DivisibleLease | undefined {
    const lease = this.#budget.tryTake(ticket, Date.now());
    if (lease === undefined) {
      return undefined;
    }
    return this.#counted(lease);
  }

  /** The budget's lease, at whose end those that wait are asked again. */
  #counted(lease: DivisibleLease): DivisibleLease {
    this.#leases++;
    this.#beat ??= setTimeout(this.#sayAlive, BEAT_MS);
    let isOver = false;
    return {
      get bytes() {
        return lease.bytes;
      },
      shrink: (bytes) => {
        lease.shrink(bytes);
        this.#grant();
      },
      release: () => {
        if (isOver) {
          return;
        }
        isOver = true;
        lease.release();
        this.#leases--;
        if (this.#leases === 0) {
          clearTimeout(this.#beat);
          this.#beat = undefined;
        }
        this.#grant();
      },
      split: (bytes) => {
        const part = isOver ? undefined : lease.split(bytes);
        return part && this.#counted(part);
      },
    };
  }

  readonly #sayAlive = (): void => {
    this.#budget.beat(this.#own());
    this.#beat = setTimeout(this.#sayAlive, BEAT_MS);
  };
}
