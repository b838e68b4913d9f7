-- Idempotency keys of upload sessions: which session a key made, and of what file.
CREATE TABLE upload_keys (
  workspace_id TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  upload_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX upload_keys_by_age ON upload_keys (created_at_ms);
