/** A wait is at least this long: each end of one costs a message, a lease and a report. */
const WAIT_MIN_MS = 250;

/** And at most this long: who wants more waits again. */
const WAIT_MAX_MS = 3_600_000;

/** A resumed task has at least this long, however little of its time is left: to see that its work is done. */
const RESUMED_MIN_MS = 10_000;

/** Where a task stands that has waited or wants to. */
interface WaitingCall {
  /** When its first attempt that waited began, by the clock as it was. */
  readonly sinceMs: number;
  readonly nowMs: number;
  /** The node's time limit, which counts over all waits. */
  readonly limitMs: number;
}

/**
 * [E26] How long a task that asks for `askedMs` waits, in milliseconds; null when the node's time is
 * over. Never beyond the end of that time, so a task that always waits ends with it.
 */
export function waitMs(askedMs: number, { sinceMs, nowMs, limitMs }: WaitingCall): number | null {
  const leftMs = leftOf({ sinceMs, nowMs, limitMs });
  if (leftMs <= 0) {
    return null;
  }
  const asked = Number.isFinite(askedMs) ? Math.max(askedMs, WAIT_MIN_MS) : WAIT_MAX_MS;
  return Math.ceil(Math.min(asked, WAIT_MAX_MS, leftMs));
}

/** [E26] How long a task that goes on after a wait may run, in milliseconds. */
export function resumedLimitMs(call: WaitingCall): number {
  return Math.min(call.limitMs, Math.max(leftOf(call), RESUMED_MIN_MS));
}

/** A clock that stepped back gives nobody more than the whole limit. */
function leftOf({ sinceMs, nowMs, limitMs }: WaitingCall): number {
  return Math.min(sinceMs + limitMs - nowMs, limitMs);
}
