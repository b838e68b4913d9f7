import { heldResponses, type HeldResponses } from "./held-responses.ts";
import { RenderTurns, type Turn } from "./render-turns.ts";

/** Delays between polls: short at first, because most renders take some milliseconds. */
const POLL_AGAIN_MS = [1, 2, 5] as const;
/**
 * Where renders of the same workspace come first, in other objects: half of the time that they take at least, and at most so
 * long, since they may be aborted. A poll takes the thread from them.
 */
const BEFORE_MS = 0.5;
const POLL_AGAIN_MAX_MS = 16;
/** Interval of the signs of life of the one whose turn it is. */
const BEAT_MS = 5_000;

/** The turns of this isolate, shared by its entry point and all its executor objects. */
const isolateTurns = new RenderTurns();

/** Whether a render that may not wait was refused. */
export class RenderBusyError extends Error {
  override readonly name = "RenderBusyError";
}

export interface TurnRequest {
  /** False throws RenderBusyError if too many renders of the workspace wait already. */
  readonly mayQueue: boolean;
  readonly signal: AbortSignal;
}

interface Waiter {
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly begin: () => void;
  readonly fail: (reason: unknown) => void;
}

/**
 * The renders of one workspace in one object, or of one call. It has its own timers, because an object must not await a
 * promise of another; within it a turn passes on without a timer.
 */
export class RenderGate {
  readonly #workspaceId: string;
  readonly #turns: RenderTurns;
  readonly #responses: Pick<HeldResponses, "hasRoom">;
  /** In order of arrival. */
  readonly #waiting: Waiter[] = [];
  #begun: Turn | undefined;
  #isPolling = false;
  #beat: ReturnType<typeof setTimeout> | undefined;

  constructor(workspaceId: string, turns = isolateTurns, responses = heldResponses) {
    this.#workspaceId = workspaceId;
    this.#turns = turns;
    this.#responses = responses;
  }

  /**
   * Runs `work` as the only render of this isolate, in its workspace's turn. Throws the signal's reason if it is aborted
   * before, and whatever `work` throws.
   */
  async inTurn<T>({ mayQueue, signal }: TurnRequest, work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.join(this.#workspaceId, mayQueue, Date.now());
    if (turn === undefined) {
      throw new RenderBusyError("Too many renders of the workspace wait.");
    }
    this.#beat ??= setTimeout(this.#sayAlive, BEAT_MS);
    try {
      if (this.#waiting.length > 0 || !this.#hasBegun(turn)) {
        await this.#wait(turn, signal);
      }
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#end(turn);
    }
  }

  #wait(turn: Turn, signal: AbortSignal): Promise<void> {
    return new Promise((begin, fail) => {
      this.#waiting.push({ turn, signal, begin, fail });
      if (!this.#isPolling) {
        void this.#poll();
      }
    });
  }

  #hasBegun(turn: Turn): boolean {
    const nowMs = Date.now();
    if (this.#begun !== undefined || !this.#responses.hasRoom(nowMs)) {
      return false;
    }
    if (this.#turns.poll(turn, nowMs)) {
      this.#begun = turn;
    }
    return this.#begun === turn;
  }

  /** Asks for the turn of the oldest that waits, which is the first of its workspace here. */
  async #poll(): Promise<void> {
    this.#isPolling = true;
    for (let asked = 0; this.#waiting.length > 0; asked++) {
      await later(this.#pollAgainMs(asked));
      this.#failAborted();
      this.#sayAllAlive();
      const [first] = this.#waiting;
      if (first !== undefined && this.#hasBegun(first.turn)) {
        this.#waiting.shift();
        first.begin();
        asked = 0;
      }
    }
    this.#isPolling = false;
  }

  #pollAgainMs(asked: number): number {
    const [first] = this.#waiting;
    const before = first === undefined ? 0 : this.#turns.countBefore(first.turn);
    return Math.max(
      POLL_AGAIN_MS[Math.min(asked, POLL_AGAIN_MS.length - 1)] ?? 1,
      Math.min(POLL_AGAIN_MAX_MS, Math.floor(before * BEFORE_MS)),
    );
  }

  #failAborted(): void {
    for (let at = 0; at < this.#waiting.length;) {
      const waiter = this.#waiting[at];
      if (waiter?.signal.aborted === true) {
        this.#waiting.splice(at, 1);
        waiter.fail(waiter.signal.reason);
      } else {
        at++;
      }
    }
  }

  /** Ends the turn and passes it on where the next one is here too. */
  #end(turn: Turn): void {
    const nowMs = Date.now();
    const hasBegun = this.#begun === turn;
    if (hasBegun) {
      this.#begun = undefined;
    }
    const next = hasBegun && this.#responses.hasRoom(nowMs) ? this.#waiting[0] : undefined;
    if (this.#turns.end(turn, nowMs, next?.turn) && next !== undefined) {
      this.#begun = next.turn;
      this.#waiting.shift();
      // Between two renders the thread does what else has come.
      setTimeout(next.begin, 0);
    }
    if (this.#begun === undefined && this.#waiting.length === 0) {
      clearTimeout(this.#beat);
      this.#beat = undefined;
    }
  }

  #sayAllAlive(): void {
    if (this.#begun !== undefined) {
      this.#turns.beat(this.#begun);
    }
    for (const { turn } of this.#waiting) {
      this.#turns.beat(turn);
    }
  }

  readonly #sayAlive = (): void => {
    this.#sayAllAlive();
    this.#beat = setTimeout(this.#sayAlive, BEAT_MS);
  };
}

const gates = new WeakMap<object, RenderGate>();

/** The gate of an executor object, all of whose tasks belong to one workspace. */
export function gateOf(executor: object, workspaceId: string): RenderGate {
  let gate = gates.get(executor);
  if (gate === undefined) {
    gate = new RenderGate(workspaceId);
    gates.set(executor, gate);
  }
  return gate;
}

/** The turns of this isolate, for its state. */
export function describeTurns(): { readonly is_rendering: boolean; readonly waiting: number } {
  return { is_rendering: isolateTurns.isBusy, waiting: isolateTurns.waitingCount };
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
