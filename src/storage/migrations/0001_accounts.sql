-- Accounts: who may call, and on which plan. Times are milliseconds since 1970, lists are JSON.
CREATE TABLE plans (
  code TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  limits TEXT NOT NULL CHECK (json_valid(limits)),
  updated_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE organizations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  plan_code TEXT NOT NULL REFERENCES plans (code),
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  plan_code TEXT NOT NULL REFERENCES plans (code),
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX workspaces_by_organization ON workspaces (organization_id);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  workspace_id TEXT NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  -- SHA-256 of the secret: its 256 bits of randomness need no slow hash.
  secret_sha256 TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  permissions TEXT NOT NULL CHECK (json_valid(permissions)),
  is_agent INTEGER NOT NULL CHECK (is_agent IN (0, 1)),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER
) STRICT;
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id);

-- docs/contract/access.md#plans. Everything a plan does not name has its default in contracts/plan.ts.
INSERT INTO plans (code, name, limits, updated_at_ms) VALUES (
  'dev',
  'Development',
  '{"max_credits_per_month":1000000,"requests_per_minute":100000,"max_concurrent_executions":256,"max_storage_bytes":10737418240,"output_retention_days":60,"max_webhook_endpoints":100,"api_access":true,"embed_access":true}',
  0
);
