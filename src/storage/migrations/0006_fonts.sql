-- Fonts of workspaces (docs/contract/fonts.md#families). The families that ship with the service have no rows.
CREATE TABLE font_families (
  -- Dashed, lower-case UUIDs, here and below.
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  display_name TEXT NOT NULL,
  -- What makes a name the same: without case, in one Unicode form. Lists run over it.
  name_folded TEXT NOT NULL,
  -- Of the fonts' own name tables.
  family TEXT NOT NULL,
  family_folded TEXT NOT NULL,
  category TEXT NOT NULL,
  -- A family that ships with the service.
  fallback_id TEXT,
  -- An archived family keeps its name, its revisions and their files.
  state TEXT NOT NULL CHECK (state IN ('active', 'archived')),
  -- The current revision.
  version_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (workspace_id, name_folded)
) STRICT;

-- Never changed and never deleted.
CREATE TABLE font_revisions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  family_id TEXT NOT NULL,
  revision_number INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  file_count INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (family_id, revision_number)
) STRICT;

CREATE TABLE font_files (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  version_id TEXT NOT NULL,
  variant TEXT NOT NULL,
  weight INTEGER NOT NULL,
  style TEXT NOT NULL,
  format TEXT NOT NULL,
  post_script_name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  UNIQUE (version_id, variant)
) STRICT;

-- The bytes, in R2 under `key`: of the same bytes a workspace keeps one object, whatever revisions name it.
CREATE TABLE font_objects (
  key TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  -- Hex; empty until the bytes are checked.
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  -- A row is written before its bytes, so that a crash leaves nothing that nobody knows of.
  state TEXT NOT NULL CHECK (state IN ('writing', 'ready')),
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX font_objects_by_content ON font_objects (workspace_id, sha256) WHERE state = 'ready';
CREATE INDEX font_objects_unfinished ON font_objects (created_at_ms) WHERE state = 'writing';

-- A revision without its bytes must not come to be: this ends the transaction that would make it.
CREATE TRIGGER font_files_have_bytes BEFORE INSERT ON font_files
WHEN NOT EXISTS (
  SELECT 1 FROM font_objects
  WHERE workspace_id = NEW.workspace_id AND sha256 = NEW.sha256 AND state = 'ready'
) BEGIN
  SELECT RAISE(ABORT, 'a font file without its bytes');
END;

-- Fonts count towards the quota as assets do, and in the same figure.
CREATE TRIGGER font_objects_added AFTER INSERT ON font_objects BEGIN
  INSERT INTO storage_usage (workspace_id, asset_bytes) VALUES (NEW.workspace_id, NEW.size_bytes)
  ON CONFLICT (workspace_id) DO UPDATE SET asset_bytes = asset_bytes + excluded.asset_bytes;
END;
CREATE TRIGGER font_objects_changed AFTER UPDATE OF size_bytes ON font_objects BEGIN
  UPDATE storage_usage SET asset_bytes = asset_bytes + NEW.size_bytes - OLD.size_bytes
  WHERE workspace_id = NEW.workspace_id;
END;
CREATE TRIGGER font_objects_removed AFTER DELETE ON font_objects BEGIN
  UPDATE storage_usage SET asset_bytes = asset_bytes - OLD.size_bytes WHERE workspace_id = OLD.workspace_id;
END;
