-- Page images of exact previews: files of the store that their addresses open for an hour. A row is written before its
-- files, so that a sweep finds those of a preview that was cut off too.
CREATE TABLE design_template_previews (
  -- Of the files `page-1.png` and on.
  folder TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  page_count INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX design_template_previews_by_expiry ON design_template_previews (expires_at_ms);
