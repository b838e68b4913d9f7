/**
 * The window is counted in this many slices. A slice counts until it has wholly left the window,
 * so the limit is never exceeded, and capacity returns at most 1/60 of a window late.
 */
const SLICES = 60;

export interface Slice {
  /** Number of the slice since 1970. */
  readonly at: number;
  count: number;
}

/** A sliding window over time as the caller tells it. Plain memory; the object keeps a copy in SQL. */
export class SlidingWindow {
  readonly #sliceMs: number;
  #slices: Slice[];

  constructor(windowMs: number, slices: readonly Slice[] = []) {
    this.#sliceMs = windowMs / SLICES;
    this.#slices = slices.map(({ at, count }) => ({ at, count }));
  }

  get slices(): readonly Slice[] {
    return this.#slices;
  }

  /** Counts one more if `limit` allows it, and gives the slice to keep; undefined when refused. */
  take(limit: number, nowMs: number): Slice | undefined {
    this.#forget(nowMs);
    if (this.used() >= limit) {
      return undefined;
    }
    const at = Math.floor(nowMs / this.#sliceMs);
    const last = this.#slices.at(-1);
    // A clock that steps back counts into the newest slice: time never gives capacity back early.
    if (last !== undefined && last.at >= at) {
      last.count += 1;
      return last;
    }
    const slice = { at, count: 1 };
    this.#slices.push(slice);
    return slice;
  }

  used(): number {
    let sum = 0;
    for (const slice of this.#slices) {
      sum += slice.count;
    }
    return sum;
  }

  /** Milliseconds until fewer than `limit` count; 0 when that is so now. */
  untilFree(limit: number, nowMs: number): number {
    let excess = this.used() - limit + 1;
    for (const slice of this.#slices) {
      if (excess <= 0) {
        break;
      }
      excess -= slice.count;
      if (excess <= 0) {
        return Math.max(1, this.#leavesAtMs(slice) - nowMs);
      }
    }
    return 0;
  }

  /** Milliseconds until the window is empty. */
  untilEmpty(nowMs: number): number {
    const last = this.#slices.at(-1);
    return last === undefined ? 0 : Math.max(0, this.#leavesAtMs(last) - nowMs);
  }

  #leavesAtMs(slice: Slice): number {
    return Math.ceil((slice.at + 1 + SLICES) * this.#sliceMs);
  }

  #forget(nowMs: number): void {
    if (this.#slices.some((slice) => this.#leavesAtMs(slice) <= nowMs)) {
      this.#slices = this.#slices.filter((slice) => this.#leavesAtMs(slice) > nowMs);
    }
  }
}
