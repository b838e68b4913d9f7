import { LEASE_TRANSIT_MS } from "./lease-policy.ts";

/**
 * Number of slices of a window. A slice counts until it is completely outside of the window, so the
 * limit is never exceeded, and capacity returns at most 1/120 of a window late.
 */
const SLICES = 120;

export interface Slice {
  /** Number of the slice since 1970. */
  readonly at: number;
  count: number;
}

/** The state of a window that survives hibernation. */
export interface WindowRows {
  readonly slices: readonly Slice[];
  /** Milliseconds by which the window's time is ahead of the clock. */
  readonly offsetMs: number;
}

/**
 * A sliding window over the caller's time. In memory; the object keeps a copy in SQL.
 *
 * Its time never runs backwards: if the clock steps back, it continues from its own time. A step
 * back therefore frees no permit early, and blocks no caller for longer than the window. A step
 * forward counts as elapsed time, as after hibernation.
 */
export class SlidingWindow {
  readonly #windowMs: number;
  readonly #sliceMs: number;
  #slices: Slice[];
  #offsetMs: number;
  #latestMs: number;

  constructor(windowMs: number, rows: WindowRows = { slices: [], offsetMs: 0 }) {
    this.#windowMs = windowMs;
    this.#sliceMs = windowMs / SLICES;
    this.#slices = rows.slices.map(({ at, count }) => ({ at, count }));
    this.#offsetMs = rows.offsetMs;
    this.#latestMs = (rows.slices.at(-1)?.at ?? 0) * this.#sliceMs;
  }

  get windowMs(): number {
    return this.#windowMs;
  }

  get slices(): readonly Slice[] {
    return this.#slices;
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Counts as many of `want` as `limit` allows, and returns that number. */
  take(limit: number, nowMs: number, want = 1): number {
    const at = this.#move(nowMs);
    const granted = Math.max(0, Math.min(want, limit - this.used()));
    this.#count(at, granted);
    return granted;
  }

  /** Counts permits that were used before they were requested, even above the limit. */
  record(spent: number, nowMs: number): void {
    this.#count(this.#move(nowMs), spent);
  }

  /**
   * Takes back permits of a slice that were never used. Permits of a slice outside of the window
   * are ignored.
   */
  giveBack(at: number, unused: number): Slice | undefined {
    const slice = this.#slices.find((candidate) => candidate.at === at);
    if (slice !== undefined) {
      slice.count -= Math.min(slice.count, Math.max(0, unused));
    }
    return slice;
  }

  used(): number {
    let sum = 0;
    for (const slice of this.#slices) {
      sum += slice.count;
    }
    return sum;
  }

  /** Milliseconds until fewer than `limit` permits count; 0 if that is the case now. */
  untilFree(limit: number, nowMs: number): number {
    const at = this.#timeOf(nowMs);
    let excess = this.used() - limit + 1;
    for (const slice of this.#slices) {
      if (excess <= 0) {
        break;
      }
      excess -= slice.count;
      if (excess <= 0) {
        return Math.max(1, this.#leavesAtMs(slice) - at);
      }
    }
    return 0;
  }

  /** Milliseconds until the window is empty. */
  untilEmpty(nowMs: number): number {
    const last = this.#slices.at(-1);
    return last === undefined ? 0 : Math.max(0, this.#leavesAtMs(last) - this.#timeOf(nowMs));
  }

  /**
   * Advances to `nowMs`, drops slices outside of the window, and returns the number of the current
   * slice.
   */
  #move(nowMs: number): number {
    const timeMs = this.#timeOf(nowMs);
    this.#offsetMs = timeMs - nowMs;
    this.#latestMs = timeMs;
    if (this.#slices.some((slice) => this.#leavesAtMs(slice) <= timeMs)) {
      this.#slices = this.#slices.filter((slice) => this.#leavesAtMs(slice) > timeMs);
    }
    return Math.floor(timeMs / this.#sliceMs);
  }

  #timeOf(nowMs: number): number {
    return Math.max(nowMs + this.#offsetMs, this.#latestMs);
  }

  #count(at: number, more: number): void {
    if (more <= 0) {
      return;
    }
    const last = this.#slices.at(-1);
    if (last !== undefined && last.at >= at) {
      last.count += more;
    } else {
      this.#slices.push({ at, count: more });
    }
  }

  #leavesAtMs(slice: Slice): number {
    return Math.ceil((slice.at + 1 + SLICES) * this.#sliceMs) + LEASE_TRANSIT_MS;
  }
}
