import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { type Reply, call, type Caller, newCaller, operator } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { WorkspaceFixture } from "../workspace/workspace-fixture.ts";

const DEFINITION = {
  nodes: [
    { id: "name", type: "input/text", label: "Name", parameters: { required: true } },
    { id: "extra", type: "input/text", label: "Extra", parameters: { required: false } },
    { id: "rows", type: "input/json", label: "Rows", parameters: { required: false } },
    { id: "data", type: "input/json_value", label: "Data", parameters: { required: false } },
    { id: "out", type: "output/text", label: "Greeting", parameters: {} },
    { id: "extra_out", type: "output/text", label: "Extra", parameters: {} },
    { id: "row_out", type: "output/json", label: "Row", parameters: {} },
    { id: "data_out", type: "output/json", label: "Data", parameters: {} },
  ],
  connections: [
    { from: { node: "name", port: "text" }, to: { node: "out", port: "text" } },
    { from: { node: "extra", port: "text" }, to: { node: "extra_out", port: "text" } },
    { from: { node: "rows", port: "item" }, to: { node: "row_out", port: "json" } },
    { from: { node: "data", port: "json" }, to: { node: "data_out", port: "json" } },
  ],
  interfaces: [
    {
      id: "int_short",
      name: "Short",
      fields: [{ key: "who", type: "text", required: true, bind: { node: "name" } }],
      outputs: [{ key: "ignored_name", node: "out" }],
    },
  ],
};

let caller: Caller;
let workflow: string;

beforeAll(async () => {
  caller = await newCaller();
  workflow = await publishedWorkflow(caller, DEFINITION);
});

function submit(body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  return call("POST", "/api/v1/executions", { token: caller.token, json: body, headers });
}

function get(path: string, token = caller.token): Promise<Reply> {
  return call("GET", `/api/v1/executions${path}`, { token });
}

const name = { name: { value: '"Ada"' } };

/** Returns the ended run once its workspace has the end too, since lists and replays read it there. */
async function finished(runId: string): Promise<Reply> {
  await waitUntil(`${runId} to end in the list`, async () => {
    const listed: { id: string; completed_at: string | null }[] = (await get("?limit=100")).json
      .data;
    return listed.some(({ id, completed_at }) => id === runId && completed_at !== null);
  });
  return get(`/${runId}`);
}

describe("a submit", () => {
  it("returns the execution, which ends with its outputs", async () => {
    const response = await submit({ workflow, inputs: name });
    expect(response.status).toBe(202);
    expect(response.json).toMatchObject({
      id: expect.stringMatching(/^run_[0-9a-f]{32}$/),
      workflow,
      workflow_name: "Test",
      workflow_version: 1,
      interface: null,
      status: expect.stringMatching(/^(pending|running)$/),
      progress: expect.any(Number),
      created_at: expect.stringMatching(/Z$/),
      outputs: [],
    });
    const { json } = await finished(response.json.id);
    expect(json).toMatchObject({ status: "completed", progress: 100, credits_used: 0 });
    expect(json.outputs_total).toBe(json.outputs.length);
  });

  it("shows result and raw outputs with absent values, and numbers with their digits", async () => {
    const data = '{"n":1.50,"big":12345678901234567890}';
    const response = await submit({
      workflow,
      inputs: { ...name, data: { value: data }, rows: { value: '[{"a":1e2},{"a":2}]' } },
    });
    await finished(response.json.id);
    const result = await get(`/${response.json.id}/result`);
    expect(result.status).toBe(200);
    expect(result.text).toContain(`"value":${data}`);
    expect(result.text).toContain('"value":{"a":1e2}');
    const { by_key, items } = result.json.result;
    expect(by_key.greeting).toMatchObject({ state: "present", value: "Ada" });
    expect(by_key.extra).toMatchObject({ state: "absent", value: null });
    expect(by_key.row.cardinality).toBe("multiple");
    expect(by_key.row.items.map((item: { input_indices: number[] }) => item.input_indices)).toEqual(
      [[0], [1]],
    );
    expect(items).toEqual(
      Object.values(by_key).flatMap((group) => (group as { items: unknown[] }).items),
    );
    const outputs = await get(`/${response.json.id}/outputs`);
    expect(outputs.status).toBe(200);
    expect(outputs.json).toMatchObject({ has_more: false, next_cursor: null });
    expect(outputs.json.total_count).toBe(outputs.json.data.length);
    const data_out = outputs.json.data.find(
      (raw: { logical_name: string }) => raw.logical_name === "data",
    );
    expect(data_out.value).toBe(data);
    const first = await get(`/${response.json.id}/outputs?limit=2`);
    const rest = await get(
      `/${response.json.id}/outputs?limit=100&starting_after=${first.json.next_cursor}`,
    );
    expect([...first.json.data, ...rest.json.data]).toEqual(outputs.json.data);
  });

  it("through an interface accepts its keys and shows only its outputs, under the runtime keys", async () => {
    const response = await submit({
      workflow,
      interface: "int_short",
      inputs: { who: { value: '"Bo"' } },
    });
    expect(response.json.interface).toBe("int_short");
    await finished(response.json.id);
    const result = await get(`/${response.json.id}/result`);
    expect(Object.keys(result.json.result.by_key)).toEqual(["greeting"]);
    const wrong = await submit({ workflow, interface: "int_short", inputs: name });
    expect([wrong.status, wrong.json.code]).toEqual([400, "validation_error"]);
    const unknown = await submit({ workflow, interface: "int_none", inputs: name });
    expect([unknown.status, unknown.json.code]).toEqual([400, "validation_error"]);
    expect(unknown.json.detail).toContain("int_short");
  });

  it("without a required input is refused with a runnable example before anything is created", async () => {
    const before = await get("");
    const response = await submit({ workflow, inputs: {} });
    expect([response.status, response.json.code]).toEqual([400, "validation_error"]);
    expect(response.json.detail).toContain('"name"');
    expect((await get("")).json.total_count).toBe(before.json.total_count);
    // The most important members come first, since the example is long.
    expect([Object.keys(response.json)[0], Object.keys(response.json).at(-1)]).toEqual([
      "type",
      "example",
    ]);
    const again = await submit({ workflow, inputs: response.json.example });
    expect(again.status).toBe(202);
  });

  it.each([
    ["no workflow", { workflow: undefined }, 400, "invalid_request"],
    ["a malformed workflow", { workflow: "nonsense" }, 400, "invalid_request"],
    ["a run's id as workflow", { workflow: `run_${"0".repeat(32)}` }, 400, "invalid_request"],
    ["a workflow that is a number", { workflow: 5 }, 400, "invalid_request"],
    ["an unknown workflow", { workflow: `wf_${"0".repeat(32)}` }, 404, "workflow_not_found"],
    ["version 0", { version: 0 }, 400, "invalid_version"],
    ["a version too high", { version: 2 }, 400, "invalid_version"],
    ["a fractional version", { version: 1.5 }, 400, "validation_error"],
    ["an unknown field", { input: {} }, 400, "validation_error"],
    ["inputs that are a list", { inputs: [] }, 400, "validation_error"],
    [
      "a bound of zero",
      { admission_limits: { max_iterations_per_node: 0 } },
      400,
      "validation_error",
    ],
    [
      "a bound beyond 2^53",
      { admission_limits: { max_iterations_per_node: 2 ** 60 } },
      400,
      "validation_error",
    ],
    ["an unknown bound", { admission_limits: { max: 1 } }, 400, "validation_error"],
  ])("with %s is refused", async (_name, change, status, code) => {
    const response = await submit({ workflow, inputs: name, ...change });
    expect([response.status, response.json.code]).toEqual([status, code]);
    expect(response.json.request_id).toBeTypeOf("string");
  });

  it("accepts the workflow as a bare UUID, dashed or not", async () => {
    const hex = workflow.slice(3);
    const dashed = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    for (const given of [hex, dashed]) {
      const response = await submit({ workflow: given, inputs: name });
      expect([response.status, response.json.workflow]).toEqual([202, workflow]);
    }
  });

  it("of another workspace's workflow or run is forbidden", async () => {
    const run = await submit({ workflow, inputs: name });
    const other = await newCaller();
    const response = await call("POST", "/api/v1/executions", {
      token: other.token,
      json: { workflow, inputs: name },
    });
    expect([response.status, response.json.code]).toEqual([403, "forbidden"]);
    for (const path of ["", "/result", "/outputs"]) {
      const read = await get(`/${run.json.id}${path}`, other.token);
      expect([read.status, read.json.code]).toEqual([403, "forbidden"]);
    }
    expect((await get("", other.token)).json.total_count).toBe(0);
  });

  it("uses a workflow's changes at once, despite this isolate's cache", async () => {
    const mine = await publishedWorkflow(caller, DEFINITION);
    expect((await submit({ workflow: mine, inputs: name })).status).toBe(202);
    const path = `/api/v1/workflows/${mine}`;
    await call("POST", `${path}/revert`, { token: caller.token });
    const draft = await submit({ workflow: mine, inputs: name });
    expect([draft.status, draft.json.code]).toEqual([400, "workflow_not_published"]);
    const { headers } = await call("GET", `${path}/definition`, { token: caller.token });
    const changed = structuredClone(DEFINITION);
    changed.nodes[0]!.label = "Renamed";
    await call("PUT", `${path}/definition`, {
      token: caller.token,
      headers: { "if-match": headers.get("etag") ?? "" },
      json: changed,
    });
    await call("POST", `${path}/publish`, { token: caller.token });
    const renamed = await submit({ workflow: mine, inputs: { renamed: { value: '"x"' } } });
    expect([renamed.status, renamed.json.workflow_version]).toEqual([202, 2]);
    const pinned = await submit({ workflow: mine, version: 1, inputs: { name: { value: '"x"' } } });
    expect([pinned.status, pinned.json.workflow_version]).toEqual([202, 1]);
    await Promise.all([finished(renamed.json.id), finished(pinned.json.id)]);
  });

  it("by an agent requires a bound if the fan-out is resolved during the run", async () => {
    const deferred = await publishedWorkflow(caller, {
      nodes: [
        { id: "t", type: "input/json_value", label: "T", parameters: { required: true } },
        { id: "path", type: "utility/json_path", parameters: { path: "$.list" } },
        { id: "each", type: "enumerate/json", parameters: {} },
        { id: "o", type: "output/json", label: "O", parameters: {} },
      ],
      connections: [
        { from: { node: "t", port: "json" }, to: { node: "path", port: "json" } },
        { from: { node: "path", port: "value" }, to: { node: "each", port: "json" } },
        { from: { node: "each", port: "item" }, to: { node: "o", port: "json" } },
      ],
    });
    const body = { workflow: deferred, inputs: { t: { value: '{"list":[1]}' } } };
    const agent = { "x-client-kind": "agent" };
    const refused = await submit(body, agent);
    expect([refused.status, refused.json.code]).toEqual([400, "validation_error"]);
    expect(refused.json.detail).toContain("max_iterations_per_node");
    const bounded = { ...body, admission_limits: { max_iterations_per_node: 5 } };
    expect((await submit(bounded, agent)).status).toBe(202);
    expect((await submit(body)).status).toBe(202);
    expect((await submit({ workflow, inputs: name }, agent)).status).toBe(202);
  });
});

describe("an idempotency key", () => {
  const body = () => ({ workflow, inputs: name });

  it("creates one run for twenty concurrent submits", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const before = (await get("")).json.total_count;
    const answers = await Promise.all(Array.from({ length: 20 }, () => submit(body(), headers)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 202));
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
    const replayed = answers.filter(
      (response) => response.headers.get("idempotency-replayed") === "true",
    );
    expect(replayed).toHaveLength(19);
    expect((await get("")).json.total_count).toBe(before + 1);
  });

  it("replays the current resource, also if the workflow is deleted, and rejects another body", async () => {
    const mine = await publishedWorkflow(caller, DEFINITION);
    const headers = { "idempotency-key": crypto.randomUUID() };
    const first = await submit({ workflow: mine, inputs: name }, headers);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    await finished(first.json.id);
    const deleted = await call("DELETE", `/api/v1/workflows/${mine}`, { token: caller.token });
    expect(deleted.status).toBe(204);
    const replay = await submit({ inputs: name, workflow: mine }, headers);
    expect(replay.status).toBe(202);
    expect(replay.headers.get("idempotency-replayed")).toBe("true");
    expect(replay.json).toMatchObject({ id: first.json.id, status: "completed" });
    const limits = { admission_limits: { max_iterations_per_node: 9 } };
    const conflict = await submit({ workflow: mine, inputs: name, ...limits }, headers);
    expect([conflict.status, conflict.json.code]).toEqual([409, "idempotency_conflict"]);
  });

  it("records no refusal: the corrected body runs under the same key", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    expect((await submit({ workflow, inputs: {} }, headers)).status).toBe(400);
    expect((await submit(body(), headers)).status).toBe(202);
  });

  it("of a malformed form is rejected", async () => {
    for (const key of ["short", "k".repeat(256), "with\ttab and more"]) {
      const response = await submit(body(), { "idempotency-key": key });
      expect([response.status, response.json.code]).toEqual([400, "invalid_idempotency_key"]);
    }
  });
});

describe("reading executions", () => {
  it("distinguishes malformed ids from unknown ones", async () => {
    for (const path of ["", "/result", "/outputs"]) {
      const malformed = await get(`/wf_${"0".repeat(32)}${path}`);
      expect([malformed.status, malformed.json.code]).toEqual([400, "invalid_id"]);
      const unknown = await get(`/run_${"0".repeat(32)}${path}`);
      expect([unknown.status, unknown.json.code]).toEqual([404, "not_found"]);
    }
  });

  it("lists with filters and rejects invalid ones with their own codes", async () => {
    const run = await submit({ workflow, inputs: name });
    await finished(run.json.id);
    const all = await get("?limit=1");
    expect(all.json).toMatchObject({ has_more: true, data: [{ outputs: [] }] });
    const next = await get(`?limit=1&starting_after=${all.json.next_cursor}`);
    expect(next.json.data[0].id).not.toBe(all.json.data[0].id);
    const found = await get(
      `?status=completed&workflow=${workflow}&created_after=2020-01-01T00:00:00Z`,
    );
    expect(found.json.data.map(({ id }: { id: string }) => id)).toContain(run.json.id);
    expect((await get("?created_before=2020-01-01T00:00:00Z")).json.data).toEqual([]);
    for (const [query, code] of [
      ["status=cancelling", "invalid_status"],
      ["status=done", "invalid_status"],
      ["limit=0", "validation_error"],
      ["limit=101", "validation_error"],
      ["limit=x", "validation_error"],
      ["created_after=yesterday", "validation_error"],
      ["workflow=x", "invalid_id"],
      ["starting_after=x", "invalid_request"],
      [`starting_after=run_${"0".repeat(32)}`, "invalid_request"],
    ]) {
      const response = await get(`?${query}`);
      expect([response.status, response.json.code], query).toEqual([400, code]);
    }
  });

  it("rejects invalid pages of outputs", async () => {
    const run = await submit({ workflow, inputs: name });
    await finished(run.json.id);
    for (const [query, code] of [
      ["limit=0", "validation_error"],
      ["starting_after=x", "invalid_request"],
    ]) {
      const response = await get(`/${run.json.id}/outputs?${query}`);
      expect([response.status, response.json.code], query).toEqual([400, code]);
    }
  });

  it("rejects the cancel of an ended run", async () => {
    const run = await submit({ workflow, inputs: name });
    await finished(run.json.id);
    const response = await call("POST", `/api/v1/executions/${run.json.id}/cancel`, {
      token: caller.token,
    });
    expect([response.status, response.json.code]).toEqual([422, "already_terminal"]);
  });

  it("finds everything again after a crash", async () => {
    const run = await submit({ workflow, inputs: name });
    await finished(run.json.id);
    const before = await get(`/${run.json.id}/result`);
    await abortAllDurableObjects();
    expect((await get(`/${run.json.id}/result`)).json).toEqual(before.json);
  });
});

describe("a run that waits for a slot", () => {
  it("is pending in every view, with unfinished raw outputs, and ends after it gets a slot", async () => {
    await operator("PUT", "/admin/v1/plans/narrow", {
      limits: { max_concurrent_executions: 1, requests_per_minute: 100_000 },
    });
    const workspaceId = caller.workspaceId;
    const plan = await operator("PUT", `/admin/v1/workspaces/${workspaceId}/plan`, {
      plan: "narrow",
    });
    expect(plan.status).toBe(200);
    // A run whose start is lost keeps the only slot until the alarm repeats the start.
    const fixture = new WorkspaceFixture();
    const stub = env.WORKSPACE.get(env.WORKSPACE.idFromName(workspaceId));
    const request = fixture.request({
      max_concurrent_executions: 1,
      start: {
        workspace_id: workspaceId,
        workflow_id: workflow,
        inputs: [{ node_id: "name", value_json: '"slow"' }],
      },
    });
    await stub.admit(request);
    const run = await submit({ workflow, inputs: name });
    expect([run.status, run.json.status]).toEqual([202, "pending"]);
    const outputs = await get(`/${run.json.id}/outputs`);
    expect([outputs.status, outputs.json.code]).toEqual([422, "not_completed"]);
    const result = await get(`/${run.json.id}/result`);
    expect(result.json).toMatchObject({ status: "pending", is_terminal: false });
    expect(result.json.result.by_key.greeting.state).toBe("not_ready");
    // Only the index has this run: its run object has not been started.
    const unstarted = await get(`/${request.start.run_id}`);
    expect(unstarted.json).toMatchObject({ status: "pending", outputs: [], outputs_total: 0 });
    const view = await get(`/${request.start.run_id}/result`);
    expect(view.json.diagnostics.expected_output_keys).toContain("greeting");
    expect((await finished(run.json.id)).json.status).toBe("completed");
  });
});
