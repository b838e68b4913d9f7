-- Design templates as lists and nodes read them. The template's object owns the truth and writes these rows after each
-- change; `object_revision` keeps a late write from undoing a newer one.
CREATE TABLE design_templates (
  -- Order of creation: lists run over it.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- For search: SQLite folds the case of ASCII only.
  name_folded TEXT NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'published', 'archived')),
  latest_revision INTEGER NOT NULL,
  latest_version_id TEXT,
  -- Of the draft.
  page_count INTEGER NOT NULL,
  draft_etag TEXT NOT NULL,
  has_unpublished_changes INTEGER NOT NULL,
  -- JSON; the text null if the template was not copied.
  source TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  object_revision INTEGER NOT NULL,
  -- A deleted template leaves its id behind, emptied: cursors that name it go on working.
  deleted_at_ms INTEGER
) STRICT;

CREATE INDEX design_templates_by_workspace ON design_templates (workspace_id, status, seq DESC)
  WHERE deleted_at_ms IS NULL;

-- Published revisions: immutable, like their files.
CREATE TABLE design_template_versions (
  template_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  content_hash TEXT NOT NULL,
  contract_hash TEXT NOT NULL,
  page_count INTEGER NOT NULL,
  folder TEXT NOT NULL,
  published_at_ms INTEGER NOT NULL,
  PRIMARY KEY (template_id, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE design_template_share_links (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  template_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  -- Digest of the token, which is shown once.
  token_hash TEXT NOT NULL UNIQUE,
  require_sign_in INTEGER NOT NULL,
  -- NULL is no limit.
  max_imports INTEGER,
  import_count INTEGER NOT NULL DEFAULT 0,
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX design_template_share_links_by_template
  ON design_template_share_links (workspace_id, template_id, seq DESC);

CREATE TABLE color_profiles (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  guid TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  output_condition_identifier TEXT NOT NULL,
  color_space TEXT NOT NULL CHECK (color_space IN ('CMYK', 'RGB', 'GRAY')),
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  -- Its bytes stay in the store for versions and runs that name the profile.
  storage_key TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  deleted_at_ms INTEGER
) STRICT;

CREATE INDEX color_profiles_by_workspace ON color_profiles (workspace_id, seq DESC)
  WHERE deleted_at_ms IS NULL;
