import { LEASE_TRANSIT_MS } from "./lease-policy.ts";

/**
 * The window is counted in this many slices. A slice counts until it has wholly left the window,
 * so the limit is never exceeded, and capacity returns at most 1/120 of a window late.
 */
const SLICES = 120;

export interface Slice {
  /** Number of the slice since 1970. */
  readonly at: number;
  count: number;
}

/** What is kept of a window over a sleep. */
export interface WindowRows {
  readonly slices: readonly Slice[];
  /** By how much the window's own time is ahead of the clock. */
  readonly offsetMs: number;
}

/**
 * A sliding window over time as the caller tells it. Plain memory; the object keeps a copy in SQL.
 *
 * Its own time never runs backwards: when the clock steps back, it goes on from where it was. So a
 * step back gives nothing back early, and locks nobody out for longer than the window. A step
 * forward is time that has passed, as after a sleep.
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

  /** Counts as many of `want` as `limit` allows, and answers how many. */
  take(limit: number, nowMs: number, want = 1): number {
    const at = this.#move(nowMs);
    const granted = Math.max(0, Math.min(want, limit - this.used()));
    this.#count(at, granted);
    return granted;
  }

  /** Counts what was used before it was asked for, whether or not the limit allows it. */
  record(spent: number, nowMs: number): void {
    this.#count(this.#move(nowMs), spent);
  }

  /** Takes back permits of a slice that were never used. Those of a slice that has left the window are gone. */
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

  /** Milliseconds until fewer than `limit` count; 0 when that is so now. */
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

  /** Moves on to `nowMs`, forgets what has left, and answers the number of the slice now. */
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
