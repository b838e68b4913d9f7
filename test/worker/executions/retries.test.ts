/** docs/retries-and-reuse.md: what a retry takes over, runs, charges and shows. */
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { RunObjectApi } from "../../../src/contracts/runs/run-object-api.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { ECHO_DEFINITION, publishedWorkflow } from "../../support/published-workflow.ts";
import { parseEvents } from "../../support/read-events.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { image, RetryCaller, work } from "./retry-caller.ts";
import { okOutcome, TaskRunner } from "./task-runner.ts";

const mine = await RetryCaller.make();

describe("a retry from failure", () => {
  test("runs and charges only what failed, and has all results at addresses of its own", async () => {
    const first = await mine.submit(["a", "b", "c"]);
    await work(first, 3, [1]);
    expect(await mine.ended(first)).toMatchObject({
      status: "partial_success",
      reused_iterations: 0,
      is_draft: false,
    });
    const made = await mine.retry(first, { client_reference: "again" });
    expect(made.status, made.text).toBe(202);
    const { id } = made.json;
    expect(made.json).toMatchObject({
      retry_of: first,
      retry_root: first,
      retry_from: "failure",
      client_reference: "again",
      is_draft: false,
    });
    expect(await mine.reservedFor(id)).toBe(20);
    expect(await work(id, 1)).toEqual([1]);
    const done = await mine.ended(id);
    expect(done).toMatchObject({ status: "completed", credits_used: 0.02 });
    const { json: trace } = await mine.get(`${id}/trace`);
    const node = trace.nodes.find(({ node_id }: { node_id: string }) => node_id === "codes");
    expect(node).toMatchObject({
      credits: 0.02,
      credits_saved: 0.04,
      attempt_count: 1,
      iterations: { total: 3, completed: 3, reused: 2 },
    });
    expect(trace.totals).toMatchObject({ credits: 0.02, credits_saved: 0.04 });
    expect(trace.totals.iterations.reused).toBe(done.reused_iterations);
    const events = parseEvents((await mine.get(`${id}/events`)).text);
    const seen = events.findLast(({ event, data }) => event === "node" && data.node_id === "codes");
    expect(seen?.data).toMatchObject({ total: 3, completed: 3, reused: 2 });
    const { json: page } = await mine.get(`${id}/trace/nodes/codes/iterations`);
    expect(page.data).toMatchObject([
      {
        reused: { by: "retry", execution: first },
        attempt_count: 0,
        retry_count: 0,
        credits: 0,
        duration_ms: null,
      },
      { reused: null, attempt_count: 1, credits: 0.02, duration_ms: 7 },
      { reused: { by: "retry", execution: first }, credits: 0 },
    ]);
    const files = done.outputs.filter(({ url }: { url?: string }) => url !== undefined);
    expect(files).toHaveLength(3);
    for (const { url } of files) {
      expect(url).toContain(`/runs/${id}/`);
      const path = new URL(url).pathname;
      const { bytes, status } = await call("GET", path);
      expect([status, new TextDecoder().decode(bytes)], path).toEqual([200, "png"]);
    }
    const listed = await waitUntil("the list to know its end", async () => {
      const { json } = await call("GET", `/api/v1/executions?retry_of=${first}`, mine.caller);
      return json.data[0].reused_iterations > 0 ? json.data : undefined;
    });
    expect(listed).toMatchObject([{ id, reused_iterations: done.reused_iterations }]);
  });

  test("of a retry names the run that did the work, and the first of the chain", async () => {
    const first = await mine.submit(["a", "b"]);
    await work(first, 2, [0, 1]);
    await mine.ended(first);
    const second = (await mine.retry(first)).json.id;
    await work(second, 2, [1]);
    await mine.ended(second);
    await abortAllDurableObjects();
    const third = (await mine.retry(second)).json;
    expect(third).toMatchObject({ retry_of: second, retry_root: first });
    await work(third.id, 1);
    expect(await mine.ended(third.id)).toMatchObject({ status: "completed" });
    const { json } = await mine.get(`${third.id}/trace/nodes/codes/iterations`);
    expect(json.data.map(({ reused }: { reused: unknown }) => reused)).toEqual([
      { by: "retry", execution: second },
      null,
    ]);
  });
});

describe("a retry of a run", () => {
  test("that was cancelled takes over what that one was charged for", async () => {
    const first = await mine.submit(["a", "b"]);
    const runner = new TaskRunner(first);
    const [task] = await runner.claim();
    await env.FILES.put(`${task!.file_prefix}code-0.png`, "png");
    await runner.report(task!, okOutcome({ image: image("code-0.png"), check: {} }));
    const cancelled = await call("POST", `/api/v1/executions/${first}/cancel`, {
      token: mine.caller.token,
    });
    expect(cancelled.status, cancelled.text).toBe(200);
    expect(await mine.ended(first)).toMatchObject({ status: "cancelled", credits_used: 0.02 });
    const { id } = (await mine.retry(first)).json;
    expect(await mine.reservedFor(id)).toBe(20);
    expect(await work(id, 1)).toEqual([1 - task!.indices[0]!]);
    expect(await mine.ended(id)).toMatchObject({ status: "completed", credits_used: 0.02 });
  });

  test("made twice at once is two runs", async () => {
    const first = await mine.submit(["a", "b"]);
    await work(first, 2, [1]);
    await mine.ended(first);
    const made = await Promise.all([mine.retry(first), mine.retry(first)]);
    const [one, other] = made.map(({ json }) => json.id as string);
    expect(one).not.toBe(other);
    for (const id of [one!, other!]) {
      expect(await work(id, 1)).toEqual([1]);
      expect(await mine.ended(id)).toMatchObject({
        status: "completed",
        credits_used: 0.02,
        retry_of: first,
      });
    }
  });

  test("has its limits unless others are sent, and its interface", async () => {
    const [words, said] = ECHO_DEFINITION.nodes;
    const entry = {
      id: "int_short",
      name: "Short",
      fields: [{ key: "who", type: "text", required: true, bind: { node: words!.id } }],
      outputs: [{ key: "greeting", node: said!.id }],
    };
    const definition = { ...ECHO_DEFINITION, interfaces: [entry] };
    const workflow = await publishedWorkflow(mine.caller, definition);
    const run = await mine.submitted({
      workflow,
      interface: "int_short",
      inputs: { who: { value: '"Ada"' } },
    });
    await mine.ended(run);
    const again = await mine.retry(run, { inputs: { who: { value: '"Bob"' } } });
    expect(again.json, again.text).toMatchObject({ interface: "int_short" });
    await mine.ended(again.json.id);
    const { json } = await mine.get(`${again.json.id}/result`);
    expect(json.result.by_key.said).toMatchObject({ value: "Bob" });

    const rows = (...texts: string[]) => ({ rows: { value: JSON.stringify(texts) } });
    const bound = { admission_limits: { max_iterations_per_node: 2 } };
    const first = await mine.submitted({ workflow: mine.codes, inputs: rows("a"), ...bound });
    await work(first, 1);
    await mine.ended(first);
    const refused = await mine.retry(first, { inputs: rows("a", "b", "c") });
    expect([refused.status, refused.json.errors?.[0].field]).toEqual([
      400,
      "admission_limits.max_iterations_per_node",
    ]);
    const more = { admission_limits: { max_iterations_per_node: 3 } };
    const wider = await mine.retry(first, { inputs: rows("a", "b", "c"), ...more });
    expect(wider.status, wider.text).toBe(202);
    expect(await work(wider.json.id, 2)).toEqual([1, 2]);
    await mine.ended(wider.json.id);
  });
});

async function echoed(): Promise<{ workflow: string; run: string }> {
  const workflow = await publishedWorkflow(mine.caller, ECHO_DEFINITION);
  const run = await mine.submitted({ workflow, inputs: { words: { value: '"hi"' } } });
  await mine.ended(run);
  return { workflow, run };
}

describe("a retry with changes", () => {
  test("runs the elements that it names, with what depends on them", async () => {
    const first = await mine.submit(["a", "b"]);
    await work(first, 2);
    await mine.ended(first);
    const one = await mine.retry(first, { from_node: "codes", from_indices: [[1]] });
    expect(one.json.retry_from).toBe("codes");
    expect(await mine.reservedFor(one.json.id)).toBe(20);
    expect(await work(one.json.id, 1)).toEqual([1]);
    expect(await mine.ended(one.json.id)).toMatchObject({
      status: "completed",
      credits_used: 0.02,
    });
    const all = await mine.retry(first, { from: "start" });
    expect(all.json.retry_from).toBe("start");
    expect(await work(all.json.id, 2)).toEqual([0, 1]);
    expect(await mine.ended(all.json.id)).toMatchObject({
      credits_used: 0.04,
      reused_iterations: 0,
    });
  });

  test("of its inputs runs what they change", async () => {
    const first = await mine.submit(["a", "b"]);
    await work(first, 2);
    await mine.ended(first);
    const made = await mine.retry(first, { inputs: { rows: { value: '["a","x","y"]' } } });
    expect(made.status, made.text).toBe(202);
    expect(await work(made.json.id, 2)).toEqual([1, 2]);
    expect(await mine.reservedFor(made.json.id)).toBe(40);
    expect(await mine.ended(made.json.id)).toMatchObject({ credits_used: 0.04 });
  });

  test("of a definition whose node ids have all changed takes over what is equal, and of a removed node nothing", async () => {
    const workflow = await publishedWorkflow(mine.caller, CODES);
    const first = await mine.submit(["a", "b", "c"], workflow);
    await work(first, 3, [1]);
    await mine.ended(first);
    const renamed = JSON.parse(
      JSON.stringify(CODES).replaceAll(/"(rows|codes|out)"/g, '"$1_2"'),
    ) as typeof CODES;
    const [named, ...others] = renamed.nodes;
    // Callers name an input by its label.
    const rows = { ...named, label: "rows" };
    await mine.edit(workflow, { ...renamed, nodes: [rows, ...others] });
    const again = (await mine.retry(first, { version: "draft" })).json.id;
    // One code, and the copies of two that were taken over: an output has its own files.
    expect(await work(again, 3)).toEqual([0, 1, 2]);
    expect(await mine.ended(again)).toMatchObject({ status: "completed", credits_used: 0.02 });
    const { json } = await mine.get(`${again}/trace/nodes/codes_2/iterations`);
    expect(json.data.map(({ reused }: { reused: unknown }) => reused)).toEqual([
      { by: "retry", execution: first },
      null,
      { by: "retry", execution: first },
    ]);
    // Without the node that made the codes, its elements have no place.
    const texts = {
      nodes: [rows, { id: "texts", type: "output/text", parameters: {} }],
      connections: [
        { from: { node: "rows_2", port: "text" }, to: { node: "texts", port: "text" } },
      ],
    };
    await mine.edit(workflow, texts);
    const without = (await mine.retry(first, { version: "draft" })).json.id;
    expect(await mine.ended(without)).toMatchObject({ status: "completed", credits_used: 0 });
    expect((await mine.get(`${without}/trace/nodes/codes/iterations`)).status).toBe(404);
    const gone = await mine.retry(first, { version: "draft", from_node: "codes" });
    expect([gone.status, gone.json.errors[0].field]).toEqual([400, "from_node"]);
  });

  test("of the working definition keeps a copy of it", async () => {
    const workflow = await publishedWorkflow(mine.caller, ECHO_DEFINITION);
    const run = await call("POST", "/api/v1/executions", {
      token: mine.caller.token,
      json: { workflow, inputs: { words: { value: '"hi"' } } },
    });
    await mine.ended(run.json.id);
    const edited = structuredClone(ECHO_DEFINITION);
    edited.nodes[1]!.id = "other";
    edited.connections[0]!.to.node = "other";
    await mine.edit(workflow, edited);
    const made = await mine.retry(run.json.id, { version: "draft" });
    expect(made.status, made.text).toBe(202);
    expect(made.json).toMatchObject({ is_draft: true, workflow_version: 1 });
    await mine.ended(made.json.id);
    const { json } = await mine.get(`${made.json.id}/outputs`);
    expect(json.data).toMatchObject([{ node_id: "other", value: "hi" }]);
    // A retry of that run has its copy, not the working definition of today.
    await mine.edit(workflow, ECHO_DEFINITION);
    const again = await mine.retry(made.json.id, { from: "start" });
    expect(again.json).toMatchObject({
      is_draft: true,
      workflow_version: 1,
      retry_of: made.json.id,
    });
    await mine.ended(again.json.id);
    const { json: outputs } = await mine.get(`${again.json.id}/outputs`);
    expect(outputs.data).toMatchObject([{ node_id: "other", value: "hi" }]);
  });

  test("of a long working definition keeps a copy of it", async () => {
    const { workflow, run } = await echoed();
    const note = {
      id: "note",
      type: "text/template",
      parameters: { template: "x".repeat(45_000) },
    };
    const notes = ["n1", "n2"].map((id) => ({ ...note, id }));
    await mine.edit(workflow, { ...ECHO_DEFINITION, nodes: [...ECHO_DEFINITION.nodes, ...notes] });
    const made = await mine.retry(run, { version: "draft", from: "start" });
    expect(made.json, made.text).toMatchObject({ is_draft: true });
    expect(await mine.ended(made.json.id)).toMatchObject({ status: "completed", outputs_total: 1 });
    const { json } = await mine.get(`${made.json.id}/trace`);
    expect(json.nodes).toHaveLength(4);
  });

  test("of the version has the latest or another one, and says which inputs have no place there", async () => {
    const { workflow, run } = await echoed();
    const [, out] = ECHO_DEFINITION.nodes;
    const said = { id: "said", type: "input/text", label: "Greeting" };
    await mine.edit(workflow, {
      nodes: [{ ...said, parameters: { default: "hello" } }, out],
      connections: [{ from: { node: "said", port: "text" }, to: { node: "out", port: "text" } }],
    });
    const published = await call("POST", `/api/v1/workflows/${workflow}/publish`, {
      token: mine.caller.token,
    });
    expect(published.json.version).toBe(2);
    const latest = await mine.retry(run, { version: "latest" });
    expect(latest.json).toMatchObject({ workflow_version: 2, is_draft: false });
    await mine.ended(latest.json.id);
    const { json: result } = await mine.get(`${latest.json.id}/result`);
    expect(result.result.by_key.said).toMatchObject({ value: "hello" });
    expect(result.diagnostics.warnings).toMatchObject([{ code: "INPUT_DROPPED" }]);
    const own = await mine.retry(run, { from: "start" });
    expect(own.json).toMatchObject({ workflow_version: 1 });
    const first = await mine.retry(latest.json.id, {
      version: 1,
      inputs: { words: { value: '"back"' } },
    });
    expect(first.json).toMatchObject({ workflow_version: 1, retry_root: run });
    await mine.ended(first.json.id);
    const { json: back } = await mine.get(`${first.json.id}/result`);
    expect(back.result.by_key.said).toMatchObject({ value: "back" });
  });
});

const stubOf = (id: string) => env.RUN.get(env.RUN.idFromName(id));

/** Deletes the outputs of a run as the workspace does at the end of their retention. */
async function expire(id: string): Promise<string> {
  const api = stubOf(id) as unknown as RunObjectApi;
  return waitUntil("an expiry", async () => {
    // Refused until the end of the run is reported to its workspace.
    const expiry = await api.expireOutputs({ v: 1, workspace_id: mine.caller.workspaceId });
    return expiry.ok && expiry.value.state !== "more" ? expiry.value.state : undefined;
  });
}

async function filesOf(id: string): Promise<number> {
  const { objects } = await env.FILES.list({ prefix: `${mine.caller.workspaceId}/runs/${id}/` });
  return objects.length;
}

test("a run is opened only for retries of its own workspace", async () => {
  const first = await mine.submit(["a"]);
  await work(first, 1);
  await mine.ended(first);
  const api = stubOf(first) as unknown as RunObjectApi;
  const foreign = { v: 1, workspace_id: (await newCaller()).workspaceId } as const;
  const own = { v: 1, workspace_id: mine.caller.workspaceId } as const;
  const cells = { node: 0, from: 0, to: 1 };
  for (const [request, isFound] of [
    [foreign, false],
    [own, true],
  ] as const) {
    const found = [
      await api.openSource({ ...request, holder: "run_x" }),
      await api.readSource({ ...request, ...cells }),
      await api.describeSource({ ...request, rerun: null }),
    ];
    expect(found.map(({ ok }) => ok)).toEqual([isFound, isFound, isFound]);
  }
});

describe("the outputs of a run that was retried", () => {
  test("expire by themselves, and their files stay while a retry shows them", async () => {
    const first = await mine.submit(["a", "b"]);
    await work(first, 2, [1]);
    await mine.ended(first);
    const { id } = (await mine.retry(first)).json;
    await work(id, 1);
    const done = await mine.ended(id);
    expect(await expire(first)).toBe("held");
    expect((await mine.get(first)).json.outputs_expired_at).toBeDefined();
    expect((await mine.retry(first)).json).toMatchObject({ status: 410, code: "outputs_expired" });
    const path = new URL(done.outputs[0].url).pathname;
    expect((await call("GET", path)).status).toBe(200);
    expect(await filesOf(first)).toBeGreaterThan(0);
    expect(await expire(id)).toBe("removed");
    expect((await call("GET", path)).status).toBe(404);
    expect(await expire(first)).toBe("removed");
    expect([await filesOf(first), await filesOf(id)]).toEqual([0, 0]);
  });

  test("stay for a retry of its retry, though both of them have expired", async () => {
    const first = await mine.submit(["a", "b"]);
    await work(first, 2, [1]);
    await mine.ended(first);
    const second = (await mine.retry(first)).json.id;
    await work(second, 1, [1]);
    await mine.ended(second);
    const third = (await mine.retry(second)).json.id;
    await work(third, 1);
    const done = await mine.ended(third);
    const stored = await filesOf(first);
    expect(stored).toBeGreaterThan(0);
    expect([await expire(first), await expire(second)]).toEqual(["held", "held"]);
    // The file of the element that only the first run has worked out; a reference in JSON leads there too.
    expect(await filesOf(first)).toBe(stored);
    for (const { url } of done.outputs) {
      expect((await call("GET", new URL(url).pathname)).status).toBe(200);
    }
    // The text of a reference in JSON that was taken over leads to the file, with and without its scheme.
    const { objects } = await env.FILES.list({
      prefix: `${mine.caller.workspaceId}/runs/${first}/`,
    });
    const [{ key } = { key: "" }] = objects;
    const passing = await publishedWorkflow(mine.caller, {
      nodes: [
        { id: "in", type: "input/image", label: "picture", parameters: {} },
        { id: "out", type: "output/image", parameters: {} },
      ],
      connections: [{ from: { node: "in", port: "image" }, to: { node: "out", port: "image" } }],
    });
    for (const path of [key, `storage://${key}`, `storage://${key}?v=1`]) {
      const inputs = { picture: { asset_path: path } };
      const taken = await mine.submitted({ workflow: passing, inputs });
      // An output has its own copy of the file.
      await work(taken, 1);
      expect(await mine.ended(taken)).toMatchObject({ status: "completed" });
      const { token } = mine.caller;
      const deleted = await call("DELETE", `/api/v1/assets?path=${encodeURIComponent(path)}`, {
        token,
      });
      expect([path, deleted.status]).toEqual([path, 404]);
    }
    expect(await filesOf(first)).toBe(stored);
    expect(await expire(third)).toBe("removed");
    expect([await expire(second), await expire(first)]).toEqual(["removed", "removed"]);
    expect([await filesOf(first), await filesOf(second), await filesOf(third)]).toEqual([0, 0, 0]);
  });

  test("are read to the end by a retry that began before they expired, after a restart too", async () => {
    const first = await mine.submit(["a", "b", "c"]);
    await work(first, 3, [1]);
    await mine.ended(first);
    const { id } = (await mine.retry(first)).json;
    const runner = new TaskRunner(id);
    const [task] = await runner.claim();
    expect(await expire(first)).toBe("held");
    await abortAllDurableObjects();
    await env.FILES.put(`${task!.file_prefix}code-1.png`, "png");
    await new TaskRunner(id).report(task!, okOutcome({ image: image("code-1.png"), check: {} }));
    const done = await mine.ended(id);
    expect(done).toMatchObject({ status: "completed", credits_used: 0.02 });
    expect(done.outputs_total).toBe(3);
  });

  test("are worked out again by a retry whose source is lost", async () => {
    const first = await mine.submit(["a", "b"]);
    await work(first, 2, [1]);
    await mine.ended(first);
    const { id } = (await mine.retry(first, { inputs: { rows: { value: '["a","b","c"]' } } })).json;
    const runner = new TaskRunner(id);
    const tasks = await runner.claim();
    await abortAllDurableObjects();
    await runInDurableObject(stubOf(first), (_object, { storage }) => storage.deleteAll());
    await evictDurableObject(stubOf(first));
    for (const task of tasks) {
      await env.FILES.put(`${task.file_prefix}again.png`, "png");
      await new TaskRunner(id).report(task, okOutcome({ image: image("again.png"), check: {} }));
    }
    const done = await mine.ended(id);
    expect(done).toMatchObject({ status: "completed", outputs_total: 3 });
  });
});
