import type { AttemptRecord, DeliveryRecord } from "./delivery-record.ts";
import type { EndpointRecord } from "../endpoints/endpoint-record.ts";

/**
 * The scheduler's rows, with the storage injected: SQL in the endpoint's object, arrays in the
 * simulation. Synchronous, so that a `transaction` cannot interleave with another.
 */
export interface SchedulerRows {
  /** All of `work` is committed or none of it. */
  transaction<T>(work: () => T): T;
  endpoint(): EndpointRecord;
  putEndpoint(record: EndpointRecord): void;
  insert(delivery: DeliveryRecord, body: string): void;
  update(delivery: DeliveryRecord): void;
  find(id: string): DeliveryRecord | undefined;
  hasEvent(eventId: string): boolean;
  /** Open deliveries without a lease that are due, longest due first. */
  due(nowMs: number, limit: number): readonly DeliveryRecord[];
  leased(): readonly DeliveryRecord[];
  suspendedPastDeadline(nowMs: number, limit: number): readonly DeliveryRecord[];
  /**
   * Suspends open deliveries without a lease; if a time is given, they are due at that time on
   * resume.
   */
  suspendOpen(nextAttemptAtMs: number | null): void;
  /** Opens suspended deliveries before their deadline, due at their previous time or now. */
  resumeSuspended(nowMs: number): void;
  /** Cancels open or suspended deliveries without a lease. */
  cancelUnsettled(): void;
  addAttempt(deliveryId: string, attempt: AttemptRecord): void;
  addActivity(type: string, deliveryId: string | null, atMs: number): void;
  /** The earliest due time of open, leased and suspended deliveries; null if there are none. */
  dues(): {
    readonly attemptMs: number | null;
    readonly leaseMs: number | null;
    readonly deadlineMs: number | null;
  };
}
