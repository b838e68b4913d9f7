interface Weighed<V> {
  readonly value: V;
  readonly weight: number;
}

/** Keeps what was used last, up to a total weight; for immutable things of very different size. */
export class WeightedCache<V> {
  readonly #entries = new Map<string, Weighed<V>>();
  readonly #weightMax: number;
  #weight = 0;

  constructor(weightMax: number) {
    this.#weightMax = weightMax;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** What weighs more than the whole cache may is not kept. */
  set(key: string, value: V, weight: number): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
    if (weight > this.#weightMax) {
      return;
    }
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const [oldest, entry] of this.#entries) {
      if (this.#weight <= this.#weightMax) {
        return;
      }
      this.#entries.delete(oldest);
      this.#weight -= entry.weight;
    }
  }
}
