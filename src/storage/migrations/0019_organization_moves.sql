-- Moves of organizations between shards (docs/decisions/moves.md). A row says what this database is to an organization that
-- moves: 'copying' and 'fenced' are its home, 'arriving' is where it goes, 'moved' is where it was for another 10 minutes.
-- 'loading' exists only inside of a transaction of the move itself. The triggers that read the table are created by the
-- first move (storage/d1/moves/move-triggers.ts).
CREATE TABLE organization_moves (
  organization_id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('copying', 'fenced', 'moved', 'arriving', 'loading')),
  -- A fence ends by itself: by this database's own clock, so that the end and the commit of a move exclude each other.
  fenced_until_ms INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Rows of moving organizations that were written since the copy began.
CREATE TABLE organization_move_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id TEXT NOT NULL,
  table_name TEXT NOT NULL,
  row_key TEXT NOT NULL
) STRICT;
CREATE INDEX organization_move_log_by_organization ON organization_move_log (organization_id, id);

-- The usage of a workspace moves as a row of its own.
DROP TRIGGER assets_added;
CREATE TRIGGER assets_added AFTER INSERT ON assets WHEN NOT EXISTS (SELECT 1 FROM organization_moves WHERE state = 'loading') BEGIN
  INSERT INTO storage_usage (workspace_id, asset_bytes) VALUES (NEW.workspace_id, NEW.size_bytes)
  ON CONFLICT (workspace_id) DO UPDATE SET asset_bytes = asset_bytes + excluded.asset_bytes;
END;
DROP TRIGGER assets_changed;
CREATE TRIGGER assets_changed AFTER UPDATE OF size_bytes ON assets WHEN NOT EXISTS (SELECT 1 FROM organization_moves WHERE state = 'loading') BEGIN
  UPDATE storage_usage SET asset_bytes = asset_bytes + NEW.size_bytes - OLD.size_bytes
  WHERE workspace_id = NEW.workspace_id;
END;
DROP TRIGGER assets_removed;
CREATE TRIGGER assets_removed AFTER DELETE ON assets WHEN NOT EXISTS (SELECT 1 FROM organization_moves WHERE state = 'loading') BEGIN
  UPDATE storage_usage SET asset_bytes = asset_bytes - OLD.size_bytes WHERE workspace_id = OLD.workspace_id;
END;
DROP TRIGGER font_objects_added;
CREATE TRIGGER font_objects_added AFTER INSERT ON font_objects WHEN NOT EXISTS (SELECT 1 FROM organization_moves WHERE state = 'loading') BEGIN
  INSERT INTO storage_usage (workspace_id, asset_bytes) VALUES (NEW.workspace_id, NEW.size_bytes)
  ON CONFLICT (workspace_id) DO UPDATE SET asset_bytes = asset_bytes + excluded.asset_bytes;
END;
DROP TRIGGER font_objects_changed;
CREATE TRIGGER font_objects_changed AFTER UPDATE OF size_bytes ON font_objects WHEN NOT EXISTS (SELECT 1 FROM organization_moves WHERE state = 'loading') BEGIN
  UPDATE storage_usage SET asset_bytes = asset_bytes + NEW.size_bytes - OLD.size_bytes
  WHERE workspace_id = NEW.workspace_id;
END;
DROP TRIGGER font_objects_removed;
CREATE TRIGGER font_objects_removed AFTER DELETE ON font_objects WHEN NOT EXISTS (SELECT 1 FROM organization_moves WHERE state = 'loading') BEGIN
  UPDATE storage_usage SET asset_bytes = asset_bytes - OLD.size_bytes WHERE workspace_id = OLD.workspace_id;
END;
DROP TRIGGER upload_sessions_added;
CREATE TRIGGER upload_sessions_added AFTER INSERT ON upload_sessions WHEN NOT EXISTS (SELECT 1 FROM organization_moves WHERE state = 'loading') BEGIN
  INSERT INTO storage_usage (workspace_id, session_bytes) VALUES (NEW.workspace_id, NEW.size_bytes)
  ON CONFLICT (workspace_id) DO UPDATE SET session_bytes = session_bytes + excluded.session_bytes;
END;
DROP TRIGGER upload_sessions_removed;
CREATE TRIGGER upload_sessions_removed AFTER DELETE ON upload_sessions WHEN NOT EXISTS (SELECT 1 FROM organization_moves WHERE state = 'loading') BEGIN
  UPDATE storage_usage SET session_bytes = session_bytes - OLD.size_bytes WHERE workspace_id = OLD.workspace_id;
END;
DROP TRIGGER font_files_have_bytes;
CREATE TRIGGER font_files_have_bytes BEFORE INSERT ON font_files
WHEN NOT EXISTS (SELECT 1 FROM organization_moves WHERE state = 'loading') AND NOT EXISTS (
  SELECT 1 FROM font_objects
  WHERE workspace_id = NEW.workspace_id AND sha256 = NEW.sha256 AND state = 'ready'
) BEGIN
  SELECT RAISE(ABORT, 'a font file without its bytes');
END;

-- A release from before shards may have created organizations and keys after migration 0018: they are at home here, too. Only
-- DB has a directory.
INSERT INTO organization_homes (organization_id, shard) SELECT id, 0 FROM organizations
WHERE EXISTS (SELECT 1 FROM organization_homes) AND id NOT IN (SELECT organization_id FROM organization_homes);
INSERT INTO key_organizations (key_id, organization_id) SELECT id, organization_id FROM api_keys
WHERE EXISTS (SELECT 1 FROM key_organizations) AND id NOT IN (SELECT key_id FROM key_organizations);
