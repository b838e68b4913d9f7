import { ListenedTime } from "./listened-time.ts";

/**
 * The memory of one isolate, shared by all large users in it: tasks of every executor object, font
 * checks, parts of archives, wasm instances, caches. The platform kills an isolate that exceeds 128
 * MB, with every object in it.
 */

const MB = 1024 * 1024;

/**
 * Maximum total of all holders. The rest of the platform's 128 MB is the code and the heap at rest
 * (some 20 MB in a Worker with much wasm), and small allocations that are not counted.
 */
export const WORK_BYTES_MAX = 76 * MB;

/** After this many passes a waiter goes next, so that small requests cannot starve a large one. */
const PASSES_MAX = 64;

/** A holder without a sign of life in so much listened time died with its object. */
const SILENT_MS = 30_000;

/** Memory in use. The holder must release it on every path. */
export interface MemoryLease {
  readonly bytes: number;
  /** Reduces the lease to at most this many bytes. */
  shrink(bytes: number): void;
  release(): void;
}

/** Memory of which a part may be handed on, which nobody else can take meanwhile. */
export interface DivisibleLease extends MemoryLease {
  /** So many of the bytes as a lease of their own; undefined where there are fewer. */
  split(bytes: number): DivisibleLease | undefined;
}

/** Large memory that is kept for later use, and dropped when its room is needed. */
export interface KeptMemory {
  /** Sets its current size, and marks it as just used. */
  resize(bytes: number): void;
  /** Marks it as in use, and therefore not droppable, until the returned function is called. */
  use(): () => void;
}

/** A place in the queue for memory. */
export interface MemoryTicket {
  readonly bytes: number;
  readonly holder: MemoryHolder;
  passes: number;
}

/** One object or call that takes memory. It reports regularly that it is alive. */
export class MemoryHolder {
  /** Listened time at its last sign of life. */
  heardMs: number;
  heldBytes = 0;

  constructor(heardMs: number) {
    this.heardMs = heardMs;
  }
}

interface Kept extends KeptMemory {
  bytes: number;
  uses: number;
  readonly drop: () => void;
}

/**
 * Decides who may take memory. It has no clock and no timers: the caller passes the time
 * (`MemoryGate` polls).
 */
export class MemoryBudget {
  readonly bytesMax: number;
  readonly #holders = new Set<MemoryHolder>();
  /** In order of arrival. */
  readonly #waiting = new Set<MemoryTicket>();
  /** Least recently used first. */
  readonly #kept = new Set<Kept>();
  readonly #listened = new ListenedTime();

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Bytes that are taken, without memory that is only kept. */
  get takenBytes(): number {
    let bytes = 0;
    for (const holder of this.#holders) {
      bytes += holder.heldBytes;
    }
    return bytes;
  }

  get keptBytes(): number {
    let bytes = 0;
    for (const kept of this.#kept) {
      bytes += kept.bytes;
    }
    return bytes;
  }

  /** Whether a holder waits for memory. */
  get isContended(): boolean {
    return this.#waiting.size > 0;
  }

  holder(): MemoryHolder {
    return new MemoryHolder(this.#listened.ms);
  }

  /** Joins the queue; call `tryTake` with the ticket until it returns a lease, or `leave`. */
  join(holder: MemoryHolder, bytes: number): MemoryTicket {
    const ticket = { bytes: whole(bytes), holder, passes: 0 };
    this.#waiting.add(ticket);
    return ticket;
  }

  leave(ticket: MemoryTicket): void {
    this.#waiting.delete(ticket);
  }

  /** Records that the holder's object is alive. */
  beat(holder: MemoryHolder): void {
    holder.heardMs = this.#listened.ms;
  }

  /**
   * Takes memory if there is room and no waiter has been passed over too often; kept memory is
   * dropped for it. A single holder always fits.
   */
  tryTake(ticket: MemoryTicket, nowMs: number): DivisibleLease | undefined {
    this.#listened.poll(nowMs);
    this.beat(ticket.holder);
    if (!this.#fits(ticket.bytes)) {
      this.#forgetDead();
      if (!this.#fits(ticket.bytes)) {
        return undefined;
      }
    }
    const ahead: MemoryTicket[] = [];
    for (const other of this.#waiting) {
      if (other === ticket) {
        break;
      }
      if (other.passes >= PASSES_MAX) {
        this.#forgetDead();
        if (this.#waiting.has(other)) {
          return undefined;
        }
      }
      ahead.push(other);
    }
    for (const other of ahead) {
      other.passes++;
    }
    this.#waiting.delete(ticket);
    this.#dropKept(ticket.bytes);
    ticket.holder.heldBytes += ticket.bytes;
    return this.#lease(ticket.holder, ticket.bytes);
  }

  /** Counts data that is there already, whether or not there is room: others wait the longer for it. */
  takeAnyway(holder: MemoryHolder, given: number): DivisibleLease {
    const bytes = whole(given);
    this.beat(holder);
    this.#dropKept(bytes);
    holder.heldBytes += bytes;
    return this.#lease(holder, bytes);
  }

  /** Counts kept memory; `drop` removes it, and may be called whenever it is not in use. */
  keep(bytes: number, drop: () => void): KeptMemory {
    const kept: Kept = {
      bytes,
      uses: 0,
      drop,
      resize: (now) => {
        this.#kept.delete(kept);
        kept.bytes = now;
        if (now > 0) {
          this.#kept.add(kept);
          this.#dropKept(0);
        }
      },
      use: () => {
        kept.uses++;
        let isOver = false;
        return () => {
          kept.uses -= isOver ? 0 : 1;
          isOver = true;
        };
      },
    };
    kept.resize(bytes);
    return kept;
  }

  #fits(bytes: number): boolean {
    const taken = this.takenBytes;
    return taken === 0 || taken + this.#keptInUse() + bytes <= this.bytesMax;
  }

  #keptInUse(): number {
    let bytes = 0;
    for (const kept of this.#kept) {
      bytes += kept.uses > 0 ? kept.bytes : 0;
    }
    return bytes;
  }

  /** Makes room for this many more bytes. */
  #dropKept(bytes: number): void {
    let over = this.takenBytes + this.keptBytes + bytes - this.bytesMax;
    for (const kept of this.#kept) {
      if (over <= 0) {
        return;
      }
      if (kept.uses === 0) {
        this.#kept.delete(kept);
        over -= kept.bytes;
        kept.bytes = 0;
        kept.drop();
      }
    }
  }

  /** Of bytes that the holder has already. */
  #lease(holder: MemoryHolder, bytes: number): DivisibleLease {
    this.#holders.add(holder);
    let held = bytes;
    const shrink = (to: number) => {
      const over = Math.max(0, held - Math.max(0, whole(to)));
      held -= over;
      // The bytes of a forgotten holder were released with it.
      holder.heldBytes = Math.max(0, holder.heldBytes - over);
      if (holder.heldBytes === 0) {
        this.#holders.delete(holder);
      }
    };
    return {
      get bytes() {
        return held;
      },
      shrink,
      release: () => {
        shrink(0);
      },
      split: (given) => {
        const part = whole(given);
        if (part > held) {
          return undefined;
        }
        held -= part;
        return this.#lease(holder, part);
      },
    };
  }

  #forgetDead(): void {
    const isDead = ({ heardMs }: MemoryHolder) => this.#listened.ms - heardMs > SILENT_MS;
    for (const holder of this.#holders) {
      if (isDead(holder)) {
        holder.heldBytes = 0;
        this.#holders.delete(holder);
      }
    }
    for (const ticket of this.#waiting) {
      if (isDead(ticket.holder)) {
        this.#waiting.delete(ticket);
      }
    }
  }
}

/** Estimates may be fractions, whose sums and differences would not return to exactly 0. */
function whole(bytes: number): number {
  return Math.ceil(bytes);
}

/**
 * The part of the isolate's memory for the inputs of tasks that executors have claimed and that wait for their turn. It
 * is set aside, because these tasks hold it while they wait for memory of `isolateMemory`: of one budget for both, the
 * waiting tasks could hold what the first of them needs to begin.
 */
const CLAIM_BYTES_MAX = 8 * MB;
export const claimMemory = new MemoryBudget(CLAIM_BYTES_MAX);

/**
 * The budget of this isolate, shared by every module in it. It contains only numbers, no tenant
 * data.
 */
export const isolateMemory = new MemoryBudget(WORK_BYTES_MAX);
