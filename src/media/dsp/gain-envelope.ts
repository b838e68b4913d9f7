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

  /** Replaces the values from one index to before another with the means up to each of them. */
  apply(line: Float64Array, from: number, to: number): void {
    const values = this.#values;
    const { length } = values;
    let [at, sum, others] = [this.#at, this.#sum, this.#others];
    for (let i = from; i < to; i++) {
      const value = line[i] as number;
      const oldest = values[at] as number;
      values[at] = value;
      at = at + 1 === length ? 0 : at + 1;
      others += (value === 1 ? 0 : 1) - (oldest === 1 ? 0 : 1);
      sum = others === 0 ? length : sum + value - oldest;
      line[i] = sum / length;
    }
    this.#at = at;
    this.#sum = sum;
    this.#others = others;
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
    const values = this.#values;
    const size = values.length;
    let count = this.#count;
    // Behind the last value; the ring is as long as the window and one more.
    let end = this.#first + count;
    end = end >= size ? end - size : end;
    while (count > 0) {
      const last = end === 0 ? size - 1 : end - 1;
      if ((values[last] as number) < value) {
        break;
      }
      end = last;
      count -= 1;
    }
    values[end] = value;
    this.#places[end] = this.#place;
    count += 1;
    if ((this.#places[this.#first] as number) <= this.#place - this.#length) {
      this.#first = this.#first + 1 === size ? 0 : this.#first + 1;
      count -= 1;
    }
    this.#count = count;
    this.#place += 1;
    return values[this.#first] as number;
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

  /** Replaces the greatest allowed gains of successive frames with the gains of the frames `lookAhead` before. */
  apply(gains: Float64Array): void {
    for (let from = 0; from < gains.length;) {
      if (this.isIdle && this.#held === 1 && (gains[from] as number) >= 1) {
        gains[from] = 1;
        from += 1;
        continue;
      }
      const to = this.#hold(gains, from);
      this.#first.apply(gains, from, to);
      this.#second.apply(gains, from, to);
      from = to;
    }
  }

  /** Replaces allowed gains with held ones, up to the frame before which the envelope is idle. */
  #hold(gains: Float64Array, from: number): number {
    let held = this.#held;
    let at = from;
    for (; at < gains.length; at++) {
      const allowed = gains[at] as number;
      if (allowed < 1) {
        this.#idle = 0;
      } else if (held === 1) {
        if (this.isIdle) {
          break;
        }
        this.#idle += 1;
      }
      const least = this.#minimum.next(allowed);
      if (least < held) {
        held = least;
      } else {
        held += (least - held) * this.#release;
        if (1 - held < RETURNED) {
          held = 1;
        }
      }
      gains[at] = held;
    }
    this.#held = held;
    return at;
  }
}
