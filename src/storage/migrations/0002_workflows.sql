-- Workflows, their immutable versions and their folders. Every row carries its workspace.

CREATE TABLE workflows (
  -- Order of creation: lists run over it, so they stay stable while workflows are added or change status.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- For search: SQLite folds the case of ASCII only.
  name_folded TEXT NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  folder_id TEXT,
  status TEXT NOT NULL CHECK (status IN ('draft', 'published', 'archived')),
  version INTEGER NOT NULL DEFAULT 0,
  -- Of the working definition: the ETag.
  revision INTEGER NOT NULL DEFAULT 1,
  -- The working definition's text, or the R2 key that holds it when it is large; exactly one of the two.
  definition TEXT,
  definition_key TEXT,
  content_hash TEXT NOT NULL,
  -- Of what the workspace object must know: the newest, and what it was told. A new draft is none of its business.
  pointer_seq INTEGER NOT NULL DEFAULT 1,
  pointer_synced_seq INTEGER NOT NULL DEFAULT 1,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  -- Written before the workspace object is asked to forget the workflow, so that a crash cannot leave it half deleted.
  delete_requested_at_ms INTEGER,
  -- A deleted workflow leaves its id behind, emptied: cursors that name it go on working.
  deleted_at_ms INTEGER
);

CREATE INDEX workflows_by_workspace ON workflows (workspace_id, status, seq DESC) WHERE deleted_at_ms IS NULL;
CREATE INDEX workflows_by_folder ON workflows (workspace_id, folder_id, seq DESC) WHERE deleted_at_ms IS NULL;
CREATE INDEX workflows_pointer_behind ON workflows (updated_at_ms) WHERE pointer_seq > pointer_synced_seq;

CREATE TABLE workflow_versions (
  workflow_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  workspace_id TEXT NOT NULL,
  definition TEXT,
  definition_key TEXT,
  content_hash TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (workflow_id, version)
) WITHOUT ROWID;

CREATE TABLE workflow_folders (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  -- NULL is the top level.
  parent_id TEXT,
  name TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
);

CREATE UNIQUE INDEX workflow_folders_by_name ON workflow_folders (workspace_id, ifnull(parent_id, ''), name);
