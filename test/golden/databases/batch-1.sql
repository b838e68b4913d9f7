CREATE TABLE fact (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE item (
  idx INTEGER PRIMARY KEY, state INTEGER NOT NULL, worst INTEGER NOT NULL,
  liability INTEGER NOT NULL, attempt INTEGER NOT NULL DEFAULT 0,
  used INTEGER NOT NULL DEFAULT 0, end_seq INTEGER, started_at_ms INTEGER,
  completed_at_ms INTEGER, client_reference TEXT, error_code TEXT, error_message TEXT,
  runs TEXT NOT NULL DEFAULT '', input TEXT
) STRICT;
CREATE TABLE item_piece (
  idx INTEGER NOT NULL, n INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (idx, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE call (
  key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO fact VALUES ('batch', '{"facts":{"attempt":1,"run_base":"run_01a203ce94b67dc49cf7c83652634200","started_at_ms":1795345539010,"completed_at_ms":1795345539090,"cancel_requested_at_ms":null,"stop":null,"failed_now":1,"used_milli":60,"offers":1,"offered":[]},"seq":7,"marks":[{"seq":1,"event":"status","status":"pending","at_ms":1795345539000},{"seq":2,"event":"status","status":"running","at_ms":1795345539010},{"seq":6,"event":"status","status":"partial_success","at_ms":1795345539090},{"seq":7,"event":"done","status":"partial_success","at_ms":1795345539090}],"listed":"partial_success"}');
INSERT INTO fact VALUES ('record', '{"id":"bat_01a203ce94b67dc49cf7c836526341a9","workspace_id":"ws_01a202eed94479e395e6c3ddbbf9ee9a","organization_id":"org_01a202eed94479e395e6c3ddbbf9ee9b","correlation_id":"golden","base_url":"http://test","workflow":"wf_01a203ce94537940960e47f84d57074d","workflow_name":"Golden","workflow_version":1,"admission_limits":{},"common":{"interface_id":null,"output_node_ids":null,"unit_costs":[],"references":[]},"name":"Rows","client_reference":"golden","max_concurrency":null,"max_failed_items":null,"max_total_milli_credits":null,"total_items":3,"exact_milli_credits":0,"created_at_ms":1795345539000}');
INSERT INTO item VALUES (0, 2, 0, 0, 1, 20, 3, 1795345539010, 1795345539080, 'row 0', NULL, NULL, 'run_01a203ce94b67dc49cf7c83652634200', '{"inputs":[{"node_id":"in","value_json":"\"a\""}],"parameter_overrides":[],"prepaid":[]}');
INSERT INTO item VALUES (1, 3, 0, 0, 1, 20, 5, 1795345539010, 1795345539081, 'row 1', NULL, NULL, 'run_01a203ce94b67dc49cf7c83652634201', '{"inputs":[{"node_id":"in","value_json":"\"a\""}],"parameter_overrides":[],"prepaid":[]}');
INSERT INTO item VALUES (2, 4, 0, 0, 1, 20, 4, 1795345539010, 1795345539082, 'row 2', 'EXPRESSION_ERROR', 'It failed.', 'run_01a203ce94b67dc49cf7c83652634202', '{"inputs":[{"node_id":"in","value_json":"\"a\""}],"parameter_overrides":[],"prepaid":[]}');
