import { isLeaseHeld } from "../../../lib/lease.ts";
import { fail, ok, type Result } from "../../../lib/result.ts";
import {
  decideEndpoint,
  type EndpointAction,
  type EndpointDecision,
} from "../endpoints/decide-endpoint.ts";
import type { AttemptOutcome, DeliveryRecord } from "./delivery-record.ts";
import type { SchedulerRows } from "./scheduler-rows.ts";
import type { EndpointRecord } from "../endpoints/endpoint-record.ts";
import { nextAttemptMs, retryAfterFloor } from "./next-attempt.ts";
import {
  matchedStatus,
  type NewDelivery,
  newDelivery,
  sentAgain,
  type WebhookEvent,
} from "./open-delivery.ts";

/**
 * Maximum number of concurrent attempts, so that a slow receiver does not hold more connections.
 */
export const IN_FLIGHT_MAX = 4;
/** Longer than an attempt and its report can take: another attempt may only begin after it. */
export const ATTEMPT_LEASE_MS = 30_000;
/** Number of deliveries that one sweep ends; the next sweep follows. */
const SWEEP_MAX = 500;

export interface SchedulerParts {
  readonly nowMs: () => number;
  /** Random numbers in [0, 1). */
  readonly random: () => number;
  readonly newDeliveryId: () => string;
  /** The boot in which this scheduler runs: leases of another boot have ended. */
  readonly boot: string;
}

/** An attempt that was leased to a sender. */
export interface LeasedAttempt {
  readonly delivery: DeliveryRecord;
  readonly url: string;
}

/**
 * The deliveries of one endpoint: which attempts may be sent when and by which sender, and the
 * consequences of each outcome. It has no I/O and uses only the given clock; each method is one
 * transaction on its rows.
 */
export class DeliveryScheduler {
  readonly #rows: SchedulerRows;
  readonly #parts: SchedulerParts;

  constructor(rows: SchedulerRows, parts: SchedulerParts) {
    this.#rows = rows;
    this.#parts = parts;
  }

  /**
   * Accepts an event from its run. A repeat has no effect. Returns true if the endpoint subscribes,
   * or subscribed, to the event.
   */
  accept(event: WebhookEvent): boolean {
    return this.#rows.transaction(() => {
      const endpoint = this.#rows.endpoint();
      const status = matchedStatus(endpoint, event);
      if (this.#rows.hasEvent(event.event_id)) {
        return true;
      }
      if (status === null) {
        return false;
      }
      this.#insert({ ...event, status, is_test: false });
      return true;
    });
  }

  /**
   * Creates the delivery of a test and leases its one attempt (docs/contract/webhooks.md#events).
   */
  beginTest(event: Omit<WebhookEvent, "workflow_id">): Result<LeasedAttempt> {
    return this.#rows.transaction(() => {
      const endpoint = this.#rows.endpoint();
      if (endpoint.status === "archived") {
        return fail(
          "invalid_state",
          `The endpoint ${endpoint.id} is archived and cannot be restored. Create a new one.`,
        );
      }
      const delivery = this.#insert({ ...event, status: "pending", is_test: true });
      return ok(this.#lease(delivery, endpoint));
    });
  }

  /** Leases up to `max` due attempts. Nothing is sent to an endpoint that is not active. */
  claim(max: number): readonly LeasedAttempt[] {
    return this.#rows.transaction(() => {
      const endpoint = this.#rows.endpoint();
      if (endpoint.status !== "active" || endpoint.verified_revision !== endpoint.url_revision) {
        return [];
      }
      this.#expireLeases();
      return this.#rows
        .due(this.#parts.nowMs(), Math.min(max, this.#room()))
        .map((delivery) => this.#lease(delivery, endpoint));
    });
  }

  /**
   * Processes the outcome of an attempt. Returns false for a report whose lease has ended, which
   * has no effect.
   */
  report(deliveryId: string, fence: number, outcome: AttemptOutcome): boolean {
    return this.#rows.transaction(() => {
      const delivery = this.#rows.find(deliveryId);
      if (delivery === undefined || delivery.lease === null || delivery.fence !== fence) {
        return false;
      }
      this.#settle(delivery, outcome);
      return true;
    });
  }

  /**
   * Processes the passage of time: leases that have ended, suspended deliveries past their
   * deadline.
   */
  sweep(): void {
    this.#rows.transaction(() => {
      this.#expireLeases();
      this.#exhaustSuspended();
    });
  }

  /** Applies a change of the endpoint and its consequences for the deliveries. */
  apply(action: EndpointAction): EndpointDecision {
    return this.#rows.transaction(() => {
      const nowMs = this.#parts.nowMs();
      const decision = decideEndpoint(this.#rows.endpoint(), action, nowMs);
      if (decision.kind === "changed") {
        this.#carryOut(decision, nowMs);
      }
      return decision;
    });
  }

  /**
   * Sends a final delivery again: with the same body and `webhook-id`, on a schedule of its own
   * (docs/contract/webhooks.md#mutations).
   */
  resend(deliveryId: string, kind: "retry" | "replay"): Result<DeliveryRecord> {
    return this.#rows.transaction(() => {
      const delivery = this.#rows.find(deliveryId);
      if (delivery === undefined) {
        return fail("not_found", `There is no delivery ${deliveryId}.`);
      }
      const nowMs = this.#parts.nowMs();
      const again = sentAgain(delivery, this.#rows.endpoint(), kind, nowMs);
      if (!again.ok) {
        return again;
      }
      this.#rows.update(again.value);
      this.#rows.addActivity(
        kind === "retry" ? "delivery.retried" : "delivery.replayed",
        deliveryId,
        nowMs,
      );
      return again;
    });
  }

  /** Whether an attempt could be sent at once if a sender claimed it. */
  get hasWork(): boolean {
    return (
      this.#rows.endpoint().status === "active" &&
      this.#room() > 0 &&
      this.#rows.due(this.#parts.nowMs(), 1).length > 0
    );
  }

  /** Whether attempts are in progress, which a restart would interrupt. */
  get isInFlight(): boolean {
    return this.#rows.leased().length > 0;
  }

  /** The next time at which `sweep` or a claim has work; null if never. */
  get nextDueMs(): number | null {
    const { attemptMs, leaseMs, deadlineMs } = this.#rows.dues();
    const canSend = this.#rows.endpoint().status === "active" && this.#room() > 0;
    const times = [canSend ? attemptMs : null, leaseMs, deadlineMs].filter((ms) => ms !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Free places for attempts. A test takes none, because its caller waits for it. */
  #room(): number {
    return IN_FLIGHT_MAX - this.#rows.leased().filter(({ is_test: isTest }) => !isTest).length;
  }

  #insert(event: NewDelivery & Pick<WebhookEvent, "body">): DeliveryRecord {
    const delivery = newDelivery(this.#parts.newDeliveryId(), event, this.#parts.nowMs());
    this.#rows.insert(delivery, event.body);
    return delivery;
  }

  #lease(delivery: DeliveryRecord, endpoint: EndpointRecord): LeasedAttempt {
    const nowMs = this.#parts.nowMs();
    const leased: DeliveryRecord = {
      ...delivery,
      attempt_count: delivery.attempt_count + 1,
      fence: delivery.fence + 1,
      lease: {
        until_ms: nowMs + ATTEMPT_LEASE_MS,
        boot: this.#parts.boot,
        started_at_ms: nowMs,
        url_revision: endpoint.url_revision,
      },
    };
    this.#rows.update(leased);
    return { delivery: leased, url: endpoint.url };
  }

  #settle(delivery: DeliveryRecord, outcome: AttemptOutcome): void {
    const { lease } = delivery;
    if (lease === null) {
      return;
    }
    const nowMs = this.#parts.nowMs();
    const { retry_after: retryAfter, ...seen } = outcome;
    this.#rows.addAttempt(delivery.id, {
      ...seen,
      number: delivery.attempt_count,
      started_at_ms: lease.started_at_ms,
      url_revision: lease.url_revision,
    });
    const status = outcome.response_status;
    if (status !== null && status >= 200 && status < 300) {
      this.#end(delivery, "delivered", nowMs);
      if (delivery.is_test) {
        this.apply({ type: "test-passed", revision: lease.url_revision });
      }
      return;
    }
    if (delivery.is_test) {
      // A single attempt, without consequences (docs/contract/webhooks.md#deliveries).
      this.#end(delivery, "exhausted", nowMs);
      return;
    }
    const isCurrent = lease.url_revision === this.#rows.endpoint().url_revision;
    if (status === 410 && isCurrent) {
      this.#end(delivery, "exhausted", nowMs);
      this.apply({ type: "gone", revision: lease.url_revision });
      return;
    }
    const failures = delivery.failures + 1;
    const dueMs = nextAttemptMs(
      {
        failures,
        startedAtMs: lease.started_at_ms,
        endedAtMs: nowMs,
        floorMs: retryAfterFloor(retryAfter, nowMs),
        deadlineMs: delivery.deadline_at_ms,
      },
      this.#parts.random,
    );
    if (isCurrent) {
      this.#comeBack({ ...delivery, failures }, dueMs);
    } else {
      // The URL was replaced in the meantime: a delay requested by the old receiver does not apply
      // to the new one.
      this.#comeBack(delivery, nowMs);
    }
  }

  /** Leases of another boot did not fail; a lease that has timed out counts as failed. */
  #expireLeases(): void {
    const nowMs = this.#parts.nowMs();
    for (const delivery of this.#rows.leased()) {
      const { lease } = delivery;
      if (lease === null) {
        continue;
      }
      if (isLeaseHeld({ boot: lease.boot, untilMs: lease.until_ms }, this.#parts.boot, nowMs)) {
        continue;
      }
      const lost: AttemptOutcome = {
        duration_ms: null,
        response_status: null,
        error_code: "interrupted",
        response_excerpt: "",
        retry_after: null,
      };
      if (lease.boot === this.#parts.boot || delivery.is_test) {
        this.#settle(delivery, lost);
      } else {
        const { retry_after: _none, ...seen } = lost;
        this.#rows.addAttempt(delivery.id, {
          ...seen,
          number: delivery.attempt_count,
          started_at_ms: lease.started_at_ms,
          url_revision: lease.url_revision,
        });
        this.#comeBack(delivery, nowMs);
      }
    }
  }

  /** After a failed attempt: due again, if the endpoint's current state allows it. */
  #comeBack(delivery: DeliveryRecord, dueMs: number | null): void {
    const nowMs = this.#parts.nowMs();
    const endpoint = this.#rows.endpoint();
    if (endpoint.status === "archived") {
      this.#end(delivery, "cancelled", nowMs);
    } else if (dueMs === null) {
      this.#end(delivery, "exhausted", nowMs);
    } else {
      this.#rows.update({
        ...delivery,
        status: endpoint.status === "active" ? "retrying" : "suspended",
        next_attempt_at_ms: dueMs,
        lease: null,
      });
    }
  }

  #exhaustSuspended(): void {
    const nowMs = this.#parts.nowMs();
    for (const delivery of this.#rows.suspendedPastDeadline(nowMs, SWEEP_MAX)) {
      this.#end(delivery, "exhausted", nowMs);
    }
  }

  #end(
    delivery: DeliveryRecord,
    status: "delivered" | "exhausted" | "cancelled",
    nowMs: number,
  ): void {
    this.#rows.update({
      ...delivery,
      status,
      lease: null,
      delivered_at_ms: status === "delivered" ? nowMs : delivery.delivered_at_ms,
    });
    this.#rows.addActivity(
      `${delivery.is_test ? "test" : "delivery"}.${status}`,
      delivery.id,
      nowMs,
    );
  }

  #carryOut(decision: Extract<EndpointDecision, { kind: "changed" }>, nowMs: number): void {
    this.#rows.putEndpoint(decision.record);
    this.#rows.addActivity(decision.activity, null, nowMs);
    switch (decision.deliveries) {
      case "keep":
        break;
      case "suspend":
        this.#rows.suspendOpen(null);
        break;
      case "redirect":
        this.#rows.suspendOpen(nowMs);
        break;
      case "resume":
        this.#exhaustSuspended();
        this.#rows.resumeSuspended(nowMs);
        break;
      case "cancel":
        this.#rows.cancelUnsettled();
        break;
    }
  }
}
