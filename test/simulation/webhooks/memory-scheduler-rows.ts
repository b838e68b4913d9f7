import type {
  AttemptRecord,
  DeliveryRecord,
} from "../../../src/domain/webhooks/deliveries/delivery-record.ts";
import type { SchedulerRows } from "../../../src/domain/webhooks/deliveries/scheduler-rows.ts";
import type { EndpointRecord } from "../../../src/domain/webhooks/endpoints/endpoint-record.ts";

interface Kept {
  record: EndpointRecord;
  deliveries: Map<string, DeliveryRecord>;
  bodies: Map<string, string>;
  attempts: [string, AttemptRecord][];
}

function isOpen({ status }: DeliveryRecord): boolean {
  return status === "pending" || status === "retrying";
}

const FINISHED = "com.svc.execution.finished.v1";

/** The rows of an endpoint in memory, with transactions that can be interrupted. */
export class MemorySchedulerRows implements SchedulerRows {
  #kept: Kept;
  #depth = 0;
  /** Thrown once by the next transaction, after its work and before its commit. */
  failNext: Error | undefined;

  constructor(record: EndpointRecord) {
    this.#kept = { record, deliveries: new Map(), bodies: new Map(), attempts: [] };
  }

  transaction<T>(work: () => T): T {
    if (this.#depth > 0) {
      return work();
    }
    const { record, deliveries, bodies, attempts } = this.#kept;
    const before = {
      record,
      deliveries: new Map(deliveries),
      bodies: new Map(bodies),
      attempts: [...attempts],
    };
    this.#depth = 1;
    try {
      const result = work();
      if (this.failNext !== undefined) {
        const error = this.failNext;
        this.failNext = undefined;
        throw error;
      }
      return result;
    } catch (error) {
      this.#kept = before;
      throw error;
    } finally {
      this.#depth = 0;
    }
  }

  endpoint(): EndpointRecord {
    return this.#kept.record;
  }

  putEndpoint(record: EndpointRecord): void {
    this.#kept.record = record;
  }

  insert(delivery: DeliveryRecord, body: string): void {
    if (this.hasEvent(delivery.event_id) || this.#kept.deliveries.has(delivery.id)) {
      throw new Error("UNIQUE constraint failed");
    }
    this.#kept.deliveries.set(delivery.id, delivery);
    this.#kept.bodies.set(delivery.id, body);
  }

  update(delivery: DeliveryRecord): void {
    this.#kept.deliveries.set(delivery.id, delivery);
  }

  find(id: string): DeliveryRecord | undefined {
    return this.#kept.deliveries.get(id);
  }

  hasEvent(eventId: string): boolean {
    return this.all().some(({ event_id: id }) => id === eventId);
  }

  due(nowMs: number, limit: number): readonly DeliveryRecord[] {
    return this.all()
      .filter((d) => isOpen(d) && d.lease === null && d.next_attempt_at_ms <= nowMs)
      .toSorted((a, b) => a.next_attempt_at_ms - b.next_attempt_at_ms)
      .slice(0, Math.max(0, limit));
  }

  leased(): readonly DeliveryRecord[] {
    return this.all().filter(({ lease }) => lease !== null);
  }

  suspendedPastDeadline(nowMs: number, limit: number): readonly DeliveryRecord[] {
    return this.all()
      .filter((d) => d.status === "suspended" && d.deadline_at_ms <= nowMs)
      .slice(0, limit);
  }

  suspendOpen(nextAttemptAtMs: number | null): void {
    for (const d of this.all()) {
      const isSuspended = isOpen(d) && d.lease === null;
      if (isSuspended || (d.status === "suspended" && nextAttemptAtMs !== null)) {
        this.update({
          ...d,
          status: "suspended",
          next_attempt_at_ms: nextAttemptAtMs ?? d.next_attempt_at_ms,
        });
      }
    }
  }

  resumeSuspended(nowMs: number): void {
    for (const d of this.all()) {
      if (d.status === "suspended" && d.deadline_at_ms > nowMs) {
        this.update({
          ...d,
          status: d.attempt_count > 0 ? "retrying" : "pending",
          next_attempt_at_ms: Math.max(d.next_attempt_at_ms, nowMs),
        });
      }
    }
  }

  cancelUnsettled(): void {
    for (const d of this.all()) {
      if ((isOpen(d) || d.status === "suspended") && d.lease === null) {
        this.update({ ...d, status: "cancelled" });
      }
    }
  }

  addAttempt(deliveryId: string, attempt: AttemptRecord): void {
    if (this.attempts(deliveryId).some(({ number }) => number === attempt.number)) {
      throw new Error("UNIQUE constraint failed");
    }
    this.#kept.attempts.push([deliveryId, attempt]);
  }

  addActivity(): void {
    // No decision depends on it.
  }

  dues(): { attemptMs: number | null; leaseMs: number | null; deadlineMs: number | null } {
    const least = (times: readonly number[]) => (times.length === 0 ? null : Math.min(...times));
    const all = this.all();
    return {
      attemptMs: least(
        all.filter((d) => isOpen(d) && d.lease === null).map((d) => d.next_attempt_at_ms),
      ),
      leaseMs: least(all.flatMap(({ lease }) => (lease === null ? [] : [lease.until_ms]))),
      deadlineMs: least(
        all.filter(({ status }) => status === "suspended").map((d) => d.deadline_at_ms),
      ),
    };
  }

  all(): readonly DeliveryRecord[] {
    return [...this.#kept.deliveries.values()];
  }

  body(id: string): string {
    return this.#kept.bodies.get(id) ?? "";
  }

  attempts(id: string): readonly AttemptRecord[] {
    return this.#kept.attempts.flatMap(([of, attempt]) => (of === id ? [attempt] : []));
  }
}

/** An endpoint as it is created. */
export function newEndpoint(nowMs: number): EndpointRecord {
  return {
    id: "whe_1",
    workspace_id: "ws_1",
    name: "Simulated",
    description: "",
    url: "https://receiver.example/1",
    url_revision: 1,
    status: "pending_verification",
    disabled_reason: null,
    workflow_scope: "all",
    workflow_ids: [],
    event_types: [FINISHED],
    verified_revision: null,
    verified_at_ms: null,
    was_verified: false,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
    secret: "whsec_",
    previous_secret: null,
    previous_secret_expires_at_ms: null,
  };
}

/** The event of a run that has ended. */
export function finishedEvent(eventId: string) {
  return {
    event_id: eventId,
    event_type: FINISHED,
    execution: `run_${eventId}`,
    workflow_id: "wf_1",
    body: `body of ${eventId}`,
  } as const;
}
