-- Webhook endpoints as lists show them. The endpoint's object owns the truth and writes `view` here
-- after each change; `revision` keeps a late write from undoing a newer one.
CREATE TABLE webhook_endpoints (
  -- Order of creation: lists run over it.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  view TEXT NOT NULL CHECK (json_valid(view)),
  revision INTEGER NOT NULL,
  -- The ids of an endpoint's deliveries end like its own, so that a delivery's id leads to its object.
  id_end TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  archived_at_ms INTEGER,
  -- Idempotency of the creation (docs/contract/idempotency.md#keys); the key is released after a day.
  creation_key TEXT,
  creation_fingerprint TEXT
) STRICT;

CREATE INDEX webhook_endpoints_by_workspace ON webhook_endpoints (workspace_id, seq DESC);
CREATE INDEX webhook_endpoints_by_id_end ON webhook_endpoints (id_end);
CREATE UNIQUE INDEX webhook_endpoints_by_creation ON webhook_endpoints (workspace_id, creation_key)
  WHERE creation_key IS NOT NULL;
