/**
 * Tables of a workspace object, in their newest version. `docs/decisions/run-index.md` gives the reasons: each row and
 * each index entry of a run is billed.
 */
import { type DatabaseSchema, schemaMark } from "../shared/migrations.ts";
import { LABEL_CHUNKS_COLUMNS, LabelIndex } from "./label-index.ts";
import { toVersion2 } from "./workspace-schema-1.ts";

/**
 * `seq` is the order of admission, which is the order of lists: a run admitted later always comes before, so a cursor
 * neither skips nor repeats. Rows are never deleted, so it has no gaps.
 */
const RUNS = `
  CREATE TABLE runs (${schemaMark(2)}
    seq INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE,
    workflow INTEGER NOT NULL, workflow_id TEXT NOT NULL,
    workflow_name TEXT NOT NULL, workflow_version INTEGER NOT NULL, interface_id TEXT,
    status TEXT NOT NULL, progress INTEGER NOT NULL, credits_used_milli INTEGER,
    error_code TEXT, error_message TEXT, created_at_ms INTEGER NOT NULL,
    started_at_ms INTEGER, completed_at_ms INTEGER, outputs_expired_at_ms INTEGER,
    phase INTEGER NOT NULL, slot INTEGER NOT NULL, is_live INTEGER NOT NULL DEFAULT 0,
    is_late INTEGER NOT NULL DEFAULT 0, fresh_from INTEGER NOT NULL,
    idempotency_key TEXT, fingerprint TEXT,
    batch TEXT, schedule TEXT, retry_of TEXT, client_reference TEXT, embed TEXT, end_user_id TEXT,
    due_at_ms INTEGER, attempts INTEGER NOT NULL DEFAULT 0, start TEXT);
  CREATE UNIQUE INDEX runs_by_key ON runs (idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX runs_live ON runs (slot) WHERE is_live = 1;
  CREATE INDEX runs_due ON runs (due_at_ms) WHERE due_at_ms IS NOT NULL;
  CREATE INDEX runs_late ON runs (completed_at_ms) WHERE is_late = 1;
  CREATE INDEX runs_by_batch ON runs (batch) WHERE batch IS NOT NULL;
  CREATE INDEX runs_by_schedule ON runs (schedule) WHERE schedule IS NOT NULL;
  CREATE INDEX runs_by_retry_of ON runs (retry_of) WHERE retry_of IS NOT NULL;
  CREATE INDEX runs_by_client_reference ON runs (client_reference)
    WHERE client_reference IS NOT NULL;
  CREATE INDEX runs_by_embed ON runs (embed) WHERE embed IS NOT NULL;
  CREATE INDEX runs_by_end_user_id ON runs (end_user_id) WHERE end_user_id IS NOT NULL;
  CREATE TABLE run_chunks (
    n INTEGER PRIMARY KEY, counts BLOB NOT NULL, statuses BLOB NOT NULL, workflows BLOB NOT NULL);
  CREATE TABLE start_pieces (
    run_id TEXT NOT NULL, piece INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run_id, piece)) WITHOUT ROWID;
  CREATE TABLE run_workflows (workflow INTEGER PRIMARY KEY, workflow_id TEXT NOT NULL UNIQUE);
  CREATE TABLE settings (
    id INTEGER PRIMARY KEY CHECK (id = 1), max_concurrent INTEGER NOT NULL DEFAULT 0,
    expired_through INTEGER NOT NULL DEFAULT 0);`;

const SINCE_3 = `
  ALTER TABLE runs ADD COLUMN error_node_id TEXT;
  ALTER TABLE runs ADD COLUMN error_indices TEXT;
  CREATE TABLE run_label_chunks (${schemaMark(3)}${LABEL_CHUNKS_COLUMNS}) WITHOUT ROWID;`;

/** The members of a run's origin that no list filters by. */
const SINCE_4 = `ALTER TABLE runs ADD COLUMN origin ${schemaMark(4)} TEXT;`;

/** Batches in the order of their creation. */
const SINCE_5 = `
  CREATE TABLE batches (${schemaMark(5)}
    seq INTEGER PRIMARY KEY, batch_id TEXT NOT NULL UNIQUE, workflow_id TEXT NOT NULL,
    client_reference TEXT, created_at_ms INTEGER NOT NULL, status TEXT NOT NULL,
    idempotency_key TEXT, fingerprint TEXT);
  CREATE UNIQUE INDEX batches_by_key ON batches (idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE INDEX batches_live ON batches (workflow_id) WHERE status IN ('pending', 'running');`;

const MONEY = `
  CREATE TABLE account (
    id INTEGER PRIMARY KEY CHECK (id = 1), month TEXT NOT NULL, plan_monthly INTEGER NOT NULL,
    monthly INTEGER NOT NULL CHECK (monthly >= 0), granted INTEGER NOT NULL CHECK (granted >= 0),
    spent_this_month INTEGER NOT NULL,
    held INTEGER NOT NULL CHECK (held >= 0), held_granted INTEGER NOT NULL CHECK (held_granted >= 0));
  CREATE TABLE ledger (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, run_id TEXT, node_id TEXT,
    milli INTEGER NOT NULL, balance_after INTEGER NOT NULL, created_at_ms INTEGER NOT NULL);`;

const UNCHANGED_SINCE_1 = `
  CREATE TABLE IF NOT EXISTS retention (
    id INTEGER PRIMARY KEY CHECK (id = 1), next_at_ms INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS owner (
    id INTEGER PRIMARY KEY CHECK (id = 1), workspace_id TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS holds (
    run_id TEXT PRIMARY KEY, month TEXT NOT NULL, lapsing INTEGER NOT NULL CHECK (lapsing >= 0),
    monthly INTEGER NOT NULL CHECK (monthly >= 0), granted INTEGER NOT NULL CHECK (granted >= 0),
    settled INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS operations (
    run_id TEXT NOT NULL, kind TEXT NOT NULL, seq INTEGER NOT NULL, is_done INTEGER NOT NULL,
    balance INTEGER NOT NULL, PRIMARY KEY (run_id, kind, seq)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS credit_grants (
    idempotency_key TEXT PRIMARY KEY, milli INTEGER NOT NULL) WITHOUT ROWID;
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
  firstTable: "runs",
  migrations: [
    (sql) => toVersion2(sql, { changed: RUNS + MONEY, unchanged: UNCHANGED_SINCE_1 }),
    toVersion3,
    (sql) => void sql.exec(SINCE_4),
    (sql) => void sql.exec(SINCE_5),
  ],
};

/** All tables of a workspace object that has stored nothing yet. */
export function createWorkspaceTables(sql: SqlStorage): void {
  sql.exec(RUNS + SINCE_3 + SINCE_4 + SINCE_5 + MONEY + UNCHANGED_SINCE_1);
}

/** Where runs failed, and the labels that are frequent in a chunk, with the counts of stored chunks. */
function toVersion3(sql: SqlStorage): void {
  sql.exec(SINCE_3);
  const { n } = sql.exec<{ n: number | null }>("SELECT max(n) + 1 AS n FROM run_chunks").one();
  new LabelIndex(sql).sealAllBefore(n ?? 0);
}
