export interface RefreshingCacheLimits {
  /** From this age on, a value is not returned. */
  readonly ttlMs: number;
  /**
   * From this age on, a use starts a refresh in the background, so that frequently used values
   * never cause a wait.
   */
  readonly refreshMs: number;
  readonly entriesMax: number;
}

/** The source of values, and the clock for their age. */
export interface RefreshingSource<V> {
  /** Undefined if there is none, which is not cached. */
  read(): Promise<V | undefined>;
  nowMs(): number;
  /** Keeps a background read alive. */
  waitUntil(read: Promise<unknown>): void;
}

interface Entry<V> {
  readonly value: V;
  readonly readAtMs: number;
  isRefreshing: boolean;
}

/**
 * Caches values that change elsewhere, each for at most `ttlMs`. When full, it removes the value
 * that was read longest ago, which expires first.
 */
export class RefreshingCache<V> {
  /** By age, the oldest first. */
  readonly #entries = new Map<string, Entry<V>>();
  readonly #limits: RefreshingCacheLimits;

  constructor(limits: RefreshingCacheLimits) {
    this.#limits = limits;
  }

  /** The value; undefined if there is none. Throws the error of a read that it waits for. */
  async get(key: string, source: RefreshingSource<V>): Promise<V | undefined> {
    const { ttlMs, refreshMs } = this.#limits;
    const entry = this.#entries.get(key);
    const ageMs = entry === undefined ? Number.POSITIVE_INFINITY : source.nowMs() - entry.readAtMs;
    // A clock that was set back makes a value look younger, by the same amount.
    if (entry === undefined || ageMs >= ttlMs || ageMs < 0) {
      return this.#read(key, source);
    }
    if (ageMs >= refreshMs && !entry.isRefreshing) {
      entry.isRefreshing = true;
      // A failed refresh has no effect: the entry expires, and the next use waits for its own read.
      source.waitUntil(this.#read(key, source).catch(() => undefined));
    }
    return entry.value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  async #read(key: string, source: RefreshingSource<V>): Promise<V | undefined> {
    // The age counts from before the read: a change during the read must not extend it.
    const readAtMs = source.nowMs();
    const value = await source.read();
    this.#entries.delete(key);
    if (value === undefined) {
      return undefined;
    }
    this.#entries.set(key, { value, readAtMs, isRefreshing: false });
    if (this.#entries.size > this.#limits.entriesMax) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) {
        this.#entries.delete(oldest.value);
      }
    }
    return value;
  }
}
