/** Whoever asked for a turn, or was seen at work elsewhere on this thread, counts as active for this long. */
export const ACTIVE_MS = 250;

/** A backlogged workspace never rests longer than this between two turns, so that its runs go on. */
export const COOLDOWN_MAX_MS = 50;

/**
 * Who is at work outside of the runner is left twice as much as the turn took: what becomes of a task
 * after its turn (its files are stored, it is reported, the run takes it in) happens out there too.
 */
const OUTSIDE_FACTOR = 2;

/** The least a turn counts: where the clock stands still during work, turns are shared by number. */
const QUANTUM_MIN_MS = 1;

/** A holder or a waiter that died with its object says nothing more: after so many questions of others it is forgotten. */
const SILENT_POLLS_MAX = 1_000;
const QUANTUM_POLLS_MAX = 50;

/**
 * Whoever is not next for certain asks again after half the time until it may be, and no later than
 * this: what was ahead of it may go without a turn.
 */
const POLL_AGAIN_MAX_MS = 8;

/** A party's turns to come are taken to last as long as its last ones, of which each counts less than the next. */
const QUANTUM_AVERAGE_WEIGHT = 8;

interface WorkspaceUsage {
  /** What its turns have taken, kept level with the others' while it has nothing to do. */
  spentMs: number;
  /** What one of its turns takes by the clock; 0 where that stands still. */
  quantumMs: number;
  /** Its last sign of life; minus infinity before the first. */
  seenMs: number;
  cooldownUntilMs: number;
  /** The same while somebody is at work outside of the runner. */
  longCooldownUntilMs: number;
  /** Until then somebody else is taken to be at work on this thread, outside of the runner. */
  othersUntilMs: number;
  readonly waiting: Set<Ticket>;
}

/** A place in the queue for turns; of one executor object only the first of its tasks holds one. */
export interface Ticket {
  readonly workspaceId: string;
  /** Order of arrival in the isolate. */
  readonly number: number;
  polledAt: number;
}

/** A turn under way. */
export interface Quantum {
  readonly usage: WorkspaceUsage;
  readonly sinceMs: number;
}

/**
 * Decides which workspace's task begins next on a thread that all executor objects of an isolate
 * share. One task begins a turn. The workspace that has used least of the thread goes first, and in
 * it the task that came first, so that chunks are finished one after the other. While others are
 * active a workspace rests after each turn for as long as the turn took: it leaves half of the thread
 * to them, two thirds to those outside of the runner. Alone it never rests. No clock, no timers: the
 * caller gives the time.
 */
export class FairQueue {
  readonly #usages = new Map<string, WorkspaceUsage>();
  #quantum: Quantum | undefined;
  #quantumPolls = 0;
  #polls = 0;
  #numbers = 0;

  /** The next number in order of arrival. */
  takeNumber(): number {
    this.#numbers++;
    return this.#numbers;
  }

  /** Waits for a turn from now on. */
  join(workspaceId: string, number: number, nowMs: number): Ticket {
    const ticket = { workspaceId, number, polledAt: this.#polls };
    this.#enter(ticket, nowMs);
    return ticket;
  }

  /** Waits no more. */
  leave(ticket: Ticket): void {
    this.#usages.get(ticket.workspaceId)?.waiting.delete(ticket);
  }

  /** Outside of the runner, but on this thread, somebody else than this workspace was just at work. */
  noteOthers(workspaceId: string, nowMs: number): void {
    this.#usage(workspaceId).othersUntilMs = nowMs + ACTIVE_MS;
  }

  /** Milliseconds until it is worth asking again, 0 for the next turn of the event loop; null: begin now. */
  poll(ticket: Ticket, nowMs: number): number | null {
    this.#polls++;
    ticket.polledAt = this.#polls;
    const usage = this.#enter(ticket, nowMs);
    if (this.#quantum !== undefined) {
      this.#quantumPolls++;
      if (this.#quantumPolls < QUANTUM_POLLS_MAX) {
        return this.#pollAgainMs(ticket, usage, nowMs);
      }
      this.#quantum = undefined;
    }
    const cooldownMs = this.#cooldownMs(usage, nowMs);
    if (cooldownMs > 0) {
      return cooldownMs;
    }
    return this.#next(nowMs) === ticket ? null : this.#pollAgainMs(ticket, usage, nowMs);
  }

  /**
   * Alone, a party's tasks begin in order, so a ticket's number says how many are ahead of it, and
   * asking in each round of the event loop would cost more than quick tasks do. With company who
   * comes next changes with each turn.
   */
  #pollAgainMs(ticket: Ticket, usage: WorkspaceUsage, nowMs: number): number {
    const first = this.#firstOf(usage);
    if (first === undefined || first === ticket || this.#hasOthers(usage, nowMs)) {
      return 0;
    }
    const untilMs = (ticket.number - first.number) * usage.quantumMs;
    return Math.min(POLL_AGAIN_MAX_MS, Math.floor(untilMs / 2));
  }

  /** Takes the turn that `ask` gave. */
  begin(ticket: Ticket, nowMs: number): Quantum {
    this.leave(ticket);
    this.#quantum = { usage: this.#usage(ticket.workspaceId), sinceMs: nowMs };
    this.#quantumPolls = 0;
    return this.#quantum;
  }

  /** The event loop has come round since the turn began. */
  end(quantum: Quantum, nowMs: number): void {
    const { usage, sinceMs } = quantum;
    const tookMs = Math.max(QUANTUM_MIN_MS, nowMs - sinceMs);
    usage.quantumMs += (Math.max(0, nowMs - sinceMs) - usage.quantumMs) / QUANTUM_AVERAGE_WEIGHT;
    usage.spentMs += tookMs;
    usage.seenMs = nowMs;
    usage.cooldownUntilMs = nowMs + Math.min(tookMs, COOLDOWN_MAX_MS);
    usage.longCooldownUntilMs = nowMs + Math.min(OUTSIDE_FACTOR * tookMs, COOLDOWN_MAX_MS);
    if (this.#quantum === quantum) {
      this.#quantum = undefined;
    }
    this.#forget(nowMs);
  }

  #usage(workspaceId: string): WorkspaceUsage {
    let usage = this.#usages.get(workspaceId);
    if (usage === undefined) {
      usage = {
        spentMs: 0,
        quantumMs: 0,
        seenMs: -Infinity,
        cooldownUntilMs: 0,
        longCooldownUntilMs: 0,
        othersUntilMs: 0,
        waiting: new Set(),
      };
      this.#usages.set(workspaceId, usage);
    }
    return usage;
  }

  #enter(ticket: Ticket, nowMs: number): WorkspaceUsage {
    const usage = this.#usage(ticket.workspaceId);
    if (usage.waiting.size === 0) {
      // Who had nothing to do has saved nothing up.
      const busy = [...this.#usages.values()].filter(
        (other) => other !== usage && isActive(other, nowMs),
      );
      const least = Math.min(...busy.map(({ spentMs }) => spentMs));
      usage.spentMs = Number.isFinite(least) ? Math.max(usage.spentMs, least) : usage.spentMs;
    }
    usage.waiting.add(ticket);
    usage.seenMs = nowMs;
    return usage;
  }

  /** How long a party still rests: only while others are active. */
  #cooldownMs(usage: WorkspaceUsage, nowMs: number): number {
    const hasOutside = inFuture(usage.othersUntilMs, nowMs);
    const cooldownMs = (hasOutside ? usage.longCooldownUntilMs : usage.cooldownUntilMs) - nowMs;
    // No rest is longer than that: the clock stepped back since.
    if (cooldownMs <= 0 || cooldownMs > COOLDOWN_MAX_MS) {
      return 0;
    }
    return this.#hasOthers(usage, nowMs) ? cooldownMs : 0;
  }

  /** Whether somebody else is active, in the runner or outside of it. */
  #hasOthers(usage: WorkspaceUsage, nowMs: number): boolean {
    if (inFuture(usage.othersUntilMs, nowMs)) {
      return true;
    }
    for (const other of this.#usages.values()) {
      if (other !== usage && isActive(other, nowMs)) {
        return true;
      }
    }
    return false;
  }

  /** The first ticket of the party that has used least, of those that wait and do not rest. */
  #next(nowMs: number): Ticket | undefined {
    let best: { readonly spentMs: number; readonly ticket: Ticket } | undefined;
    for (const usage of this.#usages.values()) {
      const ticket = this.#firstOf(usage);
      if (
        ticket !== undefined &&
        this.#cooldownMs(usage, nowMs) === 0 &&
        (best === undefined ||
          usage.spentMs < best.spentMs ||
          (usage.spentMs === best.spentMs && ticket.number < best.ticket.number))
      ) {
        best = { spentMs: usage.spentMs, ticket };
      }
    }
    return best?.ticket;
  }

  #firstOf({ waiting }: WorkspaceUsage): Ticket | undefined {
    let first: Ticket | undefined;
    for (const ticket of waiting) {
      if (this.#polls - ticket.polledAt > SILENT_POLLS_MAX) {
        waiting.delete(ticket);
      } else if (first === undefined || ticket.number < first.number) {
        first = ticket;
      }
    }
    return first;
  }

  /** Workspaces that were not seen for a while take no memory. */
  #forget(nowMs: number): void {
    for (const [workspaceId, usage] of this.#usages) {
      if (usage.waiting.size === 0 && !isActive(usage, nowMs) && usage !== this.#quantum?.usage) {
        this.#usages.delete(workspaceId);
      }
    }
  }
}

function isActive(usage: WorkspaceUsage, nowMs: number): boolean {
  return inFuture(usage.seenMs + ACTIVE_MS, nowMs);
}

/** False too for what a clock that stepped back put too far ahead. */
function inFuture(atMs: number, nowMs: number): boolean {
  return atMs > nowMs && atMs - nowMs <= ACTIVE_MS;
}
