import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryStatus,
} from "../../../contracts/webhooks/webhook.ts";

/**
 * An attempt in progress: no other attempt may begin until it is reported or its lease has ended.
 */
export interface AttemptLease {
  readonly until_ms: number;
  readonly boot: string;
  readonly started_at_ms: number;
  readonly url_revision: number;
}

/** One event for one endpoint, without its body and its attempts. */
export interface DeliveryRecord {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly execution: string | null;
  readonly is_test: boolean;
  readonly status: WebhookDeliveryStatus;
  readonly attempt_count: number;
  /**
   * Failures on the current schedule. An attempt that a restart of the service interrupted does not
   * count.
   */
  readonly failures: number;
  /**
   * Time of the next attempt. Kept while suspended: a delay that the receiver requested still
   * applies on resume.
   */
  readonly next_attempt_at_ms: number;
  readonly deadline_at_ms: number;
  readonly created_at_ms: number;
  readonly delivered_at_ms: number | null;
  /** Grows with each lease: a report under an older one has no effect. */
  readonly fence: number;
  readonly lease: AttemptLease | null;
}

/** The reported outcome of an attempt. */
export interface AttemptOutcome {
  readonly duration_ms: number | null;
  readonly response_status: number | null;
  readonly error_code: WebhookAttempt["error_code"];
  readonly response_excerpt: string;
  /** The header as received. */
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

/** The public view of a delivery. */
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
