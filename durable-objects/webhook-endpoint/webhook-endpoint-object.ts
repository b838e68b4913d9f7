import { DurableObject } from "cloudflare:workers";
import {
  TEST_EVENT,
  type WebhookActivity,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookTestOutcome,
} from "../../src/contracts/webhooks/webhook.ts";
import type {
  AttemptReport,
  BeginTestResponse,
  ChangedEndpoint,
  ChangeEndpointRequest,
  CreateEndpointRequest,
  DeliveryListRequest,
  SignedAttempt,
  WebhookEndpointObjectApi,
  WebhookEventHandOver,
  WebhookIdempotency,
  WebhookListRequest,
  WebhookPage,
} from "../../src/contracts/webhooks/webhook-object-api.ts";
import { attemptView, deliveryView } from "../../src/domain/webhooks/deliveries/delivery-record.ts";
import {
  decideEndpoint,
  type EndpointAction,
} from "../../src/domain/webhooks/endpoints/decide-endpoint.ts";
import { DeliveryScheduler } from "../../src/domain/webhooks/deliveries/delivery-scheduler.ts";
import { endpointView } from "../../src/domain/webhooks/endpoints/endpoint-record.ts";
import { listeningOf, widened } from "../../src/domain/webhooks/endpoints/listening.ts";
import { newSigningSecret } from "../../src/domain/webhooks/deliveries/sign-webhook.ts";
import { testEventBody } from "../../src/domain/webhooks/event-bodies.ts";
import {
  compareWithRecord,
  IDEMPOTENCY_KEPT_MS,
  KEY_REUSED,
} from "../../src/lib/idempotency-record.ts";
import { fail, ok, type Failure, type Result } from "../../src/lib/result.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { webhookIdEnd } from "../../src/storage/d1/webhook-endpoint-store.ts";
import { EndpointAlarms } from "./endpoint-alarms.ts";
import { EndpointEffects } from "./endpoint-effects.ts";
import { EndpointCopies } from "./endpoint-copies.ts";
import { EndpointStore } from "./endpoint-store.ts";
import { signAttempt } from "./sign-attempt.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { isEnvUsable } from "../../src/platform/check-env.ts";
import { parseEntries } from "../shared/entries.ts";
import { ENDPOINT_ENTRIES } from "./endpoint-entries.ts";

/**
 * One webhook endpoint. This class is the RPC surface; EndpointStore has the state, `domain/webhooks` the decisions.
 * The runner makes the attempts with signed requests: secrets stay here.
 */
export class WebhookEndpointObject extends DurableObject<Env> implements WebhookEndpointObjectApi {
  readonly #store = new EndpointStore(this.ctx.storage);
  readonly #effects = new EndpointEffects(this.env);
  readonly #copies = new EndpointCopies(this.#store, this.#effects, this.env.BASE_URL);
  readonly #alarms = new EndpointAlarms(this.ctx.storage, this.env.ENVIRONMENT === "local");
  readonly #scheduler = new DeliveryScheduler(this.#store, {
    nowMs: Date.now,
    random: Math.random,
    newDeliveryId: () => this.#newDeliveryId(),
    boot: this.env.BOOT_ID,
  });
  /** A hint is under way and not yet claimed, so another is unnecessary. */
  #isHinted = false;
  /** Serializes changes, since each notifies other objects before and after it. */
  #changes: Promise<unknown> = Promise.resolve();

  async create(request: CreateEndpointRequest): Promise<ChangedEndpoint> {
    if (this.#store.exists) {
      return { endpoint: this.#view(), secret: null, is_replay: true };
    }
    const { v: _v, base_url: baseUrl, ...given } = request;
    const secret = newSigningSecret();
    this.#store.create(
      {
        ...given,
        url_revision: 1,
        status: "pending_verification",
        disabled_reason: null,
        verified_revision: null,
        verified_at_ms: null,
        was_verified: false,
        updated_at_ms: given.created_at_ms,
        secret,
        previous_secret: null,
        previous_secret_expires_at_ms: null,
      },
      baseUrl,
    );
    await this.#sync();
    this.#arm();
    return { endpoint: this.#view(), secret, is_replay: false };
  }

  read(): Promise<WebhookEndpoint | null> {
    return Promise.resolve(this.#store.exists ? this.#view() : null);
  }

  change(request: ChangeEndpointRequest): Promise<Result<ChangedEndpoint>> {
    const turn = this.#changes.then(() => this.#change(request));
    this.#changes = turn.catch(() => undefined);
    return turn;
  }

  beginTest(request: {
    v: 1;
    idempotency: WebhookIdempotency;
  }): Promise<Result<BeginTestResponse>> {
    const known = this.#recall(request.idempotency);
    if (known !== undefined) {
      return Promise.resolve(
        known.ok ? ok({ kind: "known", delivery_id: known.value ?? "" }) : known,
      );
    }
    const nowMs = Date.now();
    const eventId = newId("event", nowMs);
    const begun = this.#store.transaction(() => {
      const leased = this.#scheduler.beginTest({
        event_id: eventId,
        event_type: TEST_EVENT,
        execution: null,
        body: testEventBody(eventId, this.#store.endpoint(), this.#copies.baseUrl, nowMs),
      });
      if (leased.ok) {
        this.#record(request.idempotency, leased.value.delivery.id);
      }
      return leased;
    });
    this.#arm();
    return Promise.resolve(
      begun.ok
        ? ok({ kind: "begun", attempt: signAttempt(this.#store, begun.value, Date.now()) })
        : begun,
    );
  }

  testOutcome(deliveryId: string): Promise<WebhookTestOutcome | null> {
    this.#scheduler.sweep();
    const delivery = this.#store.find(deliveryId);
    const attempt = this.#store.attempts(deliveryId).at(-1);
    if (delivery === undefined || delivery.lease !== null || attempt === undefined) {
      return Promise.resolve(null);
    }
    return Promise.resolve({
      outcome: delivery.status === "delivered" ? "passed" : "failed",
      url_revision: attempt.url_revision,
      attempt: attemptView(attempt),
      delivery: this.#deliveryView(deliveryId),
      endpoint: this.#view(),
    });
  }

  accept(event: WebhookEventHandOver): Promise<void> {
    if (this.#store.exists) {
      this.#scheduler.accept(event);
      this.#goOn();
    }
    return Promise.resolve();
  }

  claim(request: { v: 1; max: number }): Promise<readonly SignedAttempt[]> {
    this.#isHinted = false;
    return Promise.resolve(this.#claim(request.max));
  }

  async report(request: AttemptReport): Promise<readonly SignedAttempt[]> {
    if (!this.#store.exists) {
      return [];
    }
    this.#scheduler.report(request.delivery_id, request.fence, request.outcome);
    if (!this.#store.isSynced) {
      // After a passed test or a 410, the response waits until lists are updated.
      await this.#sync();
    }
    return this.#claim(request.max);
  }

  listDeliveries(request: DeliveryListRequest): Promise<WebhookPage<WebhookDelivery>> {
    if (!this.#store.exists) {
      return Promise.resolve({ rows: [], total: 0 });
    }
    const { rows, total } = this.#store.listDeliveries(request);
    return Promise.resolve({ rows: rows.map(({ id }) => this.#deliveryView(id)), total });
  }

  readDelivery(deliveryId: string): Promise<WebhookDelivery | null> {
    const isKnown = this.#store.exists && this.#store.find(deliveryId) !== undefined;
    return Promise.resolve(isKnown ? this.#deliveryView(deliveryId) : null);
  }

  resend(request: {
    v: 1;
    delivery_id: string;
    kind: "retry" | "replay";
    idempotency: WebhookIdempotency;
  }): Promise<Result<{ readonly delivery: WebhookDelivery; readonly is_replay: boolean }>> {
    const known = this.#recall(request.idempotency);
    if (known !== undefined) {
      return Promise.resolve(
        known.ok
          ? ok({ delivery: this.#deliveryView(request.delivery_id), is_replay: true })
          : known,
      );
    }
    const again = this.#store.transaction(() => {
      const result = this.#scheduler.resend(request.delivery_id, request.kind);
      if (result.ok) {
        this.#record(request.idempotency, request.delivery_id);
      }
      return result;
    });
    this.#goOn();
    return Promise.resolve(
      again.ok
        ? ok({ delivery: this.#deliveryView(request.delivery_id), is_replay: false })
        : again,
    );
  }

  listActivity(request: WebhookListRequest): Promise<WebhookPage<WebhookActivity>> {
    if (!this.#store.exists) {
      return Promise.resolve({ rows: [], total: 0 });
    }
    const { rows, total } = this.#store.listActivity(request);
    const endpointId = this.#store.endpoint().id;
    return Promise.resolve({
      rows: rows.map((row) => ({
        id: row.id,
        endpoint_id: endpointId,
        ...(row.delivery_id !== null && { delivery_id: row.delivery_id }),
        type: row.type,
        at: new Date(row.at).toISOString(),
      })),
      total,
    });
  }

  override alarm(): Promise<void> {
    return this.#alarms.fire(async () => {
      if (!this.#store.exists) {
        return;
      }
      let purgeMs: number | null = null;
      try {
        this.#scheduler.sweep();
        purgeMs = this.#store.purge(Date.now());
        // Hints sent before this moment have had their time.
        this.#isHinted = false;
        if (!this.#store.isSynced) {
          await this.#sync();
        }
      } finally {
        this.#goOn(purgeMs);
      }
    });
  }

  async #change(request: ChangeEndpointRequest): Promise<Result<ChangedEndpoint>> {
    const known = this.#recall(request.idempotency);
    if (known !== undefined) {
      return known.ok ? ok({ endpoint: this.#view(), secret: null, is_replay: true }) : known;
    }
    const { change } = request;
    const action: EndpointAction =
      change.type === "rotate-secret" ? { type: change.type, secret: newSigningSecret() } : change;
    const foreseen = decideEndpoint(this.#store.endpoint(), action, Date.now());
    if (foreseen.kind === "refused") {
      return fail(foreseen.code, foreseen.message);
    }
    if (foreseen.kind === "changed") {
      const wider = widened(listeningOf(this.#store.endpoint()), listeningOf(foreseen.record));
      if (wider !== null) {
        // Before the change, so that an event between the two finds its way here.
        await this.#copies.widen(wider);
      }
    }
    // Decided again, because an attempt may have been reported while the workspace was notified.
    const decision = this.#store.transaction(() => {
      const made = this.#scheduler.apply(action);
      if (made.kind !== "refused") {
        this.#record(request.idempotency, null);
      }
      return made;
    });
    if (decision.kind === "refused") {
      return fail(decision.code, decision.message);
    }
    await this.#sync();
    this.#goOn();
    const isShown = action.type === "rotate-secret" && decision.kind === "changed";
    return ok({
      endpoint: this.#view(),
      secret: isShown ? action.secret : null,
      is_replay: false,
    });
  }

  /** Sends the endpoint's current state to the lists and the workspace; the alarm repeats failures. */
  async #sync(): Promise<void> {
    try {
      await this.#copies.update(Date.now());
    } catch (error) {
      this.#log("webhook.sync_left_to_the_alarm", error);
      this.#arm();
    }
  }

  /** After any change that may have made an attempt due: sends the runner a hint, and arms the alarm after it. */
  #goOn(purgeMs: number | null = null): void {
    const nowMs = Date.now();
    if (!this.#isHinted && this.#scheduler.hasWork) {
      this.#isHinted = true;
      this.#alarms.hinted(nowMs);
      this.ctx.waitUntil(
        this.#effects.hint(this.#store.endpoint().id).catch((error: unknown) => {
          this.#isHinted = false;
          this.#log("webhook.hint_left_to_the_alarm", error);
        }),
      );
    }
    this.#arm(purgeMs);
  }

  #arm(purgeMs: number | null = null): void {
    this.#alarms.arm(Date.now(), {
      workMs: this.#scheduler.nextDueMs,
      isInFlight: this.#scheduler.isInFlight,
      purgeMs: purgeMs ?? Date.now() + IDEMPOTENCY_KEPT_MS,
      isSynced: this.#store.isSynced,
    });
  }

  #claim(max: number): readonly SignedAttempt[] {
    if (!this.#store.exists) {
      return [];
    }
    const attempts = this.#scheduler
      .claim(max)
      .map((leased) => signAttempt(this.#store, leased, Date.now()));
    this.#arm();
    return attempts;
  }

  /** Returns undefined if the key is new, else its delivery; throws a conflict if the request differs. */
  #recall(idempotency: WebhookIdempotency): Result<string | null> | Failure | undefined {
    const record = this.#store.idempotencyRecord(idempotency.key, Date.now());
    if (compareWithRecord(record, idempotency.fingerprint) === "conflict") {
      return fail("idempotency_conflict", KEY_REUSED);
    }
    return record === undefined ? undefined : ok(record.delivery_id);
  }

  #record(idempotency: WebhookIdempotency, deliveryId: string | null): void {
    this.#store.recordIdempotency(idempotency, deliveryId, Date.now() + IDEMPOTENCY_KEPT_MS);
  }

  #view(): WebhookEndpoint {
    return endpointView(this.#store.endpoint(), Date.now());
  }

  #deliveryView(deliveryId: string): WebhookDelivery {
    const delivery = this.#store.find(deliveryId);
    if (delivery === undefined) {
      throw new Error(`no delivery ${deliveryId}`);
    }
    return deliveryView(this.#store.endpoint().id, delivery, this.#store.attempts(deliveryId));
  }

  /** Ends like the endpoint's own id, so that a delivery's id leads to its endpoint. */
  #newDeliveryId(): string {
    const id = newId("webhookDelivery", Date.now());
    const end = webhookIdEnd(this.#store.endpoint().id);
    return id.slice(0, -end.length) + end;
  }

  #log(event: string, error: unknown): void {
    createLogger({ service: "edgeloom", object: "webhook_endpoint" }).error(event, {
      endpoint_id: this.#store.endpoint().id,
      cause: describeCause(error),
    });
  }
}

parseEntries(WebhookEndpointObject, isEnvUsable, ENDPOINT_ENTRIES);
