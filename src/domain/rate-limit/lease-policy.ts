/**
 * How isolates share a window. An isolate counts its permits down without a call; these values
 * bound the resulting error. docs/limits.md has the calculation.
 */

/**
 * Plans below this number of requests per window ask for each request: 2 % of it would be too few
 * to share.
 */
const LEASED_FROM_LIMIT = 600;

/** Fraction of the window's limit that one isolate may hold. */
const SHARE = 0.02;

/**
 * A lease ends this long after its arrival: permits are counted for at most 250 ms of traffic in
 * advance.
 */
export const LEASE_MS = 250;

/**
 * A lease also ends this long after its request, however long the transit was. The window counts a
 * permit for as much longer, so that a permit that is used late is still counted then.
 */
export const LEASE_TRANSIT_MS = 500;

/** Number of permits that one isolate may hold at once. */
export function permitsMax(limit: number): number {
  return limit < LEASED_FROM_LIMIT ? 1 : Math.floor(limit * SHARE);
}
