import type { AttemptRecord, DeliveryRecord } from "./delivery-record.ts";
import type { EndpointRecord } from "../endpoints/endpoint-record.ts";

/**
 * What the desk keeps, with the storage injected: SQL in the endpoint's object, arrays in the
 * simulation. Synchronous, so that a `transaction` cannot interleave with another.
 */
export interface SchedulerRows {
  /** All of `work` is kept or none of it. */
  transaction<T>(work: () => T): T;
  endpoint(): EndpointRecord;
  putEndpoint(record: EndpointRecord): void;
  insert(delivery: DeliveryRecord, body: string): void;
  update(delivery: DeliveryRecord): void;
  find(id: string): DeliveryRecord | undefined;
  hasEvent(eventId: string): boolean;
  /** Open deliveries without a lease that are due, the one due longest first. */
  due(nowMs: number, limit: number): readonly DeliveryRecord[];
  leased(): readonly DeliveryRecord[];
  suspendedPastDeadline(nowMs: number, limit: number): readonly DeliveryRecord[];
  /** Suspends what is open and not leased; with a time given that is when it is due on resume. */
  suspendOpen(nextAttemptAtMs: number | null): void;
  /** Opens what is suspended and before its deadline, due when it was, or now. */
  resumeSuspended(nowMs: number): void;
  /** Cancels what is open or suspended and not leased. */
  cancelUnsettled(): void;
  addAttempt(deliveryId: string, attempt: AttemptRecord): void;
  addActivity(type: string, deliveryId: string | null, atMs: number): void;
  /** When the next thing is due among what is open, leased, suspended; null where there is none. */
  dues(): {
    readonly attemptMs: number | null;
    readonly leaseMs: number | null;
    readonly deadlineMs: number | null;
  };
}
