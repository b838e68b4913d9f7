/** So many calls within so long mean that they come faster than each pays for a commit of its own. */
const BUSY_CALLS = 5;
const BUSY_MS = 20;

/**
 * Lets the calls of a busy object share a turn of the event loop: what is written in one turn is one
 * commit, synced once for all of them, and nobody is served again before those that came meanwhile.
 * A call that finds the object at rest goes on at once.
 */
export class GroupCommit {
  readonly #nowMs: () => number;
  readonly #nextTurn: () => Promise<void>;
  /** When the last calls came, oldest first. */
  readonly #calls: number[] = [];
  #commit: Promise<void> | undefined;

  /** `nextTurn` resolves once whatever is ready now has been looked at. */
  constructor(nowMs: () => number, nextTurn: () => Promise<void>) {
    this.#nowMs = nowMs;
    this.#nextTurn = nextTurn;
  }

  /** Undefined: go on now. What follows a wait shares the turn as far as it is synchronous. */
  wait(): Promise<void> | undefined {
    const nowMs = this.#nowMs();
    this.#calls.push(nowMs);
    const oldestMs = this.#calls.length > BUSY_CALLS ? this.#calls.shift() : undefined;
    const tookMs = oldestMs === undefined ? Number.POSITIVE_INFINITY : nowMs - oldestMs;
    // A clock that stepped back says nothing.
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
