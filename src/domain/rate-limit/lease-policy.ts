/**
 * How isolates share a window. What an isolate holds it counts down without asking anybody; the
 * figures here are what bounds that. docs/limits.md has the arithmetic.
 */

/** Plans below this many requests a window are asked about each time: 2 % of them would be too few to share. */
const LEASED_FROM_LIMIT = 600;

/** What one isolate may hold, of the window's figure. */
const SHARE = 0.02;

/** A lease ends this long after it arrived: at most 250 ms worth of traffic is counted ahead. */
export const LEASE_MS = 250;

/**
 * And this long after it was asked for, however long it travelled. The window keeps counting a
 * permit for as much longer, so that one that is used late is still counted then.
 */
export const LEASE_TRANSIT_MS = 500;

/** Permits one isolate may hold at once. */
export function permitsMax(limit: number): number {
  return limit < LEASED_FROM_LIMIT ? 1 : Math.floor(limit * SHARE);
}
