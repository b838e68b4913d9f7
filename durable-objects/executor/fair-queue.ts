/** A workspace that requested a turn, or was seen working elsewhere on this thread, counts as active for this long. */
export const ACTIVE_MS = 250;

/** Longest rest of a backlogged workspace between two turns, so that its runs continue. */
export const COOLDOWN_MAX_MS = 50;

/**
 * Work outside the runner gets twice the time of the turn, because the rest of a task (storing files, reporting,
 * committing in the run) happens there too.
 */
const OUTSIDE_FACTOR = 2;

/** Shortest time counted for a turn: if the clock stands still during work, turns are shared by number. */
const QUANTUM_MIN_MS = 1;

/** A holder or waiter that died with its object sends nothing more; it is dropped after this many polls of others. */
const SILENT_POLLS_MAX = 1_000;
const QUANTUM_POLLS_MAX = 50;

/**
 * A party that is not certainly next polls again after half the estimated wait, at most this long, because parties
 * ahead of it may leave without a turn.
 */
const POLL_AGAIN_MAX_MS = 8;

/** Future turns of a party are estimated from its recent ones, with decreasing weights. */
const QUANTUM_AVERAGE_WEIGHT = 8;

interface WorkspaceUsage {
  /** The time that its turns have taken, raised to the others' level while it is idle. */
  spentMs: number;
  /** Estimated duration of one of its turns; 0 if the clock stands still. */
  quantumMs: number;
  /** The last time it was seen; minus infinity before the first. */
  seenMs: number;
  cooldownUntilMs: number;
  /** The same if there is work outside the runner. */
  longCooldownUntilMs: number;
  /** Until then, other work on this thread outside the runner is assumed. */
  othersUntilMs: number;
  readonly waiting: Set<Ticket>;
}

/** A place in the queue for turns. Only the first waiting task of an executor object has one. */
export interface Ticket {
  readonly workspaceId: string;
  /** Order of arrival in the isolate. */
  readonly number: number;
  polledAt: number;
}

/** A turn in progress. */
export interface Quantum {
  readonly usage: WorkspaceUsage;
  readonly sinceMs: number;
}

/**
 * Decides which workspace's task starts next on the thread that all executor objects of an isolate share. One task
 * starts per turn. The workspace that has used the thread least goes first, and within it the oldest task, so that
 * chunks finish one after the other. While others are active, a workspace rests after each turn for as long as the turn
 * took, which leaves half of the thread to them, or two thirds if they work outside the runner. A workspace alone never
 * rests. Uses no clock and no timers: the caller passes the time.
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

  /** Starts waiting for a turn. */
  join(workspaceId: string, number: number, nowMs: number): Ticket {
    const ticket = { workspaceId, number, polledAt: this.#polls };
    this.#enter(ticket, nowMs);
    return ticket;
  }

  /** Stops waiting. */
  leave(ticket: Ticket): void {
    this.#usages.get(ticket.workspaceId)?.waiting.delete(ticket);
  }

  /** Records that another workspace has just worked on this thread outside the runner. */
  noteOthers(workspaceId: string, nowMs: number): void {
    this.#usage(workspaceId).othersUntilMs = nowMs + ACTIVE_MS;
  }

  /** Milliseconds until the next poll is useful, 0 for the next turn of the event loop; null to start now. */
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
   * Alone, a party's tasks start in order, so a ticket's number is the number of tasks ahead, and polling in each round
   * of the event loop would cost more than quick tasks. With company, the order changes with each turn.
   */
  #pollAgainMs(ticket: Ticket, usage: WorkspaceUsage, nowMs: number): number {
    const first = this.#firstOf(usage);
    if (first === undefined || first === ticket || this.#hasOthers(usage, nowMs)) {
      return 0;
    }
    const untilMs = (ticket.number - first.number) * usage.quantumMs;
    return Math.min(POLL_AGAIN_MAX_MS, Math.floor(untilMs / 2));
  }

  /** Takes the turn that `ask` granted. */
  begin(ticket: Ticket, nowMs: number): Quantum {
    this.leave(ticket);
    this.#quantum = { usage: this.#usage(ticket.workspaceId), sinceMs: nowMs };
    this.#quantumPolls = 0;
    return this.#quantum;
  }

  /** The event loop has completed a round since the turn began. */
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
      // Idle time earns no credit.
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

  /** Remaining rest of a party; zero unless others are active. */
  #cooldownMs(usage: WorkspaceUsage, nowMs: number): number {
    const hasOutside = inFuture(usage.othersUntilMs, nowMs);
    const cooldownMs = (hasOutside ? usage.longCooldownUntilMs : usage.cooldownUntilMs) - nowMs;
    // No rest is longer, so the clock must have stepped back.
    if (cooldownMs <= 0 || cooldownMs > COOLDOWN_MAX_MS) {
      return 0;
    }
    return this.#hasOthers(usage, nowMs) ? cooldownMs : 0;
  }

  /** Whether another workspace is active, in the runner or outside it. */
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

  /** The first ticket of the party with the least use, among waiting parties that do not rest. */
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

  /** Drops workspaces that have not been seen for a while. */
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

/** Also false for times too far in the future after the clock stepped back. */
function inFuture(atMs: number, nowMs: number): boolean {
  return atMs > nowMs && atMs - nowMs <= ACTIVE_MS;
}
