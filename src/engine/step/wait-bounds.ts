/** Minimum wait, because each end of a wait costs a message, a lease and a report. */
const WAIT_MIN_MS = 250;

/** Maximum wait; a task that needs longer waits again. */
const WAIT_MAX_MS = 3_600_000;

/** Minimum run time of a resumed task, however little of its time limit is left, to detect that its work is done. */
const RESUMED_MIN_MS = 10_000;

/** The position of a task that has waited or requests a wait. */
interface WaitingCall {
  /** Start of its first attempt that waited, by the clock of that moment. */
  readonly sinceMs: number;
  readonly nowMs: number;
  /** The node's time limit, which counts over all waits. */
  readonly limitMs: number;
}

/**
 * [E26] Returns the wait of a task that requests `askedMs`, in milliseconds; null if the node's time limit has passed.
 * Never beyond that limit, so a task that always waits ends with it.
 */
export function waitMs(askedMs: number, { sinceMs, nowMs, limitMs }: WaitingCall): number | null {
  const leftMs = leftOf({ sinceMs, nowMs, limitMs });
  if (leftMs <= 0) {
    return null;
  }
  return Math.min(queuedWaitMs(askedMs), Math.ceil(leftMs));
}

/**
 * [E26] The same for a task that waits for its turn: its node's time limit does not run. The run's own limit ends a task
 * that waits for its turn again and again [E23].
 */
export function queuedWaitMs(askedMs: number): number {
  const asked = Number.isFinite(askedMs) ? Math.max(askedMs, WAIT_MIN_MS) : WAIT_MAX_MS;
  return Math.ceil(Math.min(asked, WAIT_MAX_MS));
}

/** [E26] Returns how long a task may run after a wait, in milliseconds. */
export function resumedLimitMs(call: WaitingCall): number {
  return Math.min(call.limitMs, Math.max(leftOf(call), RESUMED_MIN_MS));
}

/** If the clock stepped back, the limit still applies as a maximum. */
function leftOf({ sinceMs, nowMs, limitMs }: WaitingCall): number {
  return Math.min(sinceMs + limitMs - nowMs, limitMs);
}
