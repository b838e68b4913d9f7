/** Random numbers determined by a seed (mulberry32), so that every failure can be reproduced. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Uniform among the whole numbers from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** Uniform among the whole numbers from 0 up to and without `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    const chosen = list[this.int(0, list.length - 1)];
    if (chosen === undefined) {
      throw new RangeError("nothing to pick from");
    }
    return chosen;
  }

  /** The same elements in a drawn order (Fisher and Yates). */
  shuffled<T>(list: readonly T[]): T[] {
    const drawn: T[] = [];
    const left = [...list];
    while (left.length > 0) {
      drawn.push(...left.splice(this.below(left.length), 1));
    }
    return drawn;
  }
}
