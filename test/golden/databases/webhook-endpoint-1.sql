CREATE TABLE fact (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE delivery (
    id TEXT NOT NULL UNIQUE, event_id TEXT NOT NULL UNIQUE, event_type TEXT NOT NULL, execution TEXT,
    is_test INTEGER NOT NULL, status TEXT NOT NULL, attempt_count INTEGER NOT NULL,
    failures INTEGER NOT NULL, next_at INTEGER NOT NULL, deadline_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL, delivered_at INTEGER, fence INTEGER NOT NULL,
    lease_until INTEGER, lease_boot TEXT, lease_started_at INTEGER, lease_revision INTEGER,
    body TEXT NOT NULL
  );
CREATE TABLE attempt (
    delivery_id TEXT NOT NULL, number INTEGER NOT NULL, started_at INTEGER NOT NULL,
    duration INTEGER, response_status INTEGER, error_code TEXT, excerpt TEXT NOT NULL,
    url_revision INTEGER NOT NULL, PRIMARY KEY (delivery_id, number)
  ) WITHOUT ROWID;
CREATE TABLE activity (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, delivery_id TEXT, at INTEGER NOT NULL
  ) WITHOUT ROWID;
CREATE TABLE url_revision (revision INTEGER PRIMARY KEY, url TEXT NOT NULL, created_at INTEGER NOT NULL);
CREATE TABLE idempotency (
    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, delivery_id TEXT, expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
INSERT INTO fact VALUES ('base_url', 'http://127.0.0.1:18900');
INSERT INTO fact VALUES ('record', '{"id":"whe_01a202eee1d37a71854465efafd26504","workspace_id":"ws_01a202eed94479e395e6c3ddbbf9ee9a","name":"Golden","description":"","url":"https://receiver.example/","workflow_scope":"all","workflow_ids":[],"event_types":["com.svc.execution.finished.v1"],"created_at_ms":1795345539539,"url_revision":1,"status":"pending_verification","disabled_reason":null,"verified_revision":null,"verified_at_ms":null,"was_verified":false,"updated_at_ms":1795345539539,"secret":"whsec_lWvorLbdyrVmrqDWLVe6QT9K+pkZI8adGcGkrcr2n1E=","previous_secret":null,"previous_secret_expires_at_ms":null}');
INSERT INTO fact VALUES ('revision', 1);
INSERT INTO fact VALUES ('synced_revision', 1);
INSERT INTO activity VALUES ('wha_01a202eee1d37eb481e4f99063a679df', 'endpoint.created', NULL, 1795345539539);
INSERT INTO url_revision VALUES (1, 'https://receiver.example/', 1795345539539);
CREATE INDEX delivery_due ON delivery (next_at)
    WHERE lease_until IS NULL AND status IN ('pending', 'retrying');
CREATE INDEX delivery_leased ON delivery (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX delivery_suspended ON delivery (deadline_at) WHERE status = 'suspended';
