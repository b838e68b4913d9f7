-- The default model of a capability that an operator chose for a workspace (docs/contract/models.md#defaults).
CREATE TABLE model_defaults (
  workspace_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  model TEXT NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, capability)
) STRICT, WITHOUT ROWID;
