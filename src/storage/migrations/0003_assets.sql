-- Uploaded and imported files. The bytes lie in R2 under `key`; a path never changes its bytes.
CREATE TABLE assets (
  -- Order of creation: lists run over it, so they stay stable while files are added.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  -- For search: SQLite folds the case of ASCII only.
  name_folded TEXT NOT NULL,
  content_type TEXT NOT NULL,
  -- image, video, audio, document, model3d, data or other: the categories of storage and the types of media inputs.
  kind TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  -- Of the bytes in R2, without quotes; empty while they are being written.
  etag TEXT NOT NULL,
  -- A row is written before its bytes, so that a crash leaves nothing that nobody knows of. A deleted
  -- one stays, emptied: cursors that name it go on working.
  state TEXT NOT NULL CHECK (state IN ('writing', 'ready', 'deleted')),
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX assets_by_workspace ON assets (workspace_id, seq DESC) WHERE state = 'ready';
CREATE INDEX assets_by_kind ON assets (workspace_id, kind, seq DESC) WHERE state = 'ready';
CREATE INDEX assets_unfinished ON assets (created_at_ms) WHERE state = 'writing';

-- What counts towards a workspace's quota. Kept by triggers, so that no statement can forget it.
CREATE TABLE storage_usage (
  workspace_id TEXT PRIMARY KEY,
  -- Assets, those being written included.
  asset_bytes INTEGER NOT NULL DEFAULT 0,
  -- Presigned sessions that are open, from their creation.
  session_bytes INTEGER NOT NULL DEFAULT 0,
  -- Files of runs, as last measured.
  output_bytes INTEGER NOT NULL DEFAULT 0,
  output_count INTEGER NOT NULL DEFAULT 0,
  outputs_measured_at_ms INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TRIGGER assets_added AFTER INSERT ON assets BEGIN
  INSERT INTO storage_usage (workspace_id, asset_bytes) VALUES (NEW.workspace_id, NEW.size_bytes)
  ON CONFLICT (workspace_id) DO UPDATE SET asset_bytes = asset_bytes + excluded.asset_bytes;
END;
CREATE TRIGGER assets_changed AFTER UPDATE OF size_bytes ON assets BEGIN
  UPDATE storage_usage SET asset_bytes = asset_bytes + NEW.size_bytes - OLD.size_bytes
  WHERE workspace_id = NEW.workspace_id;
END;
CREATE TRIGGER assets_removed AFTER DELETE ON assets BEGIN
  UPDATE storage_usage SET asset_bytes = asset_bytes - OLD.size_bytes WHERE workspace_id = OLD.workspace_id;
END;

-- Presigned upload sessions that are open; the session itself is an object (durable-objects/upload).
CREATE TABLE upload_sessions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TRIGGER upload_sessions_added AFTER INSERT ON upload_sessions BEGIN
  INSERT INTO storage_usage (workspace_id, session_bytes) VALUES (NEW.workspace_id, NEW.size_bytes)
  ON CONFLICT (workspace_id) DO UPDATE SET session_bytes = session_bytes + excluded.session_bytes;
END;
CREATE TRIGGER upload_sessions_removed AFTER DELETE ON upload_sessions BEGIN
  UPDATE storage_usage SET session_bytes = session_bytes - OLD.size_bytes WHERE workspace_id = OLD.workspace_id;
END;
