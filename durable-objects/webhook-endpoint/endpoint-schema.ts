import type { DatabaseSchema } from "../shared/migrations.ts";
import { NAMED_VALUES_TABLE } from "../shared/named-values.ts";

/** `shared/migrations.ts` describes how to change these tables. */
export const ENDPOINT_SCHEMA: DatabaseSchema = {
  object: "webhook-endpoint",
  firstTable: "delivery",
  migrations: [],
};

/** Tables of a webhook endpoint's object. */
export const ENDPOINT_TABLES = `
  ${NAMED_VALUES_TABLE}
  CREATE TABLE IF NOT EXISTS delivery (
    id TEXT NOT NULL UNIQUE, event_id TEXT NOT NULL UNIQUE, event_type TEXT NOT NULL, execution TEXT,
    is_test INTEGER NOT NULL, status TEXT NOT NULL, attempt_count INTEGER NOT NULL,
    failures INTEGER NOT NULL, next_at INTEGER NOT NULL, deadline_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL, delivered_at INTEGER, fence INTEGER NOT NULL,
    lease_until INTEGER, lease_boot TEXT, lease_started_at INTEGER, lease_revision INTEGER,
    body TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS delivery_due ON delivery (next_at)
    WHERE lease_until IS NULL AND status IN ('pending', 'retrying');
  CREATE INDEX IF NOT EXISTS delivery_leased ON delivery (lease_until) WHERE lease_until IS NOT NULL;
  CREATE INDEX IF NOT EXISTS delivery_suspended ON delivery (deadline_at) WHERE status = 'suspended';
  CREATE TABLE IF NOT EXISTS attempt (
    delivery_id TEXT NOT NULL, number INTEGER NOT NULL, started_at INTEGER NOT NULL,
    duration INTEGER, response_status INTEGER, error_code TEXT, excerpt TEXT NOT NULL,
    url_revision INTEGER NOT NULL, PRIMARY KEY (delivery_id, number)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS activity (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, delivery_id TEXT, at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS url_revision (revision INTEGER PRIMARY KEY, url TEXT NOT NULL, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS idempotency (
    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, delivery_id TEXT, expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;`;
