/** How deliveries begin: from an event of a run, as a test, or again after their end. */
import { TEST_EVENT, type WebhookDeliveryStatus } from "../../../contracts/webhooks/webhook.ts";
import { fail, ok, type Result } from "../../../lib/result.ts";
import type { EndpointRecord } from "../endpoints/endpoint-record.ts";
import type { DeliveryRecord } from "./delivery-record.ts";
import { DELIVERY_DEADLINE_MS } from "./next-attempt.ts";

export interface WebhookEvent {
  readonly event_id: string;
  readonly event_type: string;
  readonly execution: string | null;
  readonly workflow_id: string;
  readonly body: string;
}

export interface NewDelivery extends Pick<WebhookEvent, "event_id" | "event_type" | "execution"> {
  readonly status: WebhookDeliveryStatus;
  readonly is_test: boolean;
}

/** A delivery that is due now. */
export function newDelivery(
  id: string,
  { event_id, event_type, execution, status, is_test }: NewDelivery,
  nowMs: number,
): DeliveryRecord {
  return {
    id,
    event_id,
    event_type: is_test ? TEST_EVENT : event_type,
    execution,
    is_test,
    status,
    attempt_count: 0,
    failures: 0,
    next_attempt_at_ms: nowMs,
    deadline_at_ms: nowMs + DELIVERY_DEADLINE_MS,
    created_at_ms: nowMs,
    delivered_at_ms: null,
    fence: 0,
    lease: null,
  };
}

/** The final delivery with a schedule of its own that begins now; the reason if it cannot be sent again. */
export function sentAgain(
  delivery: DeliveryRecord,
  endpoint: EndpointRecord,
  kind: "retry" | "replay",
  nowMs: number,
): Result<DeliveryRecord> {
  const allowed = kind === "retry" ? ["exhausted"] : ["exhausted", "delivered"];
  if (delivery.is_test || delivery.lease !== null || !allowed.includes(delivery.status)) {
    return fail(
      "delivery_not_retryable",
      `The delivery ${delivery.id} ${delivery.is_test ? "is a test, which is sent once" : `is ${delivery.status}`}; a ${kind} needs one that is ${allowed.join(" or ")}.`,
    );
  }
  const status = openStatus(endpoint);
  if (status === null) {
    return fail(
      "invalid_state",
      `The endpoint ${endpoint.id} is ${endpoint.status}, and nothing is sent to it. Test and activate it first.`,
    );
  }
  return ok({
    ...delivery,
    status: status === "suspended" ? "suspended" : "retrying",
    failures: 0,
    next_attempt_at_ms: nowMs,
    deadline_at_ms: nowMs + DELIVERY_DEADLINE_MS,
  });
}

/**
 * Whether, and in which state, the endpoint receives an event of a run now
 * (docs/contract/webhooks.md#deliveries).
 */
export function matchedStatus(
  endpoint: EndpointRecord,
  event: WebhookEvent,
): "pending" | "suspended" | null {
  if (
    !endpoint.event_types.includes(event.event_type) ||
    (endpoint.workflow_scope === "selected" && !endpoint.workflow_ids.includes(event.workflow_id))
  ) {
    return null;
  }
  return openStatus(endpoint);
}

function openStatus(endpoint: EndpointRecord): "pending" | "suspended" | null {
  switch (endpoint.status) {
    case "active":
      return "pending";
    case "paused":
      return "suspended";
    case "pending_verification":
      return endpoint.was_verified && endpoint.url_revision > 1 ? "suspended" : null;
    case "disabled":
    case "archived":
      return null;
  }
}
