/**
 * Reads that callers share while they are recent, also those under way. Only for callers that may share promises of I/O,
 * such as the tasks of one object. Failures are not kept.
 */
export class RecentReads<T> {
  readonly #maxAgeMs: number;
  readonly #reads = new Map<string, { readonly value: Promise<T>; readonly begunMs: number }>();

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs;
  }

  /** Rejects with what `read` throws, for every caller that shares the read. */
  get(key: string, nowMs: number, read: () => Promise<T>): Promise<T> {
    const known = this.#reads.get(key);
    const ageMs = known === undefined ? this.#maxAgeMs : nowMs - known.begunMs;
    // A clock that was set back makes a read look younger than it is.
    if (known !== undefined && ageMs >= 0 && ageMs < this.#maxAgeMs) {
      return known.value;
    }
    this.#forget(key, nowMs);
    const begun = { value: read(), begunMs: nowMs };
    this.#reads.set(key, begun);
    begun.value.catch(() => {
      if (this.#reads.get(key) === begun) {
        this.#reads.delete(key);
      }
    });
    return begun.value;
  }

  /** Reads that are kept. */
  get size(): number {
    return this.#reads.size;
  }

  /** Forgets the read of a key and those that are too old. They are in the order in which they began. */
  #forget(key: string, nowMs: number): void {
    this.#reads.delete(key);
    for (const [old, { begunMs }] of this.#reads) {
      if (nowMs - begunMs < this.#maxAgeMs) {
        return;
      }
      this.#reads.delete(old);
    }
  }
}
