import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryStatus,
} from "../../../contracts/webhook.ts";

/** An attempt that is being made: nobody else may make one until it is reported or its time is up. */
export interface AttemptLease {
  readonly until_ms: number;
  readonly boot: string;
  readonly started_at_ms: number;
  readonly url_revision: number;
}

/** One event on its way to one endpoint, without its body and its attempts. */
export interface DeliveryRecord {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly execution: string | null;
  readonly is_test: boolean;
  readonly status: WebhookDeliveryStatus;
  readonly attempt_count: number;
  /** Failures on the current schedule. An attempt that our own restart cut off is not the receiver's failure. */
  readonly failures: number;
  /** When it is next due. Kept while suspended: a floor that the receiver set still holds on resume. */
  readonly next_attempt_at_ms: number;
  readonly deadline_at_ms: number;
  readonly created_at_ms: number;
  readonly delivered_at_ms: number | null;
  /** Grows with each lease: a report under an older one changes nothing. */
  readonly fence: number;
  readonly lease: AttemptLease | null;
}

/** What an attempt came to, as whoever made it tells. */
export interface AttemptOutcome {
  readonly duration_ms: number | null;
  readonly response_status: number | null;
  readonly error_code: WebhookAttempt["error_code"];
  readonly response_excerpt: string;
  /** The header as it came. */
  readonly retry_after: string | null;
}

export interface AttemptRecord extends Omit<AttemptOutcome, "retry_after"> {
  readonly number: number;
  readonly started_at_ms: number;
  readonly url_revision: number;
}

export function isOpen(status: WebhookDeliveryStatus): boolean {
  return status === "pending" || status === "retrying";
}

/** What callers see of a delivery. */
export function deliveryView(
  endpointId: string,
  record: DeliveryRecord,
  attempts: readonly AttemptRecord[],
): WebhookDelivery {
  return {
    id: record.id,
    endpoint_id: endpointId,
    event_id: record.event_id,
    event_type: record.event_type,
    execution: record.execution,
    status: record.status,
    attempt_count: record.attempt_count,
    next_attempt_at: isOpen(record.status)
      ? new Date(record.next_attempt_at_ms).toISOString()
      : null,
    created_at: new Date(record.created_at_ms).toISOString(),
    delivered_at:
      record.delivered_at_ms === null ? null : new Date(record.delivered_at_ms).toISOString(),
    attempts: attempts.map(attemptView),
  };
}

export function attemptView(attempt: AttemptRecord): WebhookAttempt {
  return {
    number: attempt.number,
    started_at: new Date(attempt.started_at_ms).toISOString(),
    duration_ms: attempt.duration_ms,
    response_status: attempt.response_status,
    error_code: attempt.error_code,
    response_excerpt: attempt.response_excerpt,
    url_revision: attempt.url_revision,
  };
}
