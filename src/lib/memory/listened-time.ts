/** Time between two polls that counts at most: what is longer was a thread that was busy or stopped. */
const POLL_GAP_MAX_MS = 1_000;

/**
 * Milliseconds in which a sign of life could have been heard. Parties that share an isolate decide by it that one of them
 * has died: after the thread was busy or the machine stood still, each has time to report before it counts as silent.
 */
export class ListenedTime {
  #ms = 0;
  #polledMs: number | undefined;

  get ms(): number {
    return this.#ms;
  }

  /** Call it whenever somebody polls. */
  poll(nowMs: number): void {
    const gapMs = nowMs - (this.#polledMs ?? nowMs);
    this.#ms += Math.min(Math.max(0, gapMs), POLL_GAP_MAX_MS);
    this.#polledMs = nowMs;
  }
}
