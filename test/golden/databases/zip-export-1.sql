CREATE TABLE fact (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE archive (
    zip_id INTEGER PRIMARY KEY, key TEXT NOT NULL, size INTEGER NOT NULL, files INTEGER NOT NULL,
    upload_id TEXT, sent INTEGER NOT NULL, is_done INTEGER NOT NULL
  );
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, zip_id INTEGER NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL,
    key TEXT, node INTEGER NOT NULL, ord INTEGER NOT NULL
  );
CREATE TABLE part (
    zip_id INTEGER NOT NULL, number INTEGER NOT NULL, etag TEXT NOT NULL, PRIMARY KEY (zip_id, number)
  ) WITHOUT ROWID;
INSERT INTO fact VALUES ('completed_at', 1795345539378);
INSERT INTO fact VALUES ('failures', 0);
INSERT INTO fact VALUES ('fence', 1);
INSERT INTO fact VALUES ('phase', 'completed');
INSERT INTO fact VALUES ('request', '{"v":1,"run_id":"run_01a202eedea47d09ba1765f8cf9c6f6e","workspace_id":"ws_01a202eed94479e395e6c3ddbbf9ee9a","workflow_name":"Golden","run_completed_at_ms":1795345539219}');
INSERT INTO fact VALUES ('total_bytes', 674);
INSERT INTO fact VALUES ('total_files', 4);
INSERT INTO archive VALUES (1, 'ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eedea47d09ba1765f8cf9c6f6e/hL4KNCBDUO2IrpTbTrA6qFORo77dmn_N5SKVBi72KdE/Golden-cf9c6f6e.zip', 1164, 4, NULL, 1164, 1);
