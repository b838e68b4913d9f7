/**
 * The gain of a limiter: never above the gain that each frame needs, smooth before and after. Typed arrays are read within
 * their bounds; `as number` removes the `undefined` that the type checker adds.
 */

/** Sums of a window that moves by one value at a time, of values that are 1 for most of the time. */
class MovingMean {
  readonly #values: Float64Array;
  #at = 0;
  #sum: number;
  /** Values other than 1 in the window; at none the sum is set, so that rounding does not add up. */
  #others = 0;

  constructor(length: number) {
    this.#values = new Float64Array(length).fill(1);
    this.#sum = length;
  }

  next(value: number): number {
    const oldest = this.#values[this.#at] as number;
    this.#values[this.#at] = value;
    this.#at = this.#at + 1 === this.#values.length ? 0 : this.#at + 1;
    this.#others += (value === 1 ? 0 : 1) - (oldest === 1 ? 0 : 1);
    this.#sum = this.#others === 0 ? this.#values.length : this.#sum + value - oldest;
    return this.#sum / this.#values.length;
  }
}

/** The least of the latest `length` values, in amortized constant time. */
class MovingMinimum {
  readonly #values: Float64Array;
  readonly #places: Float64Array;
  readonly #length: number;
  #first = 0;
  #count = 0;
  #place = 0;

  constructor(length: number) {
    this.#length = length;
    this.#values = new Float64Array(length + 1);
    this.#places = new Float64Array(length + 1);
  }

  next(value: number): number {
    const size = this.#values.length;
    while (
      this.#count > 0 &&
      (this.#values[(this.#first + this.#count - 1) % size] as number) >= value
    ) {
      this.#count -= 1;
    }
    const last = (this.#first + this.#count) % size;
    this.#values[last] = value;
    this.#places[last] = this.#place;
    this.#count += 1;
    if ((this.#places[this.#first] as number) <= this.#place - this.#length) {
      this.#first = (this.#first + 1) % size;
      this.#count -= 1;
    }
    this.#place += 1;
    return this.#values[this.#first] as number;
  }
}

/** Below this distance a gain has returned to 1. */
const RETURNED = 1e-9;

/**
 * Takes the greatest allowed gain of each frame and returns the gain of the frame `lookAhead` frames before. A lower gain is
 * approached along an S curve during the look-ahead, and left exponentially.
 */
export class GainEnvelope {
  readonly #minimum: MovingMinimum;
  readonly #first: MovingMean;
  readonly #second: MovingMean;
  readonly #release: number;
  #held = 1;
  /** Frames since the last gain below 1, up to the length of all windows. */
  #idle: number;
  readonly #idleAt: number;

  constructor(lookAhead: number, releaseFrames: number) {
    // Both means together reach over the look-ahead and the frame itself, as the minimum does.
    const half = (lookAhead >> 1) + 1;
    this.#minimum = new MovingMinimum(lookAhead + 1);
    this.#first = new MovingMean(half);
    this.#second = new MovingMean(lookAhead + 2 - half);
    this.#release = 1 - Math.exp(-1 / releaseFrames);
    this.#idleAt = 3 * (lookAhead + 2);
    this.#idle = this.#idleAt;
  }

  /** Whether every gain is 1 until an allowed gain below 1 comes. */
  get isIdle(): boolean {
    return this.#idle >= this.#idleAt;
  }

  next(allowed: number): number {
    if (allowed < 1) {
      this.#idle = 0;
    } else if (this.#held === 1) {
      if (this.#idle >= this.#idleAt) {
        return 1;
      }
      this.#idle += 1;
    }
    const least = this.#minimum.next(allowed);
    if (least < this.#held) {
      this.#held = least;
    } else {
      this.#held += (least - this.#held) * this.#release;
      if (1 - this.#held < RETURNED) {
        this.#held = 1;
      }
    }
    return this.#second.next(this.#first.next(this.#held));
  }
}
