/** docs/contract/batches.md#retry and the event that each attempt of a batch ends with. */
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { BatchStore } from "../../../durable-objects/batch/batch-store.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { workspaceObject } from "../../../src/storage/objects/workspace-object.ts";
import { activeEndpoint } from "../../support/active-endpoint.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { parseEvents } from "../../support/read-events.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { RetryCaller, work } from "../executions/retry-caller.ts";
import { CODED_DEFINITION, textsInput } from "../executions/coded-workflow.ts";
import { BATCHES, BatchFixture, byItems, QUOTIENT, wordItems } from "./batch-fixture.ts";

let batches: BatchFixture;
let quotient: string;
let echo: string;

beforeAll(async () => {
  batches = new BatchFixture(await newCaller());
  quotient = await publishedWorkflow(batches.caller, QUOTIENT);
  echo = await publishedWorkflow(batches.caller);
});

/** A batch with two failed items and one that completed. */
async function failedBatch(): Promise<string> {
  const id = await batches.create({ workflow: quotient, items: byItems(0, 1, 0) });
  expect(await batches.ended(id)).toMatchObject({ status: "partial_success", failed: 2 });
  return id;
}

describe("a retry", () => {
  test("submits the failed items again, and leaves the others", async () => {
    const id = await failedBatch();
    const retried = await batches.post(`/${id}/retry`);
    expect(retried.status, retried.text).toBe(202);
    expect(retried.json).toMatchObject({ attempt: 2, status: "running", completed_at: null });
    expect(await batches.ended(id)).toMatchObject({
      status: "partial_success",
      attempt: 2,
      completed: 1,
      failed: 2,
    });
    const { data } = (await batches.get(`/${id}/items`)).json;
    expect(data).toMatchObject([
      { attempt: 2, status: "failed", error_code: "CALC_DIVISION_BY_ZERO" },
      { attempt: 1, status: "completed" },
      { attempt: 2, status: "failed" },
    ]);
    expect(data.map((item: { executions: string[] }) => item.executions.length)).toEqual([2, 1, 2]);
    expect(data[0].execution).toBe(data[0].executions[1]);
    const runs = await batches.runs(id);
    expect(runs.total_count).toBe(5);
    const known = data.flatMap((item: { executions: string[] }) => item.executions);
    const ids = runs.data.map((run: { id: string }) => run.id);
    expect(ids.toSorted()).toEqual(known.toSorted());
    expect((await batches.get("?status=running")).json.data).toEqual([]);
  });

  test("begins with the first event of its own after the ends of other items", async () => {
    const id = await failedBatch();
    await batches.post(`/${id}/retry`);
    await batches.ended(id);
    const events = parseEvents((await batches.get(`/${id}/events`)).text).filter(
      ({ event }) => event !== "progress",
    );
    const items = events.flatMap(({ event, data }) => (event === "item" ? [data.index] : []));
    expect(new Map(items.map((index) => [index, true])).size).toBe(3);
    expect(items).toHaveLength(3);
    expect(events.filter(({ event }) => event === "done")).toHaveLength(1);
    expect(events.at(-1)?.event).toBe("done");
  });

  test("runs cancelled items, also of a batch that was never started", async () => {
    const id = await batches.create({ workflow: echo, start: false, items: wordItems(2) });
    await batches.post(`/${id}/cancel`);
    const { json } = await batches.post(`/${id}/retry`, {}, { prefer: "wait=60" });
    expect(json).toMatchObject({ status: "completed", attempt: 1, cancel_requested_at: null });
    const live = await publishedWorkflow(batches.caller, CODED_DEFINITION);
    const cut = await batches.create({
      workflow: live,
      items: [{ inputs: textsInput(["live"]) }],
    });
    await batches.until(cut, "live", ({ running }) => running === 1);
    await batches.post(`/${cut}/cancel`);
    await batches.ended(cut);
    await batches.post(`/${cut}/retry`);
    await batches.until(cut, "live again", ({ running }) => running === 1);
    await batches.post(`/${cut}/cancel`);
    expect(await batches.ended(cut)).toMatchObject({ status: "cancelled", attempt: 2 });
  });

  test("takes items that completed in part only if it is asked to", async () => {
    const workflow = await publishedWorkflow(batches.caller, {
      nodes: [
        { id: "by", type: "enumerate/range", parameters: { start: 0, end: 1 } },
        { id: "divide", type: "utility/calculate", parameters: { expression: "1 / b" } },
        { id: "out", type: "output/json", label: "Out" },
      ],
      connections: [
        { from: { node: "by", port: "value" }, to: { node: "divide", port: "b" } },
        { from: { node: "divide", port: "result" }, to: { node: "out", port: "json" } },
      ],
    });
    const id = await batches.create({ workflow, items: [{}] });
    expect(await batches.ended(id)).toMatchObject({ status: "completed", partial_success: 1 });
    const refused = await batches.post(`/${id}/retry`);
    expect([refused.status, refused.json.code]).toEqual([422, "no_failed_items"]);
    const body = { include_partial: true, from: "failure" };
    expect((await batches.post(`/${id}/retry`, body)).status).toBe(202);
    expect(await batches.ended(id)).toMatchObject({ status: "completed", attempt: 2 });
  });

  test("of nothing but invalid items ends at once, as they stay failed", async () => {
    const items = [{ inputs: { by: { value: '"x"' } } }, ...byItems(1)];
    const body = { workflow: quotient, on_invalid_item: "fail_item", items };
    const id = await batches.create(body);
    await batches.ended(id);
    const { json } = await batches.post(`/${id}/retry`, {}, { prefer: "wait=60" });
    expect(json).toMatchObject({ status: "partial_success", attempt: 2, failed: 1 });
    expect((await batches.runs(id)).total_count).toBe(1);
    const events = parseEvents((await batches.get(`/${id}/events`)).text);
    expect(events.at(-1)?.event).toBe("done");
  });

  test("that cannot be stored changes nothing, in memory neither", async () => {
    const id = await failedBatch();
    vi.spyOn(BatchStore.prototype, "attemptWith").mockImplementationOnce(() => {
      throw new Error("database or disk is full");
    });
    expect((await batches.post(`/${id}/retry`)).status).toBeGreaterThanOrEqual(500);
    const { json } = await batches.get(`/${id}`);
    expect(json).toMatchObject({ status: "partial_success", attempt: 1, failed: 2, pending: 0 });
    expect((await batches.post(`/${id}/retry`)).status).toBe(202);
    expect(await batches.ended(id)).toMatchObject({ attempt: 2, failed: 2 });
  });

  test("is made once for a key, and refused for another body", async () => {
    const id = await failedBatch();
    const headers = { "idempotency-key": crypto.randomUUID() };
    for (const replayed of [null, "true"]) {
      const retried = await batches.post(`/${id}/retry`, {}, headers);
      expect([retried.status, retried.headers.get("idempotency-replayed")]).toEqual([
        202,
        replayed,
      ]);
      expect(await batches.ended(id)).toMatchObject({ attempt: 2 });
    }
    const other = await batches.post(`/${id}/retry`, { include_partial: true }, headers);
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
    const short = { "idempotency-key": "short" };
    const refused = await batches.post(`/${id}/retry`, {}, short);
    expect([refused.status, refused.json.code]).toEqual([400, "invalid_idempotency_key"]);
  });

  test("with a version is repeated by its key and refused for its state, whatever has become of the workflow", async () => {
    const { token } = batches.caller;
    const workflow = await publishedWorkflow(batches.caller, QUOTIENT);
    const id = await batches.create({ workflow, items: byItems(0) });
    await batches.ended(id);
    const headers = { "idempotency-key": crypto.randomUUID() };
    const body = { version: "latest" };
    expect((await batches.post(`/${id}/retry`, body, headers)).status).toBe(202);
    await batches.ended(id);
    await call("POST", `/api/v1/workflows/${workflow}/archive`, { token });
    const repeat = await batches.post(`/${id}/retry`, body, headers);
    expect([repeat.status, repeat.headers.get("idempotency-replayed")]).toEqual([202, "true"]);
    expect(repeat.json.attempt).toBe(2);
    const other = await batches.post(`/${id}/retry`, { version: 1 }, headers);
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
    const waiting = await batches.create({ workflow: echo, start: false, items: wordItems(1) });
    const early = await batches.post(`/${waiting}/retry`, { version: 99 });
    expect([early.status, early.json.code]).toEqual([422, "invalid_state"]);
    for (const version of [0, "draft", "1", null]) {
      const { status, json } = await batches.post(`/${id}/retry`, { version });
      expect([version, status, json.code]).toEqual([
        version,
        400,
        version === 0 ? "workflow_not_published" : "validation_error",
      ]);
    }
    const from = await batches.post(`/${id}/retry`, { from: "start" });
    expect([from.status, from.json.errors[0].field]).toEqual([400, "from"]);
  });

  test("needs a batch that has ended, and a workflow that exists", async () => {
    const waiting = await batches.create({ workflow: echo, start: false, items: wordItems(1) });
    const early = await batches.post(`/${waiting}/retry`);
    expect([early.status, early.json.code]).toEqual([422, "invalid_state"]);
    const { token } = batches.caller;
    const workflow = await publishedWorkflow(batches.caller);
    const id = await batches.create({ workflow, start: false, items: wordItems(1) });
    await batches.post(`/${id}/cancel`);
    const deleted = await call("DELETE", `/api/v1/workflows/${workflow}`, { token });
    expect(deleted.status).toBe(204);
    const refused = await batches.post(`/${id}/retry`);
    expect([refused.status, refused.json.code]).toEqual([404, "workflow_not_found"]);
    expect((await batches.get(`/${id}`)).json).toMatchObject({ status: "cancelled", attempt: 0 });
    expect((await batches.get("?status=running")).json.total_count).toBe(0);
  });

  test("continues the runs of its items: what succeeded is taken over and not paid again", async () => {
    const mine = await RetryCaller.make();
    const own = new BatchFixture(mine.caller);
    const rows = (...texts: string[]) => ({ inputs: { rows: { value: JSON.stringify(texts) } } });
    const id = await own.create({
      workflow: mine.codes,
      items: [rows("a", "b", "c"), rows("d")],
      // The second attempt has 40 left, less than an item of three rows from its beginning.
      max_total_milli_credits: 80,
    });
    await own.until(id, "running", ({ running }) => running === 2);
    const first = (await own.get(`/${id}/items`)).json.data;
    await work(first[0].execution, 3, [1]);
    await work(first[1].execution, 1, [0]);
    expect(await own.ended(id)).toMatchObject({
      status: "partial_success",
      credits_used: 0.04,
      completed: 1,
      partial_success: 1,
      failed: 1,
    });
    const retried = await own.post(`/${id}/retry`, { include_partial: true });
    expect(retried.status, retried.text).toBe(202);
    await own.until(id, "running again", ({ running }) => running === 2);
    const { data } = (await own.get(`/${id}/items`)).json;
    expect(await work(data[0].execution, 1)).toEqual([1]);
    expect(await work(data[1].execution, 1)).toEqual([0]);
    expect(await own.ended(id)).toMatchObject({
      status: "completed",
      attempt: 2,
      partial_success: 0,
      credits_used: 0.08,
      error_code: null,
    });
    for (const index of [0, 1]) {
      const source = first[index].execution;
      const { json: run } = await mine.get(data[index].execution);
      expect(run).toMatchObject({
        status: "completed",
        retry_of: source,
        retry_root: source,
        retry_from: "failure",
        batch: id,
        batch_index: index,
        credits_used: 0.02,
      });
      expect(await mine.reservedFor(run.id)).toBe(20);
    }
    const items = (await own.get(`/${id}/items`)).json.data;
    expect(items).toMatchObject([{ credits_used: 0.06 }, { credits_used: 0.02 }]);
  });

  test("moves the batch to another version, with items that have no run, though it is archived later", async () => {
    const mine = await RetryCaller.make();
    const own = new BatchFixture(mine.caller);
    const { token } = mine.caller;
    const workflow = await publishedWorkflow(mine.caller, QUOTIENT);
    const id = await own.create({
      workflow,
      items: byItems(0, 1, 0, 0),
      max_concurrency: 1,
      max_failed_items: 1,
    });
    expect(await own.ended(id)).toMatchObject({ completed: 1, failed: 2, cancelled: 1 });
    const none = await own.post(`/${id}/retry`, { version: 2 });
    expect([none.status, none.json.code]).toEqual([400, "invalid_version"]);
    const nodes = QUOTIENT.nodes.map((node) =>
      node.id === "divide" ? { ...node, parameters: { expression: "b + 1" } } : node,
    );
    await mine.edit(workflow, { ...QUOTIENT, nodes });
    await call("POST", `/api/v1/workflows/${workflow}/publish`, { token });
    const retried = await own.post(`/${id}/retry`, { version: "latest" });
    expect([retried.status, retried.json.workflow_version]).toEqual([202, 2]);
    await call("POST", `/api/v1/workflows/${workflow}/archive`, { token });
    expect(await own.ended(id)).toMatchObject({ status: "completed", workflow_version: 2 });
    const { data } = (await own.get(`/${id}/items`)).json;
    const runs = await Promise.all(
      data.map(async (item: { execution: string }) => (await mine.get(item.execution)).json),
    );
    expect(runs).toMatchObject([
      { workflow_version: 2, retry_of: data[0].executions[0] },
      { workflow_version: 1, retry_of: null },
      { workflow_version: 2, retry_of: data[2].executions[0] },
      { workflow_version: 2, retry_of: null },
    ]);
  });

  test("has another version for its attempt alone: the next runs the version of the creation, which may be archived", async () => {
    const mine = await RetryCaller.make();
    const own = new BatchFixture(mine.caller);
    const { token } = mine.caller;
    const workflow = await publishedWorkflow(mine.caller, QUOTIENT);
    const id = await own.create({ workflow, items: byItems(0, 1, -1) });
    expect(await own.ended(id)).toMatchObject({ completed: 2, failed: 1, workflow_version: 1 });
    for (const expression of ["2 / b", "3 / b"]) {
      const nodes = QUOTIENT.nodes.map((node) =>
        node.id === "divide" ? { ...node, parameters: { expression } } : node,
      );
      await mine.edit(workflow, { ...QUOTIENT, nodes });
      await call("POST", `/api/v1/workflows/${workflow}/publish`, { token });
    }
    for (const version of [2, "latest"]) {
      await own.post(`/${id}/retry`, { version });
      await own.ended(id);
    }
    await abortAllDurableObjects();
    await call("POST", `/api/v1/workflows/${workflow}/archive`, { token });
    for (const attempt of [4, 5]) {
      const retried = await own.post(`/${id}/retry`);
      expect(retried.json).toMatchObject({ attempt, workflow_version: 1 });
      expect(await own.ended(id)).toMatchObject({ attempt, failed: 1, workflow_version: 1 });
    }
    const { json: item } = await own.get(`/${id}/items/0`);
    const versions = await Promise.all(
      item.executions.map(async (run: string) => (await mine.get(run)).json.workflow_version),
    );
    expect(versions).toEqual([1, 2, 3, 1, 1]);
  });

  test("counts its items with what the version costs that they run now, also after its object has restarted", async () => {
    const mine = await RetryCaller.make();
    const own = new BatchFixture(mine.caller);
    const { token } = mine.caller;
    const item = { inputs: { rows: { value: '["a"]' } } };
    const id = await own.create({
      workflow: mine.codes,
      items: [item, item, item],
      max_total_milli_credits: 100,
    });
    await own.until(id, "running", ({ running }) => running === 3);
    for (const { execution } of (await own.get(`/${id}/items`)).json.data) {
      await work(execution, 1, [0]);
    }
    expect(await own.ended(id)).toMatchObject({ status: "failed", credits_used: 0 });
    // Two codes for each row, which are 40 milli-credits.
    await mine.edit(mine.codes, {
      nodes: [...CODES.nodes, { ...CODES.nodes[1], id: "more" }, { ...CODES.nodes[2], id: "two" }],
      connections: [
        ...CODES.connections,
        { from: { node: "rows", port: "text" }, to: { node: "more", port: "text" } },
        { from: { node: "more", port: "image" }, to: { node: "two", port: "image" } },
      ],
    });
    await call("POST", `/api/v1/workflows/${mine.codes}/publish`, { token });
    const retried = await own.post(`/${id}/retry`, { version: 2 });
    expect(retried.status, retried.text).toBe(202);
    await own.until(id, "running again", ({ running }) => running === 2);
    await abortAllDurableObjects();
    const { data } = (await own.get(`/${id}/items`)).json;
    for (const { execution } of data.slice(0, 2)) {
      await work(execution, 2);
    }
    expect(await own.ended(id)).toMatchObject({
      completed: 2,
      cancelled: 1,
      credits_used: 0.08,
      error_code: "BATCH_CREDIT_LIMIT",
    });
  });

  test("fails an item whose last run is damaged, and goes on with the others", async () => {
    const id = await failedBatch();
    const { json: first } = await batches.get(`/${id}/items/0`);
    const stub = env.RUN.get(env.RUN.idFromName(first.execution));
    // From here on its own object has the run.
    unwrap(await stub.listItem({ v: 1, workspace_id: batches.caller.workspaceId }));
    await runInDurableObject(stub, (_object, { storage }) => {
      storage.sql.exec("UPDATE part SET v = substr(v, 1, 40)");
    });
    await evictDurableObject(stub);
    await batches.post(`/${id}/retry`);
    expect(await batches.ended(id)).toMatchObject({ attempt: 2, completed: 1, failed: 2 });
    const { data } = (await batches.get(`/${id}/items`)).json;
    expect(data).toMatchObject([
      { error_code: "outputs_expired", attempt: 1, execution: first.execution },
      { status: "completed" },
      { error_code: "CALC_DIVISION_BY_ZERO", attempt: 2 },
    ]);
  });

  test("with a version that an item does not fit fails that item without a run", async () => {
    const mine = await RetryCaller.make();
    const own = new BatchFixture(mine.caller);
    const { token } = mine.caller;
    const workflow = await publishedWorkflow(mine.caller, QUOTIENT);
    const id = await own.create({ workflow, items: byItems(0, 1) });
    await own.ended(id);
    const other = {
      id: "more",
      type: "input/number",
      label: "More",
      parameters: { required: true },
    };
    await mine.edit(workflow, { ...QUOTIENT, nodes: [...QUOTIENT.nodes, other] });
    await call("POST", `/api/v1/workflows/${workflow}/publish`, { token });
    await own.post(`/${id}/retry`, { version: 2 });
    expect(await own.ended(id)).toMatchObject({ status: "partial_success", attempt: 2, failed: 1 });
    const { json: item } = await own.get(`/${id}/items/0`);
    expect(item).toMatchObject({ error_code: "validation_error", attempt: 1 });
    expect(item.error_message).toContain('The required input "more" is missing');
    expect(item.executions).toHaveLength(1);
  });

  test("of an archived workflow keeps the batch's version", async () => {
    const { token } = batches.caller;
    const workflow = await publishedWorkflow(batches.caller, QUOTIENT);
    const id = await batches.create({ workflow, items: byItems(0, 1) });
    await batches.ended(id);
    await call("POST", `/api/v1/workflows/${workflow}/archive`, { token });
    const later = await batches.post(`/${id}/retry`, { version: 1 });
    expect([later.status, later.json.code]).toEqual([400, "workflow_not_published"]);
    // As if a row were lost: the workspace object has a version 2, D1 does not.
    const pointer = { workflow_id: workflow, name: "Test", version: 2 } as const;
    const workspace = workspaceObject({ env }, batches.caller.workspaceId);
    await workspace.setWorkflowPointer({ ...pointer, status: "published", seq: 1_000 });
    const lost = await batches.post(`/${id}/retry`, { version: 2 });
    expect([lost.status, lost.json.code]).toEqual([404, "version_not_available"]);
    await workspace.setWorkflowPointer({ ...pointer, status: "archived", seq: 1_001 });
    expect((await batches.post(`/${id}/retry`)).status).toBe(202);
    expect(await batches.ended(id)).toMatchObject({ attempt: 2, failed: 1, workflow_version: 1 });
    expect((await batches.get(`/${id}/items/0`)).json.executions).toHaveLength(2);
  });

  test("takes no other body", async () => {
    const id = await failedBatch();
    const path = `${BATCHES}/${id}/retry`;
    const { token } = batches.caller;
    const unknown = await batches.post(`/${id}/retry`, { versions: 1 });
    expect([unknown.status, unknown.json.code]).toEqual([400, "validation_error"]);
    for (const [type, body, code] of [
      ["application/json", "{", "invalid_request"],
      ["text/plain", "{}", "unsupported_media_type"],
      ["application/json", `{"from":"${"x".repeat(5 * 1024 * 1024)}"}`, "payload_too_large"],
    ] as const) {
      const refused = await call("POST", path, { token, headers: { "content-type": type }, body });
      expect(refused.json.code).toBe(code);
    }
    expect((await batches.get(`/${id}`)).json.attempt).toBe(1);
  });
});

test("each attempt that ends is an event for the endpoints that subscribe to it", async () => {
  const own = new BatchFixture(await newCaller());
  const type = "com.svc.batch.finished.v1";
  const { endpoint } = await activeEndpoint(own.caller.workspaceId, [type]);
  const { endpoint: other } = await activeEndpoint(own.caller.workspaceId);
  const elsewhere = await publishedWorkflow(own.caller);
  const { endpoint: narrow } = await activeEndpoint(own.caller.workspaceId, [type], [elsewhere]);
  const workflow = await publishedWorkflow(own.caller, QUOTIENT);
  const id = await own.create({ workflow, items: byItems(0, 1), client_reference: "of mine" });
  const filter = { v: 1, limit: 10, below_id: null, status: null, execution: null } as const;
  for (const attempt of [1, 2]) {
    const batch = await own.ended(id);
    await waitUntil("the event", async () => {
      const { total } = await endpoint.listDeliveries({ ...filter, event_type: type });
      return total === attempt;
    });
    const [sent] = await endpoint.claim({ v: 1, max: 1 });
    const event = JSON.parse(sent?.body ?? "");
    const { id: batch_id, ...fields } = batch;
    expect(event).toMatchObject({ type, subject: id, time: batch.completed_at });
    expect(event.data).toEqual({
      batch_id,
      ...fields,
      batch_url: `https://svc.test/api/v1/batch-executions/${id}`,
      items_url: `https://svc.test/api/v1/batch-executions/${id}/items`,
    });
    expect(event.data).toMatchObject({ attempt, client_reference: "of mine" });
    if (attempt === 1) {
      await own.post(`/${id}/retry`);
    }
  }
  const { rows } = await other.listDeliveries({ ...filter, event_type: null });
  const types = rows.map(({ event_type }) => event_type);
  expect(types).toContain("com.svc.execution.finished.v1");
  expect(types).not.toContain(type);
  const heard = () => narrow.listDeliveries({ ...filter, event_type: type });
  expect((await heard()).total).toBe(0);
  await own.create({ workflow: elsewhere, items: wordItems(1) });
  await waitUntil("the event of its own workflow", async () => (await heard()).total === 1);
});

test("a batch that is cancelled before its first start ends no attempt: its first event is that of its retry", async () => {
  const own = new BatchFixture(await newCaller());
  const type = "com.svc.batch.finished.v1";
  const { endpoint } = await activeEndpoint(own.caller.workspaceId, [type]);
  const workflow = await publishedWorkflow(own.caller);
  const id = await own.create({ workflow, start: false, items: wordItems(1) });
  expect((await own.post(`/${id}/cancel`)).json).toMatchObject({ status: "cancelled", attempt: 0 });
  await own.post(`/${id}/retry`);
  await own.ended(id);
  const filter = { v: 1, limit: 10, below_id: null, status: null, execution: null } as const;
  const total = async () => (await endpoint.listDeliveries({ ...filter, event_type: type })).total;
  // Events of a batch are announced in their order.
  await waitUntil("the event", async () => (await total()) > 0);
  const [sent] = await endpoint.claim({ v: 1, max: 1 });
  expect(JSON.parse(sent?.body ?? "").data).toMatchObject({ batch_id: id, attempt: 1 });
  expect(await total()).toBe(1);
});
