-- A workspace's database as the code of 2026-11-21 wrote it: nine runs in every state, money, keys, starts.
CREATE TABLE runs (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL UNIQUE, workflow_id TEXT NOT NULL,
        workflow_name TEXT NOT NULL, workflow_version INTEGER NOT NULL, interface_id TEXT,
        status TEXT NOT NULL, progress INTEGER NOT NULL, credits_used_milli INTEGER,
        error_code TEXT, error_message TEXT, created_at_ms INTEGER NOT NULL,
        started_at_ms INTEGER, completed_at_ms INTEGER,
        phase INTEGER NOT NULL, slot INTEGER NOT NULL, outputs_expired_at_ms INTEGER);
INSERT INTO runs VALUES (1, 'run_00000000000000000000000000000001', 'wf_00000000000000000000000000000001', 'Test', 1, NULL, 'completed', 100, 0, NULL, NULL, 1795342565741, 1795342565743, 1795342565743, 2, 0, 1795342565744);
INSERT INTO runs VALUES (2, 'run_00000000000000000000000000000002', 'wf_00000000000000000000000000000001', 'Test', 1, NULL, 'failed', 100, 120, NULL, NULL, 1795342565748, 1795342565749, 1795342565749, 2, 0, NULL);
INSERT INTO runs VALUES (3, 'run_00000000000000000000000000000003', 'wf_00000000000000000000000000000002', 'Second', 3, NULL, 'running', 0, NULL, NULL, NULL, 1795342565754, 1795342565755, NULL, 1, 0, NULL);
INSERT INTO runs VALUES (4, 'run_00000000000000000000000000000004', 'wf_00000000000000000000000000000001', 'Test', 1, NULL, 'cancelling', 0, NULL, NULL, NULL, 1795342565760, 1795342565767, NULL, 1, 0, NULL);
INSERT INTO runs VALUES (5, 'run_00000000000000000000000000000005', 'wf_00000000000000000000000000000001', 'Test', 1, NULL, 'failed', 100, 0, 'insufficient_credits', 'The run may cost up to 1000000 milli-credits and the balance is 3880.', 1795342565771, NULL, 1795342565771, 2, 1, NULL);
INSERT INTO runs VALUES (6, 'run_00000000000000000000000000000006', 'wf_00000000000000000000000000000002', 'Second', 3, NULL, 'completed', 100, 0, NULL, NULL, 1795342565779, 1795342565781, 1795342565781, 2, 0, NULL);
INSERT INTO runs VALUES (7, 'run_00000000000000000000000000000007', 'wf_00000000000000000000000000000001', 'Test', 1, NULL, 'pending', 0, NULL, NULL, NULL, 1795342565787, NULL, NULL, 0, 0, NULL);
INSERT INTO runs VALUES (8, 'run_00000000000000000000000000000008', 'wf_00000000000000000000000000000001', 'Test', 1, NULL, 'pending', 0, NULL, NULL, NULL, 1795342565789, NULL, NULL, 0, 1, NULL);
INSERT INTO runs VALUES (9, 'run_00000000000000000000000000000009', 'wf_00000000000000000000000000000001', 'Test', 1, NULL, 'pending', 0, NULL, NULL, NULL, 1795342565791, NULL, NULL, 1, 1, NULL);
CREATE INDEX runs_by_workflow ON runs (workflow_id);
CREATE INDEX runs_by_status ON runs (status);
CREATE INDEX runs_live ON runs (slot) WHERE phase < 2;
CREATE TABLE starts (
        run_id TEXT NOT NULL, piece INTEGER NOT NULL, body TEXT NOT NULL,
        due_at_ms INTEGER NOT NULL, attempts INTEGER NOT NULL,
        PRIMARY KEY (run_id, piece)) WITHOUT ROWID;
INSERT INTO starts VALUES ('run_00000000000000000000000000000006', 0, '{"v":1,"run_id":"run_00000000000000000000000000000006","workspace_id":"ws_00000000000000000000000000000001","organization_id":"org_00000000000000000000000000000001","correlation_id":"test","workflow_id":"wf_00000000000000000000000000000002","workflow_name":"Second","workflow_version":3,"interface_id":null,"inputs":[{"node_id":"in","value_json":"\"text 6\""}],"parameter_overrides":[],"output_node_ids":null,"admission_limits":{},"prepaid":[],"time_limit_ms":86400000,"created_at_ms":1795342565779,"reserved_milli_credits":0,"is_held":false}', 1795342566779, 0);
INSERT INTO starts VALUES ('run_00000000000000000000000000000007', 0, '{"v":1,"run_id":"run_00000000000000000000000000000007","workspace_id":"ws_00000000000000000000000000000001","organization_id":"org_00000000000000000000000000000001","correlation_id":"test","workflow_id":"wf_00000000000000000000000000000001","workflow_name":"Test","workflow_version":1,"interface_id":null,"inputs":[{"node_id":"in","value_json":"\"text 7\""}],"parameter_overrides":[],"output_node_ids":null,"admission_limits":{},"prepaid":[],"time_limit_ms":86400000,"created_at_ms":1795342565787,"reserved_milli_credits":0,"is_held":false}', 1795342566787, 0);
INSERT INTO starts VALUES ('run_00000000000000000000000000000008', 0, '{"v":1,"run_id":"run_00000000000000000000000000000008","workspace_id":"ws_00000000000000000000000000000001","organization_id":"org_00000000000000000000000000000001","correlation_id":"test","workflow_id":"wf_00000000000000000000000000000001","workflow_name":"Test","workflow_version":1,"interface_id":null,"inputs":[{"node_id":"in","value_json":"\"text 8\""}],"parameter_overrides":[],"output_node_ids":null,"admission_limits":{},"prepaid":[],"time_limit_ms":86400000,"created_at_ms":1795342565789,"reserved_milli_credits":0,"is_held":true}', 1795342566789, 0);
CREATE TABLE idempotency (
        key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, run_id TEXT NOT NULL,
        status_code INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO idempotency VALUES ('POST /api/v1/executions key-1', 'fingerprint-1', 'run_00000000000000000000000000000001', 202, 1795428965741);
INSERT INTO idempotency VALUES ('POST /api/v1/executions key-3', 'fingerprint-3', 'run_00000000000000000000000000000003', 202, 1795428965754);
INSERT INTO idempotency VALUES ('POST /api/v1/executions key-5', 'fingerprint-5', 'run_00000000000000000000000000000005', 402, 1795428965771);
INSERT INTO idempotency VALUES ('POST /api/v1/executions key-7', 'fingerprint-7', 'run_00000000000000000000000000000007', 202, 1795428965787);
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at_ms);
CREATE TABLE settings (
        id INTEGER PRIMARY KEY CHECK (id = 1), max_concurrent INTEGER NOT NULL);
INSERT INTO settings VALUES (1, 3);
CREATE TABLE workflows (
        workflow_id TEXT PRIMARY KEY, name TEXT NOT NULL, status TEXT NOT NULL,
        version INTEGER NOT NULL, seq INTEGER NOT NULL, is_removed INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO workflows VALUES ('wf_00000000000000000000000000000002', 'Second', 'published', 3, 4, 0);
INSERT INTO workflows VALUES ('wf_00000000000000000000000000000001', 'Test', 'published', 1, 1, 0);
CREATE TABLE account (
        id INTEGER PRIMARY KEY CHECK (id = 1), month TEXT NOT NULL, plan_monthly INTEGER NOT NULL,
        monthly INTEGER NOT NULL CHECK (monthly >= 0), granted INTEGER NOT NULL CHECK (granted >= 0),
        spent_this_month INTEGER NOT NULL);
INSERT INTO account VALUES (1, '2026-11', 1000, 0, 3870, 620);
CREATE TABLE holds (
        run_id TEXT PRIMARY KEY, month TEXT NOT NULL, lapsing INTEGER NOT NULL CHECK (lapsing >= 0),
        monthly INTEGER NOT NULL CHECK (monthly >= 0), granted INTEGER NOT NULL CHECK (granted >= 0),
        settled INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO holds VALUES ('run_00000000000000000000000000000003', '2026-11', 0, 380, 1120, 500);
INSERT INTO holds VALUES ('run_00000000000000000000000000000009', '2026-11', 0, 0, 10, 0);
CREATE TABLE operations (
        run_id TEXT NOT NULL, kind TEXT NOT NULL, seq INTEGER NOT NULL, is_done INTEGER NOT NULL,
        balance INTEGER NOT NULL, PRIMARY KEY (run_id, kind, seq)) WITHOUT ROWID;
CREATE TABLE credit_grants (
        idempotency_key TEXT PRIMARY KEY, milli INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO credit_grants VALUES ('grant-1', 5000);
CREATE TABLE ledger (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, run_id TEXT, node_id TEXT,
        milli INTEGER NOT NULL, balance_after INTEGER NOT NULL, created_at_ms INTEGER NOT NULL);
INSERT INTO ledger VALUES (1, 'grant', NULL, NULL, 5000, 5000, 1795342565730);
INSERT INTO ledger VALUES (2, 'grant', NULL, NULL, 1000, 6000, 1795342565741);
INSERT INTO ledger VALUES (3, 'reserve', 'run_00000000000000000000000000000002', NULL, 300, 5700, 1795342565748);
INSERT INTO ledger VALUES (4, 'settle', 'run_00000000000000000000000000000002', NULL, 120, 5700, 1795342565751);
INSERT INTO ledger VALUES (5, 'release', 'run_00000000000000000000000000000002', NULL, 180, 5880, 1795342565751);
INSERT INTO ledger VALUES (6, 'reserve', 'run_00000000000000000000000000000003', NULL, 2000, 3880, 1795342565754);
INSERT INTO ledger VALUES (7, 'settle', 'run_00000000000000000000000000000003', NULL, 500, 3880, 1795342565758);
INSERT INTO ledger VALUES (8, 'reserve', 'run_00000000000000000000000000000009', NULL, 10, 3870, 1795342565791);
CREATE TABLE webhook_endpoints (
        endpoint_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, is_listening INTEGER NOT NULL,
        workflow_ids TEXT, base_url TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO webhook_endpoints VALUES ('whe_1', 1, 1, '["wf_00000000000000000000000000000002"]', 'http://svc.test');
CREATE TABLE refused_events (run_id TEXT PRIMARY KEY, event_id TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX runs_kept ON runs (completed_at_ms)
        WHERE phase = 2 AND outputs_expired_at_ms IS NULL;
CREATE TABLE retention (
        id INTEGER PRIMARY KEY CHECK (id = 1), next_at_ms INTEGER NOT NULL);
INSERT INTO retention VALUES (1, 1795428965745);
CREATE TABLE owner (
        id INTEGER PRIMARY KEY CHECK (id = 1), workspace_id TEXT NOT NULL);
INSERT INTO owner VALUES (1, 'ws_00000000000000000000000000000001');
