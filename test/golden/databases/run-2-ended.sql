CREATE TABLE fact (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE cell (
    node INTEGER NOT NULL, ord INTEGER NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL,
    attempts INTEGER, ms INTEGER, extra TEXT,
    PRIMARY KEY (node, ord) /* schema 2 */
  ) WITHOUT ROWID;
CREATE TABLE axis_row (
    axis INTEGER NOT NULL, parent INTEGER NOT NULL, status INTEGER NOT NULL, count INTEGER NOT NULL,
    failure TEXT, PRIMARY KEY (axis, parent)
  ) WITHOUT ROWID;
CREATE TABLE skipped (
    node INTEGER PRIMARY KEY, skipped INTEGER NOT NULL, total INTEGER NOT NULL
  );
CREATE TABLE task (
    id INTEGER PRIMARY KEY, node INTEGER NOT NULL, ord INTEGER NOT NULL,
    status TEXT NOT NULL, chunk INTEGER, attempt INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0, boot TEXT, due_at INTEGER, outcome TEXT,
    ms INTEGER NOT NULL DEFAULT 0
  );
INSERT INTO fact VALUES ('acknowledged', 'running');
INSERT INTO fact VALUES ('chunks', 1.0);
INSERT INTO fact VALUES ('closed', 1.0);
INSERT INTO fact VALUES ('completed_at', 1795361313851.0);
INSERT INTO fact VALUES ('definition.0', '{"nodes":[{"id":"rows","type":"input/json","label":"rows","parameters":{"jsonConfig":{"properties":[{"path":"$","outputPort":"text","outputType":"text"}]}}},{"id":"codes","type":"image/code","parameters":{"symbology":"qr","size":64}},{"id":"pictures","type":"output/image","parameters":{"key":"pictures"}},{"id":"all","type":"aggregate/text","parameters":{}},{"id":"said","type":"output/text","parameters":{"key":"said"}}],"connections":[{"from":{"node":"rows","port":"text"},"to":{"node":"codes","port":"text"}},{"from":{"node":"codes","port":"image"},"to":{"node":"pictures","port":"image"}},{"from":{"node":"rows","port":"text"},"to":{"node":"all","port":"text"}},{"from":{"node":"all","port":"text"},"to":{"node":"said","port":"text"}}]}');
INSERT INTO fact VALUES ('facts.0', '{"v":1,"run_id":"run_01a202eede247d09ba1765f8cf9c6fe0","workspace_id":"ws_01a202eed94479e395e6c3ddbbf9ee9a","organization_id":"org_01a202eed8ff79de923fc1e957216791","correlation_id":"161a6d6e-9155-450c-96e6-0026995730b1","workflow_id":"wf_01a202eedd997a51bfd5876c3a7caa3e","workflow_name":"Golden","workflow_version":1,"interface_id":null,"parameter_overrides":[],"output_node_ids":null,"admission_limits":{},"created_at_ms":1795361313744,"reserved_milli_credits":60,"prepaid":[{"node_id":"codes","iterations":3}],"time_limit_ms":86400000,"max_outstanding_tasks":256,"is_held":false,"kept_plan":{"fingerprint":"EzTfz7HZSKd4ddpqTYFdogXeQTRJMI9MbAOcgPZuRF0","outline":[1,[["rows",0,"input/json","1.1",0,0,1,0,0,0],["codes",0,"image/code","1.0",1,1,1,-1,0,[20,"image"],0],["pictures",0,"output/image","1.0",2,1,1,-1,0,0,1],["all",0,"aggregate/text","1.0",3,1,0,-1,1,0,0],["said",0,"output/text","1.0",4,0,0,-1,0,0,3]],[[0,0]],[[-1],[0,0]],[{"node":2,"key":"pictures","type":"image","label":"pictures","cardinality":"multiple","required":false,"nodeId":"pictures"},{"node":4,"key":"said","type":"text","label":"said","cardinality":"single","required":true,"nodeId":"said"}]]}}');
INSERT INTO fact VALUES ('log.000000001', '[1,1,1795361313784,"running",null,null,[[0,1,2,1,0,0,0,0,0,0,0]],[]]');
INSERT INTO fact VALUES ('log.000000002', '[1,1,1795361313791,null,11,null,[[0,1,3,1,1,0,0,0,1,0,0],[1,1,2,3,0,0,0,0,0,0,0],[2,1,2,3,0,0,0,0,0,0,0],[3,1,2,1,0,0,0,0,0,0,0]],[]]');
INSERT INTO fact VALUES ('log.000000003', '[1,0,1795361313793,null,null,null,[[1,0,2,3,0,0,0,0,3,0,0],[2,0,2,3,0,0,0,0,3,0,0]],[]]');
INSERT INTO fact VALUES ('log.000000004', '[1,1,1795361313799,null,22,null,[[3,1,3,1,1,0,0,0,1,0,0],[4,1,2,1,0,0,0,0,0,0,0]],[]]');
INSERT INTO fact VALUES ('log.000000005', '[1,1,1795361313802,null,33,null,[[4,1,3,1,1,0,0,0,1,0,0]],[[4,0,0,1]]]');
INSERT INTO fact VALUES ('log.000000006', '[1,0,1795361313821,null,55,null,[[1,0,2,3,1,0,0,0,3,10,0],[2,0,2,3,1,0,0,0,3,0,0]],[[2,0,0,1]]]');
INSERT INTO fact VALUES ('log.000000007', '[1,1,1795361313851,"completed",100,null,[[1,1,3,3,3,0,0,0,3,50,0],[2,1,3,3,3,0,0,0,3,0,0]],[[2,0,1,2]]]');
INSERT INTO fact VALUES ('outbox', 'evt_01a203df943b781fb1b971e4f6116341');
INSERT INTO fact VALUES ('seed', '900911a08db06c16d31f1dcb9f53d07bd4769e4896fff872d915afa765ad2aea');
INSERT INTO fact VALUES ('started_at', 1795361313784.0);
INSERT INTO fact VALUES ('state', '{"v":1,"status":"completed","stopped":null,"nodes":[[3,1,1,0,0,0,1,0,0],[3,3,3,0,0,0,3,50,0],[3,3,3,0,0,0,3,0,0],[3,1,1,0,0,0,1,0,0],[3,1,1,0,0,0,1,0,0]],"progress":100}');
INSERT INTO fact VALUES ('tasks', 3.0);
INSERT INTO cell VALUES (-1, 0, 0, '[["value",["j",["a","b","c"]]]]', NULL, NULL, NULL);
INSERT INTO cell VALUES (0, 0, 0, '[["item",["j","a"]],["text",["j","a"]]]', NULL, NULL, NULL);
INSERT INTO cell VALUES (0, 1, 0, '[["item",["j","b"]],["text",["j","b"]]]', NULL, NULL, NULL);
INSERT INTO cell VALUES (0, 2, 0, '[["item",["j","c"]],["text",["j","c"]]]', NULL, NULL, NULL);
INSERT INTO cell VALUES (1, 0, 0, '[["image",["f",{"key":"ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eede247d09ba1765f8cf9c6fe0/j4Jw5-wNITkxiTpdMVEsr_U_Xq1NAvX2l0JFP_3kgUI/code.png","name":"code.png","contentType":"image/png","sizeBytes":227}]],["check",["j",{"ok":true}]]]', 1, 12, '[10,null,"iiiiiiiiiiiiiiiiiiiiiiii","oooooooooooooooooooooooo"]');
INSERT INTO cell VALUES (1, 1, 0, '[["image",["f",{"key":"ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eede247d09ba1765f8cf9c6fe0/hbW8MKiZz35JGZ1Mh2Wyg8U14iwgCFemS780FS2PK20/code.png","name":"code.png","contentType":"image/png","sizeBytes":227}]],["check",["j",{"ok":true}]]]', 1, 12, '[20]');
INSERT INTO cell VALUES (1, 2, 0, '[["image",["f",{"key":"ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eede247d09ba1765f8cf9c6fe0/NBYy23Oxy8_jHkcfv6_8yf0M-nqvuvuRgiFs1WOrXnw/code.png","name":"code.png","contentType":"image/png","sizeBytes":227}]],["check",["j",{"ok":true}]]]', 1, 12, '[20]');
INSERT INTO cell VALUES (2, 0, 0, '[["value",["f",{"key":"ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eede247d09ba1765f8cf9c6fe0/j4Jw5-wNITkxiTpdMVEsr_U_Xq1NAvX2l0JFP_3kgUI/code.png","name":"code.png","contentType":"image/png","sizeBytes":227}]]]', NULL, NULL, NULL);
INSERT INTO cell VALUES (2, 1, 0, '[["value",["f",{"key":"ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eede247d09ba1765f8cf9c6fe0/hbW8MKiZz35JGZ1Mh2Wyg8U14iwgCFemS780FS2PK20/code.png","name":"code.png","contentType":"image/png","sizeBytes":227}]]]', NULL, NULL, NULL);
INSERT INTO cell VALUES (2, 2, 0, '[["value",["f",{"key":"ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eede247d09ba1765f8cf9c6fe0/NBYy23Oxy8_jHkcfv6_8yf0M-nqvuvuRgiFs1WOrXnw/code.png","name":"code.png","contentType":"image/png","sizeBytes":227}]]]', NULL, NULL, NULL);
INSERT INTO cell VALUES (3, 0, 0, '[["text",["j","a\nb\nc"]]]', NULL, NULL, NULL);
INSERT INTO cell VALUES (4, 0, 0, '[["value",["j","a\nb\nc"]]]', NULL, NULL, NULL);
INSERT INTO axis_row VALUES (0, 0, 0, 3, NULL);
CREATE INDEX task_by_status ON task (status, id);
