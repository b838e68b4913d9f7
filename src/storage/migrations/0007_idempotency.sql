-- Idempotency keys of requests that create rows of this database. A row is claimed before the work
-- begins, and settled in the transaction that creates: a crash between the two cannot be.
CREATE TABLE idempotency_keys (
  -- A workspace, or 'operator'.
  scope TEXT NOT NULL,
  -- Method and address, with its ids in their canonical form.
  route TEXT NOT NULL,
  key TEXT NOT NULL,
  -- Of the body. Null while a form is being read whose end nobody has seen.
  fingerprint TEXT,
  -- Names the request that may create. Who takes a lapsed claim over writes its own name here.
  claim TEXT NOT NULL,
  -- A claim of another boot of a local service is over.
  boot_id TEXT NOT NULL,
  lease_expires_at_ms INTEGER NOT NULL,
  -- What was created and how it was answered; null until then.
  resource_id TEXT,
  status INTEGER,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (scope, route, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at_ms);

-- Always empty: a row that breaks its rule ends the transaction that would create without a claim.
CREATE TABLE idempotency_guard (
  is_claim_held INTEGER NOT NULL CHECK (is_claim_held = 1)
) STRICT;
