CREATE TABLE entry (
    key TEXT PRIMARY KEY, node_type TEXT NOT NULL, workflow TEXT NOT NULL, execution TEXT NOT NULL,
    unread TEXT NOT NULL, objects TEXT NOT NULL, digest TEXT NOT NULL, milli INTEGER NOT NULL,
    bytes INTEGER NOT NULL, stored_bytes INTEGER NOT NULL, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,
    used_ms INTEGER NOT NULL /* schema 1 */
  ) STRICT, WITHOUT ROWID;
CREATE INDEX entry_by_use ON entry (used_ms);
CREATE INDEX entry_by_expiry ON entry (expires_ms);
CREATE INDEX entry_by_execution ON entry (execution);
CREATE TABLE content (key TEXT PRIMARY KEY, outputs TEXT NOT NULL) STRICT;
CREATE TABLE taker (
    execution TEXT NOT NULL, run TEXT NOT NULL, released_ms INTEGER, PRIMARY KEY (execution, run)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE month (
    month TEXT PRIMARY KEY, hits INTEGER NOT NULL, misses INTEGER NOT NULL, saved INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE part (
    digit TEXT PRIMARY KEY, bytes INTEGER NOT NULL, oldest_ms INTEGER
  ) STRICT, WITHOUT ROWID;
INSERT INTO entry VALUES ('0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'image/code', 'wf_01a203ce94537940960e47f84d57074d', 'run_01a203ce94b67dc49cf7c83652634200', '["svg"]', '[]', 'digest', 20, 41, 41, 1795345539000, 4102444800000, 1795345539000);
INSERT INTO content VALUES ('0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '[{"port":"image","value":"[\"j\",\"a code\"]"}]');
INSERT INTO taker VALUES ('run_01a203ce94b67dc49cf7c83652634200', 'run_01a203ce94b67dc49cf7c83652634201', NULL);
INSERT INTO month VALUES ('2026-11', 1, 2, 20);
INSERT INTO part VALUES ('0', 41, 1795345539000);
