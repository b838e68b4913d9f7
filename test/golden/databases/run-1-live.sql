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
INSERT INTO fact VALUES ('definition.0', '{"nodes":[{"id":"rows","type":"input/json","label":"rows","parameters":{"jsonConfig":{"properties":[{"path":"$","outputPort":"text","outputType":"text"}]}}},{"id":"codes","type":"image/code","parameters":{"symbology":"qr","size":64}},{"id":"pictures","type":"output/image","parameters":{"key":"pictures"}},{"id":"all","type":"aggregate/text","parameters":{}},{"id":"said","type":"output/text","parameters":{"key":"said"}}],"connections":[{"from":{"node":"rows","port":"text"},"to":{"node":"codes","port":"text"}},{"from":{"node":"codes","port":"image"},"to":{"node":"pictures","port":"image"}},{"from":{"node":"rows","port":"text"},"to":{"node":"all","port":"text"}},{"from":{"node":"all","port":"text"},"to":{"node":"said","port":"text"}}]}');
INSERT INTO fact VALUES ('facts.0', '{"v":1,"run_id":"run_01a202eeee2f7ee3ad59e73b218499ce","workspace_id":"ws_01a202eed94479e395e6c3ddbbf9ee9a","organization_id":"org_01a202eed8ff79de923fc1e957216791","correlation_id":"161a6d6e-9155-450c-96e6-0026995730b1","workflow_id":"wf_01a202eedd997a51bfd5876c3a7caa3e","workflow_name":"Golden","workflow_version":1,"interface_id":null,"parameter_overrides":[],"output_node_ids":null,"admission_limits":{},"created_at_ms":1795345542704,"max_outstanding_tasks":256,"prepaid":[{"node_id":"codes","iterations":2}],"time_limit_ms":86400000,"reserved_milli_credits":40,"is_held":false}');
INSERT INTO fact VALUES ('log.000000001', '[1,1,1795345542748,"running",null,null,[[0,1,2,1,0,0,0,0,0]],[]]');
INSERT INTO fact VALUES ('log.000000002', '[1,1,1795345542763,null,14,null,[[0,1,3,1,1,0,0,0,1],[1,1,2,2,0,0,0,0,0],[2,1,2,2,0,0,0,0,0],[3,1,2,1,0,0,0,0,0]],[]]');
INSERT INTO fact VALUES ('log.000000003', '[1,0,1795345542774,null,null,null,[[1,0,2,2,0,0,0,0,2],[2,0,2,2,0,0,0,0,2]],[]]');
INSERT INTO fact VALUES ('log.000000004', '[1,1,1795345542816,null,28,null,[[3,1,3,1,1,0,0,0,1],[4,1,2,1,0,0,0,0,0]],[]]');
INSERT INTO fact VALUES ('log.000000005', '[1,1,1795345542822,null,42,null,[[4,1,3,1,1,0,0,0,1]],[[4,0,0,1]]]');
INSERT INTO fact VALUES ('seed', '0dc0332fd5962dc00265790ac4926257536c7e4b55dffaf91664a23623006f58');
INSERT INTO fact VALUES ('started_at', 1795345542748);
INSERT INTO fact VALUES ('state', '{"v":1,"status":"running","stopped":null,"nodes":[[3,1,1,0,0,0,1],[2,2,0,0,0,0,2],[2,2,0,0,0,0,2],[3,1,1,0,0,0,1],[3,1,1,0,0,0,1]],"progress":42}');
INSERT INTO fact VALUES ('tasks', 2);
INSERT INTO cell VALUES (-1, 0, 0, '[["value",["j",["a","b"]]]]', NULL, NULL);
INSERT INTO cell VALUES (0, 0, 0, '[["item",["j","a"]],["text",["j","a"]]]', NULL, NULL);
INSERT INTO cell VALUES (0, 1, 0, '[["item",["j","b"]],["text",["j","b"]]]', NULL, NULL);
INSERT INTO cell VALUES (3, 0, 0, '[["text",["j","a\nb"]]]', NULL, NULL);
INSERT INTO cell VALUES (4, 0, 0, '[["value",["j","a\nb"]]]', NULL, NULL);
INSERT INTO axis_row VALUES (0, 0, 0, 2, NULL);
INSERT INTO task VALUES (1, 1, 0, 'queued', 1, 0, 0, '9add5450-abc3-4864-b084-849ce29b8433', 1795345547830, NULL, 0);
INSERT INTO task VALUES (2, 1, 1, 'queued', 1, 0, 0, '9add5450-abc3-4864-b084-849ce29b8433', 1795345547830, NULL, 0);
CREATE INDEX task_by_status ON task (status, id);
