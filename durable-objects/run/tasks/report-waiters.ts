interface Waiter {
  readonly ids: Set<number>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Callers whose response waits until the tasks that they reported are in the run's state. */
export class ReportWaiters {
  readonly #waiters = new Set<Waiter>();

  /** Resolves once all of these tasks are stored; after `maxMs` once `keep` has stored those that are left. */
  async until(
    ids: readonly number[],
    maxMs: number,
    keep: (ids: ReadonlySet<number>) => void,
  ): Promise<void> {
    if (ids.length === 0) {
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { ids: new Set(ids), resolve, reject };
    this.#waiters.add(waiter);
    const timer = setTimeout(() => {
      try {
        keep(waiter.ids);
        resolve();
      } catch (error) {
        reject(error as Error);
      }
    }, maxMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }

  /** These tasks are in the state. */
  stored(ids: readonly number[]): void {
    for (const waiter of this.#waiters) {
      for (const id of ids) {
        waiter.ids.delete(id);
      }
      if (waiter.ids.size === 0) {
        waiter.resolve();
      }
    }
  }

  /** Reports in memory were lost: their callers must report again. */
  reject(error: Error): void {
    for (const waiter of this.#waiters) {
      waiter.reject(error);
    }
  }
}
