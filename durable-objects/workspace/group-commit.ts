/** If this many calls arrive within this time, they arrive faster than each could commit on its own. */
const BUSY_CALLS = 5;
const BUSY_MS = 20;

/**
 * Groups the calls of a busy object into one turn of the event loop: writes of one turn are one commit with one sync,
 * and no call is served again before those that arrived meanwhile. A call to an idle object proceeds at once.
 */
export class GroupCommit {
  readonly #nowMs: () => number;
  readonly #nextTurn: () => Promise<void>;
  /** Times of the last calls, oldest first. */
  readonly #calls: number[] = [];
  #commit: Promise<void> | undefined;

  /** `nextTurn` resolves once all currently ready events have been handled. */
  constructor(nowMs: () => number, nextTurn: () => Promise<void>) {
    this.#nowMs = nowMs;
    this.#nextTurn = nextTurn;
  }

  /** Undefined: proceed now. Code after the wait shares the turn as far as it is synchronous. */
  wait(): Promise<void> | undefined {
    const nowMs = this.#nowMs();
    this.#calls.push(nowMs);
    const oldestMs = this.#calls.length > BUSY_CALLS ? this.#calls.shift() : undefined;
    const tookMs = oldestMs === undefined ? Number.POSITIVE_INFINITY : nowMs - oldestMs;
    // A clock that stepped back gives no information.
    if (this.#commit === undefined && tookMs >= 0 && tookMs <= BUSY_MS) {
      this.#commit = this.#open();
    }
    return this.#commit;
  }

  async #open(): Promise<void> {
    await this.#nextTurn();
    this.#commit = undefined;
  }
}
