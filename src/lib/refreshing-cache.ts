export interface RefreshingCacheLimits {
  /** From this age on a value is no longer given. */
  readonly ttlMs: number;
  /** From this age on whoever asks has it read again meanwhile, so that what is busy is never waited for. */
  readonly refreshMs: number;
  readonly entriesMax: number;
}

/** Where values come from, and by which clock they age. */
export interface RefreshingSource<V> {
  /** Undefined when there is none, which is not kept. */
  read(): Promise<V | undefined>;
  nowMs(): number;
  /** Keeps a read alive that nobody waits for. */
  waitUntil(read: Promise<unknown>): void;
}

interface Entry<V> {
  readonly value: V;
  readonly readAtMs: number;
  isRefreshing: boolean;
}

/**
 * Values that change somewhere else, each at most `ttlMs` old. When it is full it forgets what was
 * read longest ago: that has lapsed, or will before anything else.
 */
export class RefreshingCache<V> {
  /** By age, the oldest first. */
  readonly #entries = new Map<string, Entry<V>>();
  readonly #limits: RefreshingCacheLimits;

  constructor(limits: RefreshingCacheLimits) {
    this.#limits = limits;
  }

  /** The value; undefined when there is none. Throws what a read throws that is waited for. */
  async get(key: string, source: RefreshingSource<V>): Promise<V | undefined> {
    const { ttlMs, refreshMs } = this.#limits;
    const entry = this.#entries.get(key);
    const ageMs = entry === undefined ? Number.POSITIVE_INFINITY : source.nowMs() - entry.readAtMs;
    // A clock that has stepped back makes a value look younger than it is, by as much as it stepped.
    if (entry === undefined || ageMs >= ttlMs || ageMs < 0) {
      return this.#read(key, source);
    }
    if (ageMs >= refreshMs && !entry.isRefreshing) {
      entry.isRefreshing = true;
      // A failed refresh costs nothing: the entry lapses, and the next to ask waits for its own read.
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
    // The age counts from before the read: a change that lands during it must not gain time.
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
