CREATE TABLE fact (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE file (
    part_index INTEGER PRIMARY KEY, key TEXT NOT NULL, size INTEGER NOT NULL DEFAULT 0,
    upload_id TEXT, is_done INTEGER NOT NULL DEFAULT 0 /* schema 1 */
  ) STRICT;
CREATE TABLE piece (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
CREATE TABLE part (number INTEGER PRIMARY KEY, etag TEXT NOT NULL) STRICT;
CREATE TABLE entry (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
INSERT INTO fact VALUES ('generation', 1);
INSERT INTO fact VALUES ('phase', 'completed');
INSERT INTO fact VALUES ('request', '{"v":1,"workspace_id":"ws_01a202eed94479e395e6c3ddbbf9ee9a","batch_id":"bat_01a203ce94b67dc49cf7c836526341a9","format":"csv","attempt":1,"inputs":false,"raw":false,"workflow_name":"Golden","total_items":3,"ended_at_ms":1795345539090,"base_url":"http://test","kept_ms":2592000000,"columns":{"inputs":[],"outputs":["out"]}}');
INSERT INTO fact VALUES ('columns', '{"inputs":[],"outputs":["out"]}');
INSERT INTO fact VALUES ('state', '{"has_begun":false,"next":0,"file":0,"is_complete":false,"stage":2,"zip":null}');
INSERT INTO fact VALUES ('length', 0);
INSERT INTO fact VALUES ('failures', 0);
INSERT INTO fact VALUES ('sent', 0);
INSERT INTO fact VALUES ('completed_at', 1795345539200);
INSERT INTO file VALUES (1, 'ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/bat_01a203ce94b67dc49cf7c836526341a9/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/Golden-526341a9.csv', 300, NULL, 1);
