import type { WebhookAttempt } from "../../src/contracts/webhooks/webhook.ts";
import type {
  DeliveryListRequest,
  WebhookListRequest,
} from "../../src/contracts/webhooks/webhook-object-api.ts";
import type {
  AttemptRecord,
  DeliveryRecord,
} from "../../src/domain/webhooks/deliveries/delivery-record.ts";
import type { SchedulerRows } from "../../src/domain/webhooks/deliveries/scheduler-rows.ts";
import type { EndpointRecord } from "../../src/domain/webhooks/endpoints/endpoint-record.ts";
import { newId } from "../../src/platform/ids.ts";
import { openDatabase } from "../shared/migrations.ts";
import { NamedValues } from "../shared/named-values.ts";
import { DELIVERY_COLUMNS, fromSql, type SqlDelivery, toSql } from "./delivery-columns.ts";
import { ENDPOINT_SCHEMA, ENDPOINT_TABLES } from "./endpoint-schema.ts";
import { LIMITS } from "../../src/lib/limits/limits-table.ts";

/** How long entries of activity and deliveries are kept. */
const KEPT_MS = LIMITS.webhook_history.value;
/** Rows deleted at once. */
const PURGE_MAX = 500;

/** SQL of one webhook endpoint. Synchronous, like the storage under it. */
export class EndpointStore implements SchedulerRows {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #values: NamedValues;
  /** The stored record; undefined if it must be read again. */
  #record: EndpointRecord | undefined;
  #exists: boolean;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#values = new NamedValues(storage.sql);
    this.#exists = openDatabase(storage, ENDPOINT_SCHEMA).version > 0;
  }

  /** False for an id without an endpoint. */
  get exists(): boolean {
    return this.#exists;
  }

  create(record: EndpointRecord, baseUrl: string): void {
    this.transaction(() => {
      this.#sql.exec(ENDPOINT_TABLES);
      this.#values.put("base_url", baseUrl);
      this.putEndpoint(record);
      this.addActivity("endpoint.created", null, record.created_at_ms);
    });
    this.#exists = true;
  }

  transaction<T>(work: () => T): T {
    try {
      return this.#storage.transactionSync(work);
    } catch (error) {
      this.#record = undefined;
      throw error;
    }
  }

  endpoint(): EndpointRecord {
    this.#record ??= JSON.parse(String(this.#values.get("record"))) as EndpointRecord;
    return this.#record;
  }

  putEndpoint(record: EndpointRecord): void {
    this.#record = record;
    this.#values.put("record", JSON.stringify(record));
    this.#values.put("revision", this.revision + 1);
    this.#sql.exec(
      "INSERT INTO url_revision VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      record.url_revision,
      record.url,
      record.updated_at_ms,
    );
  }

  /** The address of the service by which the endpoint was created. */
  get baseUrl(): string {
    return String(this.#values.get("base_url"));
  }

  /** Increases with each change of the record; compared with the revision that others have received. */
  get revision(): number {
    return this.#values.number("revision");
  }

  get isSynced(): boolean {
    return this.#values.number("synced_revision") >= this.revision;
  }

  markSynced(revision: number): void {
    this.#values.put("synced_revision", revision);
  }

  insert(delivery: DeliveryRecord, body: string): void {
    this.#sql.exec(
      `INSERT INTO delivery (${DELIVERY_COLUMNS}, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...toSql(delivery),
      body,
    );
  }

  update(delivery: DeliveryRecord): void {
    const { lease } = delivery;
    this.#sql.exec(
      `UPDATE delivery SET status = ?, attempt_count = ?, failures = ?, next_at = ?, deadline_at = ?,
         delivered_at = ?, fence = ?, lease_until = ?, lease_boot = ?, lease_started_at = ?,
         lease_revision = ? WHERE id = ?`,
      delivery.status,
      delivery.attempt_count,
      delivery.failures,
      delivery.next_attempt_at_ms,
      delivery.deadline_at_ms,
      delivery.delivered_at_ms,
      delivery.fence,
      lease?.until_ms ?? null,
      lease?.boot ?? null,
      lease?.started_at_ms ?? null,
      lease?.url_revision ?? null,
      delivery.id,
    );
  }

  find(id: string): DeliveryRecord | undefined {
    return this.#select("id = ?", [id])[0];
  }

  hasEvent(eventId: string): boolean {
    return (
      this.#sql.exec("SELECT 1 FROM delivery WHERE event_id = ?", eventId).toArray().length > 0
    );
  }

  body(id: string): string {
    return this.#sql.exec<{ body: string }>("SELECT body FROM delivery WHERE id = ?", id).one()
      .body;
  }

  due(nowMs: number, limit: number): readonly DeliveryRecord[] {
    return limit <= 0
      ? []
      : this.#select(
          "lease_until IS NULL AND status IN ('pending', 'retrying') AND next_at <= ? ORDER BY next_at LIMIT ?",
          [nowMs, limit],
        );
  }

  leased(): readonly DeliveryRecord[] {
    return this.#select("lease_until IS NOT NULL", []);
  }

  suspendedPastDeadline(nowMs: number, limit: number): readonly DeliveryRecord[] {
    return this.#select("status = 'suspended' AND deadline_at <= ? LIMIT ?", [nowMs, limit]);
  }

  suspendOpen(nextAttemptAtMs: number | null): void {
    this.#sql.exec(
      `UPDATE delivery SET status = 'suspended', next_at = coalesce(?1, next_at)
       WHERE lease_until IS NULL AND status IN ('pending', 'retrying')`,
      nextAttemptAtMs,
    );
    if (nextAttemptAtMs !== null) {
      // Suspended earlier by a pause: a new receiver is not bound by delays that the previous one requested.
      this.#sql.exec("UPDATE delivery SET next_at = ? WHERE status = 'suspended'", nextAttemptAtMs);
    }
  }

  resumeSuspended(nowMs: number): void {
    this.#sql.exec(
      `UPDATE delivery SET status = iif(attempt_count > 0, 'retrying', 'pending'), next_at = max(next_at, ?1)
       WHERE status = 'suspended' AND deadline_at > ?1`,
      nowMs,
    );
  }

  cancelUnsettled(): void {
    this.#sql.exec(
      `UPDATE delivery SET status = 'cancelled'
       WHERE lease_until IS NULL AND status IN ('pending', 'retrying', 'suspended')`,
    );
  }

  addAttempt(deliveryId: string, attempt: AttemptRecord): void {
    this.#sql.exec(
      "INSERT INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      deliveryId,
      attempt.number,
      attempt.started_at_ms,
      attempt.duration_ms,
      attempt.response_status,
      attempt.error_code,
      attempt.response_excerpt,
      attempt.url_revision,
    );
  }

  attempts(deliveryId: string): AttemptRecord[] {
    return this.#sql
      .exec<{
        number: number;
        started_at: number;
        duration: number | null;
        response_status: number | null;
        error_code: WebhookAttempt["error_code"];
        excerpt: string;
        url_revision: number;
      }>("SELECT * FROM attempt WHERE delivery_id = ? ORDER BY number", deliveryId)
      .toArray()
      .map((row) => ({
        number: row.number,
        started_at_ms: row.started_at,
        duration_ms: row.duration,
        response_status: row.response_status,
        error_code: row.error_code,
        response_excerpt: row.excerpt,
        url_revision: row.url_revision,
      }));
  }

  addActivity(type: string, deliveryId: string | null, atMs: number): void {
    this.#sql.exec(
      "INSERT INTO activity VALUES (?, ?, ?, ?)",
      newId("webhookActivity", atMs),
      type,
      deliveryId,
      atMs,
    );
  }

  dues(): { attemptMs: number | null; leaseMs: number | null; deadlineMs: number | null } {
    return this.#sql
      .exec<{ attemptMs: number | null; leaseMs: number | null; deadlineMs: number | null }>(
        `SELECT
           (SELECT min(next_at) FROM delivery WHERE lease_until IS NULL AND status IN ('pending', 'retrying')) AS attemptMs,
           (SELECT min(lease_until) FROM delivery WHERE lease_until IS NOT NULL) AS leaseMs,
           (SELECT min(deadline_at) FROM delivery WHERE status = 'suspended') AS deadlineMs`,
      )
      .one();
  }

  listDeliveries(request: DeliveryListRequest): { rows: DeliveryRecord[]; total: number } {
    const [where, values] = conditions({
      "status = ?": request.status,
      "execution = ?": request.execution,
      "event_type = ?": request.event_type,
    });
    const total = this.#sql
      .exec<{ n: number }>(`SELECT count(*) AS n FROM delivery WHERE ${where}`, ...values)
      .one().n;
    const below = request.below_id === null ? [] : [request.below_id];
    const rows = this.#select(
      `${where}${below.length === 0 ? "" : " AND id < ?"} ORDER BY id DESC LIMIT ?`,
      [...values, ...below, request.limit],
    );
    return { rows, total };
  }

  listActivity(request: WebhookListRequest): {
    rows: { id: string; type: string; delivery_id: string | null; at: number }[];
    total: number;
  } {
    const [where, values] = conditions({ "id < ?": request.below_id });
    return {
      rows: this.#sql
        .exec<{ id: string; type: string; delivery_id: string | null; at: number }>(
          `SELECT id, type, delivery_id, at FROM activity WHERE ${where} ORDER BY id DESC LIMIT ?`,
          ...values,
          request.limit,
        )
        .toArray(),
      total: this.#sql.exec<{ n: number }>("SELECT count(*) AS n FROM activity").one().n,
    };
  }

  /** Returns the result of an earlier mutation with this key; undefined if the key is new or a day old. */
  idempotencyRecord(
    key: string,
    nowMs: number,
  ): { fingerprint: string; delivery_id: string | null } | undefined {
    return this.#sql
      .exec<{ fingerprint: string; delivery_id: string | null }>(
        "SELECT fingerprint, delivery_id FROM idempotency WHERE key = ? AND expires_at > ?",
        key,
        nowMs,
      )
      .toArray()[0];
  }

  recordIdempotency(
    record: { key: string; fingerprint: string },
    deliveryId: string | null,
    expiresAtMs: number,
  ): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO idempotency VALUES (?, ?, ?, ?)",
      record.key,
      record.fingerprint,
      deliveryId,
      expiresAtMs,
    );
  }

  /** Deletes expired rows. Returns when more will expire, null if none will. */
  purge(nowMs: number): number | null {
    const before = nowMs - KEPT_MS;
    this.transaction(() => {
      this.#sql.exec("DELETE FROM idempotency WHERE expires_at <= ?", nowMs);
      const old = JSON.stringify(
        this.#sql
          .exec<{ id: string }>(
            `SELECT id FROM delivery WHERE created_at <= ? AND status IN ('delivered', 'exhausted', 'cancelled')
             AND lease_until IS NULL ORDER BY id LIMIT ?`,
            before,
            PURGE_MAX,
          )
          .toArray()
          .map(({ id }) => id),
      );
      this.#sql.exec(
        "DELETE FROM attempt WHERE delivery_id IN (SELECT value FROM json_each(?))",
        old,
      );
      this.#sql.exec("DELETE FROM delivery WHERE id IN (SELECT value FROM json_each(?))", old);
      this.#sql.exec(
        "DELETE FROM activity WHERE id IN (SELECT id FROM activity WHERE at <= ? ORDER BY id LIMIT ?)",
        before,
        PURGE_MAX,
      );
    });
    const { expiry, oldest } = this.#sql
      .exec<{ expiry: number | null; oldest: number | null }>(
        `SELECT (SELECT min(expires_at) FROM idempotency) AS expiry,
                (SELECT at FROM activity ORDER BY id LIMIT 1) AS oldest`,
      )
      .one();
    const times = [expiry, oldest === null ? null : oldest + KEPT_MS].filter((ms) => ms !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  #select(where: string, values: readonly SqlStorageValue[]): DeliveryRecord[] {
    return this.#sql
      .exec<SqlDelivery>(`SELECT ${DELIVERY_COLUMNS} FROM delivery WHERE ${where}`, ...values)
      .toArray()
      .map(fromSql);
  }
}

function conditions(
  given: Readonly<Record<string, string | null>>,
): [where: string, values: string[]] {
  const entries = Object.entries(given).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return [["1", ...entries.map(([text]) => text)].join(" AND "), entries.map(([, value]) => value)];
}
