/** The first version of a workspace's tables, and the migration to version 2. */
import { RunIndex } from "./run-index.ts";

/** Tables that every workspace object created when it woke, and that a database may therefore lack. */
export const WORKSPACE_TABLES_1 = `
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
  CREATE TABLE IF NOT EXISTS account (
    id INTEGER PRIMARY KEY CHECK (id = 1), month TEXT NOT NULL, plan_monthly INTEGER NOT NULL,
    monthly INTEGER NOT NULL CHECK (monthly >= 0), granted INTEGER NOT NULL CHECK (granted >= 0),
    spent_this_month INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS ledger (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, run_id TEXT, node_id TEXT,
    milli INTEGER NOT NULL, balance_after INTEGER NOT NULL, created_at_ms INTEGER NOT NULL);`;

/**
 * Copies everything once: AUTOINCREMENT, which costs a row per insert, cannot be removed from a table, and obsolete
 * indexes are dropped with the old one. `tables` is the text of version 2.
 */
export function toVersion2(
  sql: SqlStorage,
  tables: { readonly changed: string; readonly unchanged: string },
): void {
  const [runs] = sql
    .exec<{ sql: string }>("SELECT sql FROM sqlite_master WHERE name = 'runs'")
    .toArray();
  if (runs?.sql.includes("outputs_expired_at_ms") === false) {
    sql.exec("ALTER TABLE runs ADD COLUMN outputs_expired_at_ms INTEGER");
  }
  sql.exec(WORKSPACE_TABLES_1 + tables.unchanged);
  sql.exec(`
    DROP INDEX runs_by_workflow; DROP INDEX runs_by_status; DROP INDEX runs_live;
    DROP INDEX runs_kept; DROP INDEX idempotency_by_expiry;
    CREATE UNIQUE INDEX idempotency_1_by_run ON idempotency (run_id);
    ALTER TABLE runs RENAME TO runs_1; ALTER TABLE starts RENAME TO starts_1;
    ALTER TABLE settings RENAME TO settings_1; ALTER TABLE account RENAME TO account_1;
    ALTER TABLE ledger RENAME TO ledger_1;
    ${tables.changed}
    INSERT INTO run_workflows (workflow_id) SELECT DISTINCT workflow_id FROM runs_1;`);
  // A start in several pieces is too long for a row and stays in place.
  sql.exec(`
    INSERT INTO runs
      SELECT row_number() OVER (ORDER BY r.seq), r.run_id, w.workflow, r.workflow_id, workflow_name,
        workflow_version, interface_id, r.status, progress, credits_used_milli, error_code,
        error_message, created_at_ms, started_at_ms, completed_at_ms, outputs_expired_at_ms, phase,
        iif(i.status_code = 402, 3, slot), phase < 2, 0, row_number() OVER (ORDER BY r.seq),
        i.key, i.fingerprint, NULL, NULL, NULL, NULL, NULL, NULL, s.due_at_ms,
        coalesce(s.attempts, 0),
        iif(EXISTS (SELECT 1 FROM starts_1 m WHERE m.run_id = r.run_id AND m.piece = 1), '', s.body)
      FROM runs_1 r JOIN run_workflows w ON w.workflow_id = r.workflow_id
        LEFT JOIN idempotency i ON i.run_id = r.run_id
        LEFT JOIN starts_1 s ON s.run_id = r.run_id AND s.piece = 0
      ORDER BY r.seq;
    INSERT INTO settings (id, max_concurrent, expired_through)
      SELECT 1, coalesce((SELECT max_concurrent FROM settings_1), 0), coalesce(
        (SELECT min(seq) - 1 FROM runs WHERE outputs_expired_at_ms IS NULL),
        (SELECT max(seq) FROM runs), 0);
    INSERT INTO account
      SELECT id, month, plan_monthly, monthly, granted, spent_this_month,
        (SELECT coalesce(sum(lapsing + monthly + granted), 0) FROM holds),
        (SELECT coalesce(sum(granted), 0) FROM holds) FROM account_1;
    INSERT INTO ledger
      SELECT row_number() OVER (ORDER BY seq), kind, run_id, node_id, milli, balance_after,
        created_at_ms FROM ledger_1;`);
  sql.exec(`
    INSERT INTO start_pieces SELECT run_id, piece, body FROM starts_1
      WHERE run_id IN (SELECT run_id FROM starts_1 WHERE piece = 1);
    DROP TABLE runs_1; DROP TABLE idempotency; DROP TABLE starts_1; DROP TABLE settings_1;
    DROP TABLE account_1; DROP TABLE ledger_1;`);
  new RunIndex(sql).sealChunks();
}
