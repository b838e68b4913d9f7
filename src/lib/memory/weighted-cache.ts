import { isolateMemory, type KeptMemory, type MemoryBudget } from "./memory-budget.ts";

interface Weighed<V> {
  readonly value: V;
  readonly weight: number;
}

/**
 * Keeps the most recently used values, up to a total weight; for immutable values of very different
 * sizes.
 */
export class WeightedCache<V> {
  readonly #entries = new Map<string, Weighed<V>>();
  readonly #weightMax: number;
  readonly #kept: KeptMemory | undefined;
  readonly #bytesOfWeight: number;
  #weight = 0;

  /**
   * With `bytesOfWeight`, kept values count in the isolate's memory budget, with that many bytes
   * for each unit of weight, and are dropped when their room is needed.
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

  /** Of all kept values. */
  get weight(): number {
    return this.#weight;
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

  /** A value that weighs more than the whole cache is not kept. */
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
