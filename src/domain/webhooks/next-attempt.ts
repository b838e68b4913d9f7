import { LIMITS } from "../../lib/limits-table.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits between attempts (docs/contract/webhooks.md#deliveries); after the last one a delivery is exhausted. */
export const RETRY_STEPS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  8 * HOUR,
];

/** From its beginning a delivery is tried for this long. */
export const DELIVERY_DEADLINE_MS = LIMITS.webhook_deadline.value;

/** Jitter keeps receivers that came back from meeting everybody at once. */
const JITTER_LOW = 0.8;
const JITTER_HIGH = 1.2;

export interface FailedAttempt {
  /** Failures on this schedule so far, this one included. */
  readonly failures: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** No earlier than this, from `Retry-After`; null when the receiver asked for nothing. */
  readonly floorMs: number | null;
  readonly deadlineMs: number;
}

/**
 * When the next attempt is due, null when the delivery is exhausted (docs/contract/webhooks.md#deliveries). An
 * attempt due past the deadline is made at it once, unless `Retry-After` forbids that.
 * `random` gives numbers in [0, 1).
 */
export function nextAttemptMs(failed: FailedAttempt, random: () => number): number | null {
  const step = RETRY_STEPS_MS[failed.failures - 1];
  const floorMs = failed.floorMs ?? Number.NEGATIVE_INFINITY;
  if (
    step === undefined ||
    failed.startedAtMs >= failed.deadlineMs ||
    floorMs > failed.deadlineMs
  ) {
    return null;
  }
  const waitMs = step * (JITTER_LOW + (JITTER_HIGH - JITTER_LOW) * random());
  const dueMs = Math.max(Math.ceil(failed.endedAtMs + waitMs), floorMs);
  return Math.max(Math.min(dueMs, failed.deadlineMs), failed.endedAtMs);
}
