import { LIMITS } from "../../../lib/limits/limits-table.ts";

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

/** A delivery is tried for this long after its creation. */
export const DELIVERY_DEADLINE_MS = LIMITS.webhook_deadline.value;

/** Jitter, so that a recovered receiver does not get all retries at once. */
const JITTER_LOW = 0.8;
const JITTER_HIGH = 1.2;

export interface FailedAttempt {
  /** Failures on this schedule so far, including this one. */
  readonly failures: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Earliest time, from `Retry-After`; null if the receiver did not send one. */
  readonly floorMs: number | null;
  readonly deadlineMs: number;
}

/**
 * Time of the next attempt, null if the delivery is exhausted
 * (docs/contract/webhooks.md#deliveries). An attempt due past the deadline is made once at the
 * deadline, unless `Retry-After` forbids it. `random` returns numbers in [0, 1).
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

const SECONDS = /^\d+$/;
/** The three forms of an HTTP date (RFC 9110 §5.6.7). */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * The time before which a `Retry-After` header forbids another request (RFC 9110 §10.2.3), in
 * milliseconds since 1970: from seconds counted from `nowMs`, or from a date. Null if the header is
 * missing or is neither. May be Infinity.
 */
export function retryAfterFloor(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  if (SECONDS.test(text)) {
    return nowMs + Number(text) * 1_000;
  }
  const form = HTTP_DATES.findIndex((date) => date.test(text));
  if (form === -1) {
    return null;
  }
  // Only the last form has no time zone.
  const ms = Date.parse(form === 2 ? `${text} GMT` : text);
  return Number.isNaN(ms) ? null : ms;
}
