import { LIMITS } from "../../lib/limits-table.ts";

/** Renders of one workspace that may wait in an isolate before another is refused. */
export const WAITING_MAX = LIMITS.render_waiting.value;

/** Shortest time counted for a turn: if the clock stands still during work, turns are shared by number. */
const TURN_MIN_MS = 1;

/** A party without a sign of life for this time, and for this many polls by others, died with its object. */
const SILENT_MS = 30_000;
const SILENT_POLLS = 50;

/** A place in the queue, then the turn itself. */
export interface Turn {
  readonly workspaceId: string;
  aliveMs: number;
  /** Number of the last poll at its last sign of life. */
  seenAt: number;
  /** Undefined while it waits. */
  begunMs: number | undefined;
}

/**
 * Gives the isolate's renders their turns, one at a time: next is the workspace whose renders took the least time, and of
 * its renders the oldest. It has no clock and no timers, and holds numbers only, because an object must not wait for a
 * promise of another.
 */
export class RenderTurns {
  /** In order of arrival. */
  readonly #waiting = new Set<Turn>();
  /** Milliseconds by workspace; a workspace that comes back starts at the level of those that are there. */
  readonly #spent = new Map<string, number>();
  #current: Turn | undefined;
  #levelMs = 0;
  #polls = 0;

  get waitingCount(): number {
    return this.#waiting.size;
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** Undefined if `mayQueue` is false and too many renders of the workspace wait. */
  join(workspaceId: string, mayQueue: boolean, nowMs: number): Turn | undefined {
    this.#forgetDead(nowMs);
    const own = [...this.#waiting].filter((turn) => turn.workspaceId === workspaceId);
    if (!mayQueue && own.length >= WAITING_MAX) {
      return undefined;
    }
    const isActive = own.length > 0 || this.#current?.workspaceId === workspaceId;
    const spent = this.#spent.get(workspaceId) ?? 0;
    this.#spent.set(workspaceId, isActive ? spent : Math.max(spent, this.#levelMs));
    const turn = { workspaceId, aliveMs: nowMs, seenAt: this.#polls, begunMs: undefined };
    this.#waiting.add(turn);
    return turn;
  }

  /** Returns whether it is the turn's time; it then runs until `end`. */
  poll(turn: Turn, nowMs: number): boolean {
    this.#polls++;
    this.beat(turn, nowMs);
    if (this.#current !== undefined || this.#next() !== turn) {
      this.#forgetDead(nowMs);
    }
    if (this.#current !== undefined || this.#next() !== turn) {
      return false;
    }
    this.#waiting.delete(turn);
    turn.begunMs = nowMs;
    this.#current = turn;
    this.#levelMs = this.#spent.get(turn.workspaceId) ?? 0;
    return true;
  }

  /** Records that the party is alive. */
  beat(turn: Turn, nowMs: number): void {
    turn.aliveMs = nowMs;
    turn.seenAt = this.#polls;
  }

  /** Ends the turn, or leaves the queue. */
  end(turn: Turn, nowMs: number): void {
    this.#waiting.delete(turn);
    if (this.#current === turn) {
      this.#current = undefined;
      const tookMs = Math.max(TURN_MIN_MS, nowMs - (turn.begunMs ?? nowMs));
      const { workspaceId } = turn;
      this.#spent.set(workspaceId, (this.#spent.get(workspaceId) ?? 0) + tookMs);
    }
    if (this.#waiting.size === 0 && this.#current === undefined) {
      this.#spent.clear();
      this.#levelMs = 0;
    }
  }

  #next(): Turn | undefined {
    let next: Turn | undefined;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const turn of this.#waiting) {
      const spentMs = this.#spent.get(turn.workspaceId) ?? 0;
      if (spentMs < leastMs) {
        leastMs = spentMs;
        next = turn;
      }
    }
    return next;
  }

  #forgetDead(nowMs: number): void {
    const isDead = ({ aliveMs, seenAt }: Turn) =>
      nowMs - aliveMs > SILENT_MS && this.#polls - seenAt > SILENT_POLLS;
    for (const turn of this.#waiting) {
      if (isDead(turn)) {
        this.#waiting.delete(turn);
      }
    }
    if (this.#current !== undefined && isDead(this.#current)) {
      this.#current = undefined;
    }
  }
}
