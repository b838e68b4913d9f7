-- Providers of models that operators configured (docs/contract/models.md#providers). The workspace_id of the system's is
-- empty. `settings` is JSON of `StoredProvider` in domain/providers/stored-provider.ts, with its format.
CREATE TABLE providers (
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  settings TEXT NOT NULL CHECK (json_valid(settings)),
  -- Encrypted (platform/provider-secrets.ts): the key, and a JSON object of headers. NULL if there is none.
  api_key TEXT,
  api_key_updated_at_ms INTEGER,
  headers TEXT,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- The slugs of the models that operators added: unique within a scope.
CREATE TABLE provider_models (
  workspace_id TEXT NOT NULL,
  model TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  PRIMARY KEY (workspace_id, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX provider_models_by_provider ON provider_models (workspace_id, provider_id);
