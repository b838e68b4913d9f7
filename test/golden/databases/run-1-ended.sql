CREATE TABLE fact (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE cell (
    node INTEGER NOT NULL, ord INTEGER NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL,
    attempts INTEGER, ms INTEGER,
    PRIMARY KEY (node, ord)
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
INSERT INTO fact VALUES ('chunks', 1);
INSERT INTO fact VALUES ('closed', 1);
INSERT INTO fact VALUES ('completed_at', 1795345539219);
INSERT INTO fact VALUES ('definition.0', '{"nodes":[{"id":"rows","type":"input/json","label":"rows","parameters":{"jsonConfig":{"properties":[{"path":"$","outputPort":"text","outputType":"text"}]}}},{"id":"codes","type":"image/code","parameters":{"symbology":"qr","size":64}},{"id":"pictures","type":"output/image","parameters":{"key":"pictures"}},{"id":"all","type":"aggregate/text","parameters":{}},{"id":"said","type":"output/text","parameters":{"key":"said"}}],"connections":[{"from":{"node":"rows","port":"text"},"to":{"node":"codes","port":"text"}},{"from":{"node":"codes","port":"image"},"to":{"node":"pictures","port":"image"}},{"from":{"node":"rows","port":"text"},"to":{"node":"all","port":"text"}},{"from":{"node":"all","port":"text"},"to":{"node":"said","port":"text"}}]}');
INSERT INTO fact VALUES ('facts.0', '{"v":1,"run_id":"run_01a202eedea47d09ba1765f8cf9c6f6e","workspace_id":"ws_01a202eed94479e395e6c3ddbbf9ee9a","organization_id":"org_01a202eed8ff79de923fc1e957216791","correlation_id":"627cf047-b058-4e24-a05a-a568998f6830","workflow_id":"wf_01a202eedd997a51bfd5876c3a7caa3e","workflow_name":"Golden","workflow_version":1,"interface_id":null,"parameter_overrides":[],"output_node_ids":null,"admission_limits":{},"created_at_ms":1795345538724,"max_outstanding_tasks":256,"prepaid":[{"node_id":"codes","iterations":3}],"time_limit_ms":86400000,"reserved_milli_credits":60,"is_held":false}');
INSERT INTO fact VALUES ('log.000000001', '[1,1,1795345538792,"running",null,null,[[0,1,2,1,0,0,0,0,0]],[]]');
INSERT INTO fact VALUES ('log.000000002', '[1,1,1795345538827,null,11,null,[[0,1,3,1,1,0,0,0,1],[1,1,2,3,0,0,0,0,0],[2,1,2,3,0,0,0,0,0],[3,1,2,1,0,0,0,0,0]],[]]');
INSERT INTO fact VALUES ('log.000000003', '[1,0,1795345538840,null,null,null,[[1,0,2,3,0,0,0,0,3],[2,0,2,3,0,0,0,0,3]],[]]');
INSERT INTO fact VALUES ('log.000000004', '[1,1,1795345538862,null,22,null,[[3,1,3,1,1,0,0,0,1],[4,1,2,1,0,0,0,0,0]],[]]');
INSERT INTO fact VALUES ('log.000000005', '[1,1,1795345538879,null,33,null,[[4,1,3,1,1,0,0,0,1]],[[4,0,0,1]]]');
INSERT INTO fact VALUES ('log.000000006', '[1,1,1795345539219,"completed",100,null,[[1,1,3,3,3,0,0,0,3],[2,1,3,3,3,0,0,0,3]],[[2,0,0,3]]]');
INSERT INTO fact VALUES ('outbox', 'evt_01a202eee09379bcac02dfc52fd59009');
INSERT INTO fact VALUES ('seed', '001d05cc232f753cffc60dbd8d4f0a1afbd8fc0ddff5b4f59ea2b2a7636433b3');
INSERT INTO fact VALUES ('started_at', 1795345538792);
INSERT INTO fact VALUES ('state', '{"v":1,"status":"completed","stopped":null,"nodes":[[3,1,1,0,0,0,1],[3,3,3,0,0,0,3],[3,3,3,0,0,0,3],[3,1,1,0,0,0,1],[3,1,1,0,0,0,1]],"progress":100}');
INSERT INTO fact VALUES ('tasks', 3);
INSERT INTO cell VALUES (-1, 0, 0, '[["value",["j",["a","b","c"]]]]', NULL, NULL);
INSERT INTO cell VALUES (0, 0, 0, '[["item",["j","a"]],["text",["j","a"]]]', NULL, NULL);
INSERT INTO cell VALUES (0, 1, 0, '[["item",["j","b"]],["text",["j","b"]]]', NULL, NULL);
INSERT INTO cell VALUES (0, 2, 0, '[["item",["j","c"]],["text",["j","c"]]]', NULL, NULL);
INSERT INTO cell VALUES (1, 0, 0, '[["image",["f",{"key":"ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eedea47d09ba1765f8cf9c6f6e/czbXUPSr_vAS_j1j5oaPGBdGMBYvv0kKWNvmf3M7Qdc/code.png","name":"code.png","contentType":"image/png","sizeBytes":227}]],["check",["j",{"schema":"svc.quality-check/v1","subject":"qr code","passed":true,"checks":[{"id":"decodes","passed":true,"severity":"error","measured":true,"expected":true,"message":"Read back: the symbol holds its text."},{"id":"contrast","passed":true,"severity":"warning","measured":100,"expected":40,"message":"Code and background_color differ by 100 % of full contrast."},{"id":"polarity","passed":true,"severity":"warning","measured":"dark_on_light","expected":"dark_on_light","message":"The code is darker than its background."},{"id":"quiet_zone","passed":true,"severity":"error","measured":[5.5],"expected":[4],"message":"The quiet zone is 5.5 modules wide."},{"id":"module_size","passed":true,"severity":"warning","measured":2,"expected":2,"message":"A module is 2 px."}]}]]]', 1, 188);
INSERT INTO cell VALUES (1, 1, 0, '[["image",["f",{"key":"ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eedea47d09ba1765f8cf9c6f6e/mhU_ZFq4p8zGXBKaU8oNQ3__8htPLOfCHDR5dk7nxF4/code.png","name":"code.png","contentType":"image/png","sizeBytes":221}]],["check",["j",{"schema":"svc.quality-check/v1","subject":"qr code","passed":true,"checks":[{"id":"decodes","passed":true,"severity":"error","measured":true,"expected":true,"message":"Read back: the symbol holds its text."},{"id":"contrast","passed":true,"severity":"warning","measured":100,"expected":40,"message":"Code and background_color differ by 100 % of full contrast."},{"id":"polarity","passed":true,"severity":"warning","measured":"dark_on_light","expected":"dark_on_light","message":"The code is darker than its background."},{"id":"quiet_zone","passed":true,"severity":"error","measured":[5.5],"expected":[4],"message":"The quiet zone is 5.5 modules wide."},{"id":"module_size","passed":true,"severity":"warning","measured":2,"expected":2,"message":"A module is 2 px."}]}]]]', 1, 22);
INSERT INTO cell VALUES (1, 2, 0, '[["image",["f",{"key":"ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eedea47d09ba1765f8cf9c6f6e/tFRL5cU_h65oCMXVwzsX7ES4liJnyUnMfD3SJy_vft4/code.png","name":"code.png","contentType":"image/png","sizeBytes":221}]],["check",["j",{"schema":"svc.quality-check/v1","subject":"qr code","passed":true,"checks":[{"id":"decodes","passed":true,"severity":"error","measured":true,"expected":true,"message":"Read back: the symbol holds its text."},{"id":"contrast","passed":true,"severity":"warning","measured":100,"expected":40,"message":"Code and background_color differ by 100 % of full contrast."},{"id":"polarity","passed":true,"severity":"warning","measured":"dark_on_light","expected":"dark_on_light","message":"The code is darker than its background."},{"id":"quiet_zone","passed":true,"severity":"error","measured":[5.5],"expected":[4],"message":"The quiet zone is 5.5 modules wide."},{"id":"module_size","passed":true,"severity":"warning","measured":2,"expected":2,"message":"A module is 2 px."}]}]]]', 1, 24);
INSERT INTO cell VALUES (2, 0, 0, '[["value",["f",{"key":"ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eedea47d09ba1765f8cf9c6f6e/czbXUPSr_vAS_j1j5oaPGBdGMBYvv0kKWNvmf3M7Qdc/code.png","name":"code.png","contentType":"image/png","sizeBytes":227}]]]', NULL, NULL);
INSERT INTO cell VALUES (2, 1, 0, '[["value",["f",{"key":"ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eedea47d09ba1765f8cf9c6f6e/mhU_ZFq4p8zGXBKaU8oNQ3__8htPLOfCHDR5dk7nxF4/code.png","name":"code.png","contentType":"image/png","sizeBytes":221}]]]', NULL, NULL);
INSERT INTO cell VALUES (2, 2, 0, '[["value",["f",{"key":"ws_01a202eed94479e395e6c3ddbbf9ee9a/runs/run_01a202eedea47d09ba1765f8cf9c6f6e/tFRL5cU_h65oCMXVwzsX7ES4liJnyUnMfD3SJy_vft4/code.png","name":"code.png","contentType":"image/png","sizeBytes":221}]]]', NULL, NULL);
INSERT INTO cell VALUES (3, 0, 0, '[["text",["j","a\nb\nc"]]]', NULL, NULL);
INSERT INTO cell VALUES (4, 0, 0, '[["value",["j","a\nb\nc"]]]', NULL, NULL);
INSERT INTO axis_row VALUES (0, 0, 0, 3, NULL);
CREATE INDEX task_by_status ON task (status, id);
