/** A delivery as a row: its columns, to and from its record. */
import type { WebhookDeliveryStatus } from "../../src/contracts/webhooks/webhook.ts";
import type { DeliveryRecord } from "../../src/domain/webhooks/deliveries/delivery-record.ts";

export type SqlDelivery = Record<string, SqlStorageValue> & {
  id: string;
  event_id: string;
  event_type: string;
  execution: string | null;
  is_test: number;
  status: WebhookDeliveryStatus;
  attempt_count: number;
  failures: number;
  next_at: number;
  deadline_at: number;
  created_at: number;
  delivered_at: number | null;
  fence: number;
  lease_until: number | null;
  lease_boot: string | null;
  lease_started_at: number | null;
  lease_revision: number | null;
};

export const DELIVERY_COLUMNS = `id, event_id, event_type, execution, is_test, status, attempt_count, failures, next_at,
  deadline_at, created_at, delivered_at, fence, lease_until, lease_boot, lease_started_at, lease_revision`;

/** The values of `DELIVERY_COLUMNS`, in their order. */
export function toSql(delivery: DeliveryRecord): SqlStorageValue[] {
  const { lease } = delivery;
  return [
    delivery.id,
    delivery.event_id,
    delivery.event_type,
    delivery.execution,
    delivery.is_test ? 1 : 0,
    delivery.status,
    delivery.attempt_count,
    delivery.failures,
    delivery.next_attempt_at_ms,
    delivery.deadline_at_ms,
    delivery.created_at_ms,
    delivery.delivered_at_ms,
    delivery.fence,
    lease?.until_ms ?? null,
    lease?.boot ?? null,
    lease?.started_at_ms ?? null,
    lease?.url_revision ?? null,
  ];
}

export function fromSql(row: SqlDelivery): DeliveryRecord {
  return {
    id: row.id,
    event_id: row.event_id,
    event_type: row.event_type,
    execution: row.execution,
    is_test: row.is_test === 1,
    status: row.status,
    attempt_count: row.attempt_count,
    failures: row.failures,
    next_attempt_at_ms: row.next_at,
    deadline_at_ms: row.deadline_at,
    created_at_ms: row.created_at,
    delivered_at_ms: row.delivered_at,
    fence: row.fence,
    lease:
      row.lease_until === null
        ? null
        : {
            until_ms: row.lease_until,
            boot: row.lease_boot ?? "",
            started_at_ms: row.lease_started_at ?? 0,
            url_revision: row.lease_revision ?? 0,
          },
  };
}
