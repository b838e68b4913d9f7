interface Limit {
  readonly limitMs: number;
  readonly endsMs: number;
  readonly onLate: () => void;
}

/** Tells tasks when their time is over, all of them by one timer: one for each costs more than a quick task. */
export class TimeLimits {
  /** By what began first. */
  readonly #limits = new Map<number, Limit>();
  #timer: { readonly handle: ReturnType<typeof setTimeout>; readonly of: Limit } | undefined;

  /** `onLate` is called after `limitMs` unless `stop` comes first. */
  start(taskId: number, limitMs: number, onLate: () => void): void {
    const limit = { limitMs, endsMs: Date.now() + limitMs, onLate };
    this.#limits.set(taskId, limit);
    if (this.#timer === undefined || limit.endsMs < this.#timer.of.endsMs) {
      this.#arm(limit, limitMs);
    }
  }

  stop(taskId: number): void {
    // A timer of what has ended finds that out by itself, and goes on with the others.
    this.#limits.delete(taskId);
  }

  /** Nothing is told any more. */
  close(): void {
    this.#limits.clear();
    clearTimeout(this.#timer?.handle);
    this.#timer = undefined;
  }

  #arm(of: Limit, delayMs: number): void {
    clearTimeout(this.#timer?.handle);
    const handle = setTimeout(() => {
      this.#timer = undefined;
      this.#look(of);
    }, delayMs);
    this.#timer = { handle, of };
  }

  /** The time of `due` is over by its own timer, of others by the clock. */
  #look(due: Limit): void {
    const nowMs = Date.now();
    let next: Limit | undefined;
    for (const [taskId, limit] of this.#limits) {
      if (limit === due || limit.endsMs <= nowMs) {
        this.#limits.delete(taskId);
        limit.onLate();
      } else if (next === undefined || limit.endsMs < next.endsMs) {
        next = limit;
      }
    }
    if (next !== undefined) {
      // No longer than the limit itself, where the clock has stepped back.
      this.#arm(next, Math.min(next.endsMs - nowMs, next.limitMs));
    }
  }
}
