/** A lease as stored by its owner: its end, and the boot in which it was granted. */
interface Lease {
  readonly boot: string | null;
  readonly untilMs: number;
}

/**
 * Whether a lease is still valid. A lease of another boot has ended: in local mode its process is
 * gone, and on Cloudflare all boots have one name.
 */
export function isLeaseHeld({ boot, untilMs }: Lease, bootId: string, nowMs: number): boolean {
  return boot === bootId && untilMs > nowMs;
}

/**
 * The SQL condition that a lease is over, the opposite of `isLeaseHeld`. `lease` names the columns or
 * parameters that hold the two parts of the lease; `bootId` and `nowMs` those of the present.
 */
export function leaseOverSql(
  lease: { readonly boot: string; readonly untilMs: string },
  bootId: string,
  nowMs: string,
): string {
  return `(${lease.boot} IS NOT ${bootId} OR ${lease.untilMs} <= ${nowMs})`;
}
