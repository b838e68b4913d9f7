/** Whoever asked for a turn, or was seen at work elsewhere on this thread, counts as active for this long. */
export const ACTIVE_MS = 250;

/** A backlogged workspace never rests longer than this between two turns, so that its runs go on. */
export const REST_MAX_MS = 50;

/**
 * Who is at work outside of the runner is left twice as much as the turn took: what becomes of a task
 * after its turn (its files are stored, it is reported, the run takes it in) happens out there too.
 */
const OUTSIDE_SHARE = 2;

/** The least a turn counts: where the clock stands still during work, turns are shared by number. */
const TURN_MIN_MS = 1;

/** A holder or a waiter that died with its object says nothing more: after so many questions of others it is forgotten. */
const SILENT_QUESTIONS_MAX = 1_000;
const TURN_QUESTIONS_MAX = 50;

/**
 * Whoever is not next for certain asks again after half the time until it may be, and no later than
 * this: what was ahead of it may go without a turn.
 */
const ASK_AGAIN_MAX_MS = 8;

/** A party's turns to come are taken to last as long as its last ones, of which each counts less than the next. */
const TURN_MEMORY = 8;

interface Party {
  /** What its turns have taken, kept level with the others' while it has nothing to do. */
  spentMs: number;
  /** What one of its turns takes by the clock; 0 where that stands still. */
  turnMs: number;
  /** Its last sign of life; minus infinity before the first. */
  seenMs: number;
  restUntilMs: number;
  /** The same while somebody is at work outside of the runner. */
  longRestUntilMs: number;
  /** Until then somebody else is taken to be at work on this thread, outside of the runner. */
  othersUntilMs: number;
  readonly waiting: Set<Ticket>;
}

/** A place in the queue for turns; of one executor object only the first of its tasks holds one. */
export interface Ticket {
  readonly workspaceId: string;
  /** Order of arrival in the isolate. */
  readonly number: number;
  askedAt: number;
}

/** A turn under way. */
export interface Turn {
  readonly party: Party;
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
export class TurnShare {
  readonly #parties = new Map<string, Party>();
  #turn: Turn | undefined;
  #turnQuestions = 0;
  #questions = 0;
  #numbers = 0;

  /** The next number in order of arrival. */
  takeNumber(): number {
    this.#numbers++;
    return this.#numbers;
  }

  /** Waits for a turn from now on. */
  join(workspaceId: string, number: number, nowMs: number): Ticket {
    const ticket = { workspaceId, number, askedAt: this.#questions };
    this.#enter(ticket, nowMs);
    return ticket;
  }

  /** Waits no more. */
  leave(ticket: Ticket): void {
    this.#parties.get(ticket.workspaceId)?.waiting.delete(ticket);
  }

  /** Outside of the runner, but on this thread, somebody else than this workspace was just at work. */
  noteOthers(workspaceId: string, nowMs: number): void {
    this.#party(workspaceId).othersUntilMs = nowMs + ACTIVE_MS;
  }

  /** Milliseconds until it is worth asking again, 0 for the next turn of the event loop; null: begin now. */
  ask(ticket: Ticket, nowMs: number): number | null {
    this.#questions++;
    ticket.askedAt = this.#questions;
    const party = this.#enter(ticket, nowMs);
    if (this.#turn !== undefined) {
      this.#turnQuestions++;
      if (this.#turnQuestions < TURN_QUESTIONS_MAX) {
        return this.#askAgainMs(ticket, party, nowMs);
      }
      this.#turn = undefined;
    }
    const restMs = this.#restMs(party, nowMs);
    if (restMs > 0) {
      return restMs;
    }
    return this.#next(nowMs) === ticket ? null : this.#askAgainMs(ticket, party, nowMs);
  }

  /**
   * Alone, a party's tasks begin in order, so a ticket's number says how many are ahead of it, and
   * asking in each round of the event loop would cost more than quick tasks do. With company who
   * comes next changes with each turn.
   */
  #askAgainMs(ticket: Ticket, party: Party, nowMs: number): number {
    const first = this.#firstOf(party);
    if (first === undefined || first === ticket || this.#hasOthers(party, nowMs)) {
      return 0;
    }
    const untilMs = (ticket.number - first.number) * party.turnMs;
    return Math.min(ASK_AGAIN_MAX_MS, Math.floor(untilMs / 2));
  }

  /** Takes the turn that `ask` gave. */
  begin(ticket: Ticket, nowMs: number): Turn {
    this.leave(ticket);
    this.#turn = { party: this.#party(ticket.workspaceId), sinceMs: nowMs };
    this.#turnQuestions = 0;
    return this.#turn;
  }

  /** The event loop has come round since the turn began. */
  end(turn: Turn, nowMs: number): void {
    const { party, sinceMs } = turn;
    const tookMs = Math.max(TURN_MIN_MS, nowMs - sinceMs);
    party.turnMs += (Math.max(0, nowMs - sinceMs) - party.turnMs) / TURN_MEMORY;
    party.spentMs += tookMs;
    party.seenMs = nowMs;
    party.restUntilMs = nowMs + Math.min(tookMs, REST_MAX_MS);
    party.longRestUntilMs = nowMs + Math.min(OUTSIDE_SHARE * tookMs, REST_MAX_MS);
    if (this.#turn === turn) {
      this.#turn = undefined;
    }
    this.#forget(nowMs);
  }

  #party(workspaceId: string): Party {
    let party = this.#parties.get(workspaceId);
    if (party === undefined) {
      party = {
        spentMs: 0,
        turnMs: 0,
        seenMs: -Infinity,
        restUntilMs: 0,
        longRestUntilMs: 0,
        othersUntilMs: 0,
        waiting: new Set(),
      };
      this.#parties.set(workspaceId, party);
    }
    return party;
  }

  #enter(ticket: Ticket, nowMs: number): Party {
    const party = this.#party(ticket.workspaceId);
    if (party.waiting.size === 0) {
      // Who had nothing to do has saved nothing up.
      const busy = [...this.#parties.values()].filter(
        (other) => other !== party && isActive(other, nowMs),
      );
      const least = Math.min(...busy.map(({ spentMs }) => spentMs));
      party.spentMs = Number.isFinite(least) ? Math.max(party.spentMs, least) : party.spentMs;
    }
    party.waiting.add(ticket);
    party.seenMs = nowMs;
    return party;
  }

  /** How long a party still rests: only while others are active. */
  #restMs(party: Party, nowMs: number): number {
    const hasOutside = inFuture(party.othersUntilMs, nowMs);
    const restMs = (hasOutside ? party.longRestUntilMs : party.restUntilMs) - nowMs;
    // No rest is longer than that: the clock stepped back since.
    if (restMs <= 0 || restMs > REST_MAX_MS) {
      return 0;
    }
    return this.#hasOthers(party, nowMs) ? restMs : 0;
  }

  /** Whether somebody else is active, in the runner or outside of it. */
  #hasOthers(party: Party, nowMs: number): boolean {
    if (inFuture(party.othersUntilMs, nowMs)) {
      return true;
    }
    for (const other of this.#parties.values()) {
      if (other !== party && isActive(other, nowMs)) {
        return true;
      }
    }
    return false;
  }

  /** The first ticket of the party that has used least, of those that wait and do not rest. */
  #next(nowMs: number): Ticket | undefined {
    let best: { readonly spentMs: number; readonly ticket: Ticket } | undefined;
    for (const party of this.#parties.values()) {
      const ticket = this.#firstOf(party);
      if (
        ticket !== undefined &&
        this.#restMs(party, nowMs) === 0 &&
        (best === undefined ||
          party.spentMs < best.spentMs ||
          (party.spentMs === best.spentMs && ticket.number < best.ticket.number))
      ) {
        best = { spentMs: party.spentMs, ticket };
      }
    }
    return best?.ticket;
  }

  #firstOf({ waiting }: Party): Ticket | undefined {
    let first: Ticket | undefined;
    for (const ticket of waiting) {
      if (this.#questions - ticket.askedAt > SILENT_QUESTIONS_MAX) {
        waiting.delete(ticket);
      } else if (first === undefined || ticket.number < first.number) {
        first = ticket;
      }
    }
    return first;
  }

  /** Workspaces that were not seen for a while take no memory. */
  #forget(nowMs: number): void {
    for (const [workspaceId, party] of this.#parties) {
      if (party.waiting.size === 0 && !isActive(party, nowMs) && party !== this.#turn?.party) {
        this.#parties.delete(workspaceId);
      }
    }
  }
}

function isActive(party: Party, nowMs: number): boolean {
  return inFuture(party.seenMs + ACTIVE_MS, nowMs);
}

/** False too for what a clock that stepped back put too far ahead. */
function inFuture(atMs: number, nowMs: number): boolean {
  return atMs > nowMs && atMs - nowMs <= ACTIVE_MS;
}
