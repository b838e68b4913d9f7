interface Limit {
  readonly limitMs: number;
  readonly endsMs: number;
  readonly onLate: () => void;
}

/** Notifies tasks of their time limits with one timer for all: a timer each would cost more than a quick task. */
export class TimeLimits {
  /** In the order of their starts. */
  readonly #limits = new Map<number, Limit>();
  #timer: { readonly handle: ReturnType<typeof setTimeout>; readonly of: Limit } | undefined;

  /** Calls `onLate` after `limitMs` unless `stop` is called first. */
  start(taskId: number, limitMs: number, onLate: () => void): void {
    const limit = { limitMs, endsMs: Date.now() + limitMs, onLate };
    this.#limits.set(taskId, limit);
    if (this.#timer === undefined || limit.endsMs < this.#timer.of.endsMs) {
      this.#arm(limit, limitMs);
    }
  }

  stop(taskId: number): void {
    // A timer of an ended task notices that when it fires, and continues with the others.
    this.#limits.delete(taskId);
  }

  /** Stops the notifications. */
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

  /** The timer of `due` proves its end; for others the clock decides. */
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
      // Never longer than the limit itself, in case the clock has stepped back.
      this.#arm(next, Math.min(next.endsMs - nowMs, next.limitMs));
    }
  }
}
