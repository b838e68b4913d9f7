CREATE TABLE fact (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO fact VALUES ('boot','b30fe954-4bba-4e74-9874-e1d2b992c885');
INSERT INTO fact VALUES ('clock','{"status":"paused","scanned_ms":1795518963258,"delayed":[],"ready":[],"waiting":null,"starting":null,"runs_started":3,"last_ms":1795518962251,"live":["run_01a20d450e947f709e13a6101a826bf1","run_01a20d4516647ed590b0b693f5b42b6a","run_01a20d451e337950ad375d1800c6c18e","run_01a20d451eef76608c8babc703f2ed2d"]}');
INSERT INTO fact VALUES ('is_confirmed',1);
INSERT INTO fact VALUES ('listed','paused wf_01a20d42c34676a6896cbeb0244609e7');
INSERT INTO fact VALUES ('record','{"name":"Golden","workflow":"wf_01a20d42c34676a6896cbeb0244609e7","version":null,"interface":null,"inputs_json":"{\"name\":{\"value\":\"\\\"Ada\\\"\"},\"link\":{\"value\":\"\\\"https://example.com/x\\\"\"}}","admission_limits":null,"cron":null,"interval_seconds":3600,"time_zone":"UTC","starts_at_ms":null,"ends_at_ms":null,"max_runs":null,"jitter_seconds":1,"overlap":"allow","catch_up":"latest","catch_up_window_seconds":3600,"scheduled_time_input":null,"id":"sch_01a20d4502db7a47afe4815fb9cb3e36","workspace_id":"ws_01a202eed94479e395e6c3ddbbf9ee9a","organization_id":"org_01a20d42c2ee7c3881cb797ea7a7caf5","base_url":"http://test","created_at_ms":1795518956251,"updated_at_ms":1795518963511,"revision":2}');
CREATE TABLE firing (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, firing TEXT NOT NULL
  ) STRICT;
INSERT INTO firing VALUES (1,'at 1795518958251','{"scheduled_for_ms":1795518958251,"due_at_ms":1795518959251,"fired_at_ms":1795518959259,"outcome":"started","execution":"run_01a20d450e947f709e13a6101a826bf1","error_code":null}');
INSERT INTO firing VALUES (2,'at 1795518960251','{"scheduled_for_ms":1795518960251,"due_at_ms":1795518961251,"fired_at_ms":1795518961258,"outcome":"started","execution":"run_01a20d4516647ed590b0b693f5b42b6a","error_code":null}');
INSERT INTO firing VALUES (3,'at 1795518962251','{"scheduled_for_ms":1795518962251,"due_at_ms":1795518963251,"fired_at_ms":1795518963258,"outcome":"started","execution":"run_01a20d451e337950ad375d1800c6c18e","error_code":null}');
INSERT INTO firing VALUES (4,'trigger 7bb516f5-7612-44a3-b3d1-3c51cdc55f33','{"scheduled_for_ms":1795518963438,"due_at_ms":1795518963438,"fired_at_ms":1795518963444,"outcome":"triggered","execution":"run_01a20d451eef76608c8babc703f2ed2d","error_code":null}');
CREATE TABLE trigger_call (key TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
