/**
 * Tables of a workspace object, in their newest version. `runs.seq` is the order of admission, which
 * is what lists run by: a run admitted later always stands above, so a cursor neither skips nor
 * repeats.
 */
import type { DatabaseSchema } from "../shared/migrations.ts";

const WORKSPACE_TABLES = `
  CREATE TABLE IF NOT EXISTS runs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL UNIQUE, workflow_id TEXT NOT NULL,
    workflow_name TEXT NOT NULL, workflow_version INTEGER NOT NULL, interface_id TEXT,
    status TEXT NOT NULL, progress INTEGER NOT NULL, credits_used_milli INTEGER,
    error_code TEXT, error_message TEXT, created_at_ms INTEGER NOT NULL,
    started_at_ms INTEGER, completed_at_ms INTEGER,
    phase INTEGER NOT NULL, slot INTEGER NOT NULL, outputs_expired_at_ms INTEGER);
  CREATE INDEX IF NOT EXISTS runs_by_workflow ON runs (workflow_id);
  CREATE INDEX IF NOT EXISTS runs_by_status ON runs (status);
  CREATE INDEX IF NOT EXISTS runs_live ON runs (slot) WHERE phase < 2;
  CREATE TABLE IF NOT EXISTS starts (
    run_id TEXT NOT NULL, piece INTEGER NOT NULL, body TEXT NOT NULL,
    due_at_ms INTEGER NOT NULL, attempts INTEGER NOT NULL,
    PRIMARY KEY (run_id, piece)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS idempotency (
    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, run_id TEXT NOT NULL,
    status_code INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS idempotency_by_expiry ON idempotency (expires_at_ms);
  CREATE TABLE IF NOT EXISTS settings (
    id INTEGER PRIMARY KEY CHECK (id = 1), max_concurrent INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS runs_kept ON runs (completed_at_ms)
    WHERE phase = 2 AND outputs_expired_at_ms IS NULL;
  CREATE TABLE IF NOT EXISTS retention (
    id INTEGER PRIMARY KEY CHECK (id = 1), next_at_ms INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS owner (
    id INTEGER PRIMARY KEY CHECK (id = 1), workspace_id TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS account (
    id INTEGER PRIMARY KEY CHECK (id = 1), month TEXT NOT NULL, plan_monthly INTEGER NOT NULL,
    monthly INTEGER NOT NULL CHECK (monthly >= 0), granted INTEGER NOT NULL CHECK (granted >= 0),
    spent_this_month INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS holds (
    run_id TEXT PRIMARY KEY, month TEXT NOT NULL, lapsing INTEGER NOT NULL CHECK (lapsing >= 0),
    monthly INTEGER NOT NULL CHECK (monthly >= 0), granted INTEGER NOT NULL CHECK (granted >= 0),
    settled INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS operations (
    run_id TEXT NOT NULL, kind TEXT NOT NULL, seq INTEGER NOT NULL, is_done INTEGER NOT NULL,
    balance INTEGER NOT NULL, PRIMARY KEY (run_id, kind, seq)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS credit_grants (
    idempotency_key TEXT PRIMARY KEY, milli INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS ledger (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, run_id TEXT, node_id TEXT,
    milli INTEGER NOT NULL, balance_after INTEGER NOT NULL, created_at_ms INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS workflows (
    workflow_id TEXT PRIMARY KEY, name TEXT NOT NULL, status TEXT NOT NULL,
    version INTEGER NOT NULL, seq INTEGER NOT NULL, is_removed INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS webhook_endpoints (
    endpoint_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, is_listening INTEGER NOT NULL,
    workflow_ids TEXT, base_url TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS refused_events (
    run_id TEXT PRIMARY KEY, event_id TEXT NOT NULL) WITHOUT ROWID;`;

export const WORKSPACE_SCHEMA: DatabaseSchema = {
  object: "workspace",
  // The table that came last: a workspace from before it gets what is missing.
  firstTable: "owner",
  migrations: [],
};

/** Makes what a database without a version lacks: everything, or what came before versions were kept. */
export function createWorkspaceTables(sql: SqlStorage): void {
  const [runs] = sql
    .exec<{ sql: string }>("SELECT sql FROM sqlite_master WHERE name = 'runs'")
    .toArray();
  if (runs?.sql.includes("outputs_expired_at_ms") === false) {
    sql.exec("ALTER TABLE runs ADD COLUMN outputs_expired_at_ms INTEGER");
  }
  sql.exec(WORKSPACE_TABLES);
}
