import { LIMITS } from "../../lib/limits/limits-table.ts";
import { ListenedTime } from "../../lib/memory/listened-time.ts";

/** Renders of one workspace that may wait in an isolate before another is refused. */
export const WAITING_MAX = LIMITS.render_waiting.value;

/** Shortest time counted for a turn: if the clock stands still during work, turns are shared by number. */
const TURN_MIN_MS = 1;

/** A party without a sign of life in so much listened time died with its object. */
const SILENT_MS = 30_000;

/**
 * How many renders, and for how long, a gate may go before older ones of the same workspace: another gate learns that it
 * is its turn only when its timer fires.
 */
const RUN_MAX = 16;
const RUN_MAX_MS = 50;

/** A place in the queue, then the turn itself. */
export interface Turn {
  readonly workspaceId: string;
  /** Listened time at its last sign of life. */
  heardMs: number;
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
  readonly #listened = new ListenedTime();
  #current: Turn | undefined;
  #levelMs = 0;
  /** Turns in a row that were handed over, and since when. */
  #run = { count: 0, sinceMs: 0 };

  get waitingCount(): number {
    return this.#waiting.size;
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** Undefined if `mayQueue` is false and too many renders of the workspace wait. */
  join(workspaceId: string, mayQueue: boolean, nowMs: number): Turn | undefined {
    this.#listened.poll(nowMs);
    this.#forgetDead();
    const own = [...this.#waiting].filter((turn) => turn.workspaceId === workspaceId);
    if (!mayQueue && own.length >= WAITING_MAX) {
      return undefined;
    }
    const isActive = own.length > 0 || this.#current?.workspaceId === workspaceId;
    const spent = this.#spent.get(workspaceId) ?? 0;
    this.#spent.set(workspaceId, isActive ? spent : Math.max(spent, this.#levelMs));
    const turn = { workspaceId, heardMs: this.#listened.ms, begunMs: undefined };
    this.#waiting.add(turn);
    return turn;
  }

  /** Returns whether it is the turn's time; it then runs until `end`. */
  poll(turn: Turn, nowMs: number): boolean {
    this.#listened.poll(nowMs);
    this.beat(turn);
    // It asks, so it lives: if it was taken for dead, it comes last.
    this.#waiting.add(turn);
    if (this.#current !== undefined || this.#next() !== turn) {
      this.#forgetDead();
    }
    if (this.#current !== undefined || this.#next() !== turn) {
      return false;
    }
    this.#begin(turn, nowMs);
    this.#run = { count: 1, sinceMs: nowMs };
    return true;
  }

  /** Renders of the same workspace that come before this one. */
  countBefore(turn: Turn): number {
    let count = 0;
    for (const other of this.#waiting) {
      if (other === turn) {
        break;
      }
      count += other.workspaceId === turn.workspaceId ? 1 : 0;
    }
    return count;
  }

  /** Records that the party is alive. */
  beat(turn: Turn): void {
    turn.heardMs = this.#listened.ms;
  }

  /**
   * Ends the turn, or leaves the queue. A turn may be handed to `successor`, the oldest that the same gate has waiting:
   * returns whether it has begun.
   */
  end(turn: Turn, nowMs: number, successor?: Turn): boolean {
    this.#waiting.delete(turn);
    const isCurrent = this.#current === turn;
    if (isCurrent) {
      this.#current = undefined;
      const tookMs = Math.max(TURN_MIN_MS, nowMs - (turn.begunMs ?? nowMs));
      const { workspaceId } = turn;
      this.#spent.set(workspaceId, (this.#spent.get(workspaceId) ?? 0) + tookMs);
    }
    const isHandedOver =
      isCurrent &&
      successor !== undefined &&
      this.#waiting.has(successor) &&
      this.#run.count < RUN_MAX &&
      nowMs - this.#run.sinceMs < RUN_MAX_MS &&
      this.#next()?.workspaceId === successor.workspaceId;
    if (isHandedOver) {
      this.#run.count += 1;
      this.#begin(successor, nowMs);
    }
    if (this.#waiting.size === 0 && this.#current === undefined) {
      this.#spent.clear();
      this.#levelMs = 0;
    }
    return isHandedOver;
  }

  #begin(turn: Turn, nowMs: number): void {
    this.#waiting.delete(turn);
    turn.begunMs = nowMs;
    this.beat(turn);
    this.#current = turn;
    this.#levelMs = this.#spent.get(turn.workspaceId) ?? 0;
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

  #forgetDead(): void {
    const isDead = ({ heardMs }: Turn) => this.#listened.ms - heardMs > SILENT_MS;
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
