-- Files that visitors of an embed uploaded: the token that did, and the session, if there is one. A row is written before
-- the file can be found, and outlives a failed upload until it is swept.
CREATE TABLE embed_assets (
  path TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  upload_id TEXT,
  token TEXT NOT NULL,
  key_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  end_user_id TEXT,
  created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX embed_assets_by_upload ON embed_assets (upload_id) WHERE upload_id IS NOT NULL;
CREATE INDEX embed_assets_by_age ON embed_assets (created_at_ms);
