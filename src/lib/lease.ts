/** A lease as its owner keeps it: until when, and in which boot it was given. */
interface Lease {
  readonly boot: string | null;
  readonly untilMs: number;
}

/**
 * Whether somebody may still work under a lease. One of another boot has ended: locally its process is gone, and
 * on Cloudflare all boots have one name.
 */
export function isLeaseHeld({ boot, untilMs }: Lease, bootId: string, nowMs: number): boolean {
  return boot === bootId && untilMs > nowMs;
}
