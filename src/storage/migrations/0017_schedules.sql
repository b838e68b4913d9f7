-- Schedules as lists find them. The schedule's object owns the truth, writes `status` and `workflow` here after each
-- change, and starts nothing before its row exists.
CREATE TABLE schedules (
  -- Order of creation: lists run over it.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  workflow TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'ended')),
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX schedules_by_workspace ON schedules (workspace_id, seq DESC);

-- The plan of local development allows a schedule each second; other plans have the default.
UPDATE plans SET limits = json_insert(limits, '$.min_schedule_interval_seconds', 1) WHERE code = 'dev';
