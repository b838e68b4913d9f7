import { isolateMemory, type KeptMemory, type MemoryBudget } from "../lib/memory-budget.ts";

interface Weighed<V> {
  readonly value: V;
  readonly weight: number;
}

/** Keeps what was used last, up to a total weight; for immutable things of very different size. */
export class WeightedCache<V> {
  readonly #entries = new Map<string, Weighed<V>>();
  readonly #weightMax: number;
  readonly #kept: KeptMemory | undefined;
  readonly #bytesOfWeight: number;
  #weight = 0;

  /**
   * With `bytesOfWeight`, what is kept counts in the isolate's memory budget, at so many bytes for
   * each unit of weight, and goes when its room is needed.
   */
  constructor(weightMax: number, bytesOfWeight = 0, budget: MemoryBudget = isolateMemory) {
    this.#weightMax = weightMax;
    this.#bytesOfWeight = bytesOfWeight;
    this.#kept =
      bytesOfWeight === 0
        ? undefined
        : budget.keep(0, () => {
            this.#entries.clear();
            this.#weight = 0;
          });
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
    if (weight <= this.#weightMax) {
      this.#entries.set(key, { value, weight });
      this.#weight += weight;
    }
    for (const [oldest, entry] of this.#entries) {
      if (this.#weight <= this.#weightMax) {
        break;
      }
      this.#entries.delete(oldest);
      this.#weight -= entry.weight;
    }
    this.#kept?.resize(this.#weight * this.#bytesOfWeight);
  }
}
