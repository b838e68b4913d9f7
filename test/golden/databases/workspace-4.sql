-- The tables of a workspace as the code of version 3 makes them (2026-11-24), with three ended runs written by hand.
CREATE TABLE account (
    id INTEGER PRIMARY KEY CHECK (id = 1), month TEXT NOT NULL, plan_monthly INTEGER NOT NULL,
    monthly INTEGER NOT NULL CHECK (monthly >= 0), granted INTEGER NOT NULL CHECK (granted >= 0),
    spent_this_month INTEGER NOT NULL,
    held INTEGER NOT NULL CHECK (held >= 0), held_granted INTEGER NOT NULL CHECK (held_granted >= 0));
CREATE TABLE credit_grants (
    idempotency_key TEXT PRIMARY KEY, milli INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE holds (
    run_id TEXT PRIMARY KEY, month TEXT NOT NULL, lapsing INTEGER NOT NULL CHECK (lapsing >= 0),
    monthly INTEGER NOT NULL CHECK (monthly >= 0), granted INTEGER NOT NULL CHECK (granted >= 0),
    settled INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE ledger (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, run_id TEXT, node_id TEXT,
    milli INTEGER NOT NULL, balance_after INTEGER NOT NULL, created_at_ms INTEGER NOT NULL);
CREATE TABLE operations (
    run_id TEXT NOT NULL, kind TEXT NOT NULL, seq INTEGER NOT NULL, is_done INTEGER NOT NULL,
    balance INTEGER NOT NULL, PRIMARY KEY (run_id, kind, seq)) WITHOUT ROWID;
CREATE TABLE owner (
    id INTEGER PRIMARY KEY CHECK (id = 1), workspace_id TEXT NOT NULL);
CREATE TABLE refused_events (
    run_id TEXT PRIMARY KEY, event_id TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE retention (
    id INTEGER PRIMARY KEY CHECK (id = 1), next_at_ms INTEGER NOT NULL);
CREATE TABLE run_chunks (
    n INTEGER PRIMARY KEY, counts BLOB NOT NULL, statuses BLOB NOT NULL, workflows BLOB NOT NULL);
CREATE TABLE run_label_chunks (/* schema 3 */
    name TEXT NOT NULL, value TEXT NOT NULL, n INTEGER NOT NULL, count INTEGER NOT NULL,
    bits BLOB NOT NULL, PRIMARY KEY (name, value, n)) WITHOUT ROWID;
CREATE TABLE run_workflows (workflow INTEGER PRIMARY KEY, workflow_id TEXT NOT NULL UNIQUE);
INSERT INTO "run_workflows" VALUES(1,'wf_01a203ce94537940960e47f84d57074d');
CREATE TABLE runs (/* schema 2 */
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
    due_at_ms INTEGER, attempts INTEGER NOT NULL DEFAULT 0, start TEXT, error_node_id TEXT, error_indices TEXT, origin /* schema 4 */ TEXT);
INSERT INTO "runs" VALUES(1,'run_00000000000000000000000000000001',1,'wf_01a203ce94537940960e47f84d57074d','Airport guide',1,NULL,'completed',100,0,NULL,NULL,1795342565791,NULL,1795342565891,NULL,2,0,0,0,1,NULL,NULL,'bat_01a203ce94b67dc49cf7c836526341a9',NULL,NULL,'row 1',NULL,NULL,NULL,0,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(2,'run_00000000000000000000000000000002',1,'wf_01a203ce94537940960e47f84d57074d','Airport guide',1,NULL,'failed',100,0,NULL,NULL,1795342565792,NULL,1795342565892,NULL,2,0,0,0,2,NULL,NULL,NULL,NULL,NULL,NULL,'emb_01a203ce94b67dc49cf7c836526341aa',NULL,NULL,0,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(3,'run_00000000000000000000000000000003',1,'wf_01a203ce94537940960e47f84d57074d','Airport guide',1,NULL,'completed',100,0,NULL,NULL,1795342565793,NULL,1795342565893,NULL,2,0,0,0,3,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL);
CREATE TABLE settings (
    id INTEGER PRIMARY KEY CHECK (id = 1), max_concurrent INTEGER NOT NULL DEFAULT 0,
    expired_through INTEGER NOT NULL DEFAULT 0);
CREATE TABLE start_pieces (
    run_id TEXT NOT NULL, piece INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run_id, piece)) WITHOUT ROWID;
CREATE TABLE webhook_endpoints (
    endpoint_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, is_listening INTEGER NOT NULL,
    workflow_ids TEXT, base_url TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE workflows (
    workflow_id TEXT PRIMARY KEY, name TEXT NOT NULL, status TEXT NOT NULL,
    version INTEGER NOT NULL, seq INTEGER NOT NULL, is_removed INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "workflows" VALUES('wf_01a203ce94537940960e47f84d57074d','Airport guide','published',1,2,0);
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
