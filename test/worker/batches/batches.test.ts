/** docs/contract/batches.md. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { RunObject } from "../../../durable-objects/run/run-object.ts";
import { WorkspaceObject } from "../../../durable-objects/workspace/workspace-object.ts";
import type { BatchObjectApi } from "../../../src/contracts/batches/batch-object-api.ts";
import type {
  AdmitBatchReply,
  AdmitBatchRequest,
  WorkspaceObjectApi,
} from "../../../src/contracts/workspaces/admission.ts";
import { fail } from "../../../src/lib/result.ts";
import {
  call,
  type Caller,
  newCaller,
  operator,
  ORIGIN,
  requestToken,
} from "../../support/api-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { EventReader, parseEvents } from "../../support/read-events.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { CODED_DEFINITION, textsInput } from "../executions/coded-workflow.ts";
import { work } from "../executions/retry-caller.ts";
import { BATCHES, BatchFixture, wordItems } from "./batch-fixture.ts";

let caller: Caller;
let batches: BatchFixture;
let echo: string;
/** Its runs stay live: nothing draws its pictures here. */
let coded: string;

beforeAll(async () => {
  caller = await newCaller();
  batches = new BatchFixture(caller);
  echo = await publishedWorkflow(caller);
  coded = await publishedWorkflow(caller, CODED_DEFINITION);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const liveItems = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ inputs: textsInput([`text ${String(at)}`]) }));

describe("a batch", () => {
  test("runs each item once, with its reference and index", async () => {
    const created = await batches.post("", { workflow: echo, items: wordItems(5), name: "words" });
    expect(created.status).toBe(202);
    expect(created.json).toMatchObject({ status: "pending", total_items: 5, attempt: 1 });
    const { id } = created.json;
    expect(await batches.ended(id)).toMatchObject({
      status: "completed",
      completed: 5,
      progress: 100,
      credits_used: 0,
      name: "words",
    });
    const { json: items } = await batches.get(`/${id}/items`);
    expect(items).toMatchObject({ total_count: 5, has_more: false });
    const runs = await batches.runs(id);
    expect(runs.total_count).toBe(5);
    // In the order of their index; lists have the newest first.
    expect(runs.data.map((run: { batch_index: number }) => run.batch_index)).toEqual([
      4, 3, 2, 1, 0,
    ]);
    for (const run of runs.data) {
      const item = items.data[run.batch_index];
      expect(run).toMatchObject({ client_reference: item.client_reference, batch: id });
      expect(item).toMatchObject({ execution: run.id, executions: [run.id], status: "completed" });
    }
  });

  test("is there for a repeat of its creation and in lists, though the answer to its registration was lost", async () => {
    const fresh = new BatchFixture(await newCaller());
    const workflow = await publishedWorkflow(fresh.caller);
    const register = Reflect.get(
      WorkspaceObject.prototype,
      "registerBatch",
    ) as WorkspaceObject["registerBatch"];
    vi.spyOn(WorkspaceObject.prototype, "registerBatch").mockImplementationOnce(async function (
      this: WorkspaceObject,
      request,
    ) {
      await register.call(this, request);
      throw new Error("the answer was lost");
    });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const body = { workflow, items: wordItems(1) };
    expect((await fresh.post("", body, headers)).status).toBeGreaterThanOrEqual(500);
    expect(await fresh.get("")).toMatchObject({ status: 200, json: { total_count: 1 } });
    const again = await fresh.post("", body, headers);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([202, "true"]);
    expect(await fresh.ended(again.json.id)).toMatchObject({ status: "completed" });
  });

  test("has one registration, though its alarm repeats it before the workspace has responded", async () => {
    let alarm: Promise<boolean> | undefined;
    const objects = env.BATCH as unknown as DurableObjectNamespace;
    const fresh = new BatchFixture(await newCaller());
    const workflow = await publishedWorkflow(fresh.caller);
    vi.spyOn(WorkspaceObject.prototype, "registerBatch").mockImplementationOnce(
      async ({ entry }) => {
        alarm = runDurableObjectAlarm(objects.get(objects.idFromName(entry.batch_id)));
        await scheduler.wait(100);
        return { kind: "insufficient_credits", balance_milli_credits: 0 };
      },
    );
    expect((await fresh.post("", { workflow, items: wordItems(1) })).status).toBe(402);
    expect(await alarm).toBe(true);
    expect((await fresh.get("")).json.total_count).toBe(0);
  });

  test("gives every item the common inputs, which an item may override", async () => {
    const items = [{}, { inputs: { words: { value: '"own"' } } }];
    const common = { words: { value: '"common"' } };
    const id = await batches.create({ workflow: echo, common_inputs: common, items });
    await batches.ended(id);
    const { data } = await batches.runs(id);
    const said = await Promise.all(
      data.map(async ({ id: run, batch_index }: { id: string; batch_index: number }) => {
        const path = `/api/v1/executions/${run}/result`;
        const { json } = await call("GET", path, { token: caller.token });
        return [batch_index, json.result.by_key.said?.value ?? json.result.items[0].value];
      }),
    );
    expect(Object.fromEntries(said)).toEqual({ 0: "common", 1: "own" });
  });

  test("accepts no more items at once than max_concurrency", async () => {
    const items = liveItems(5);
    const id = await batches.create({ workflow: coded, max_concurrency: 2, items });
    const running = await batches.until(id, "running", (batch) => batch.running === 2);
    expect(running).toMatchObject({ status: "running", pending: 3, max_concurrency: 2 });
    await abortAllDurableObjects();
    expect((await batches.runs(id)).total_count).toBe(2);
    await batches.post(`/${id}/cancel`);
    expect(await batches.ended(id)).toMatchObject({ status: "cancelled", cancelled: 5 });
    expect((await batches.runs(id)).total_count).toBe(2);
  });

  test("runs on with its version when its workflow is reverted or archived, and keeps it from being deleted", async () => {
    const { token } = caller;
    for (const call_ of ["revert", "archive"]) {
      const workflow = await publishedWorkflow(caller, CODED_DEFINITION);
      const id = await batches.create({ workflow, max_concurrency: 1, items: liveItems(2) });
      await batches.until(id, "running", ({ running }) => running === 1);
      const path = `/api/v1/workflows/${workflow}`;
      expect((await call("POST", `${path}/${call_}`, { token })).status, call_).toBe(200);
      const deleted = await call("DELETE", path, { token });
      expect([deleted.status, deleted.json.code]).toEqual([409, "executions_in_progress"]);
      const { json: first } = await batches.get(`/${id}/items/0`);
      await call("POST", `/api/v1/executions/${first.execution}/cancel`, { token });
      await batches.until(id, "at its second item", ({ running, cancelled }) => {
        return running === 1 && cancelled === 1;
      });
      expect((await batches.runs(id)).data).toMatchObject([
        { batch_index: 1, workflow_version: 1 },
        { batch_index: 0, workflow_version: 1 },
      ]);
      await batches.post(`/${id}/cancel`);
      await batches.ended(id);
    }
  });

  test("goes on after its objects have lost their memory at any time", async () => {
    const id = await batches.create({ workflow: echo, items: wordItems(60), max_concurrency: 7 });
    for (let kills = 0; kills < 4; kills++) {
      await abortAllDurableObjects();
      const before = (await batches.get(`/${id}`)).json;
      await batches.until(
        id,
        "further",
        ({ completed }) => completed > before.completed || completed === 60,
      );
    }
    expect(await batches.ended(id)).toMatchObject({ status: "completed", completed: 60 });
    expect((await batches.runs(id)).total_count).toBe(60);
  });
});

test("a batch goes on when the key that made it is revoked", async () => {
  const { caller } = batches;
  const key = await operator("POST", "/admin/v1/api-keys", {
    workspace_id: caller.workspaceId,
    name: "To be revoked",
  });
  const token = await requestToken(key.json.client_id, key.json.client_secret);
  const own = new BatchFixture({ ...caller, token: token.json.access_token });
  const id = await own.create({ workflow: coded, items: liveItems(2), max_concurrency: 1 });
  const runOf = async (item: number) =>
    (await batches.get(`/${id}/items/${String(item)}`)).json.execution ?? undefined;
  const first = await waitUntil("the first item's run", () => runOf(0));
  expect((await operator("DELETE", `/admin/v1/api-keys/${key.json.id}`)).status).toBe(204);
  expect(await runOf(1)).toBeUndefined();
  await work(first, 1);
  await work(await waitUntil("the second item's run", () => runOf(1)), 1);
  expect(await batches.ended(id)).toMatchObject({ status: "completed", completed: 2 });
});

describe("a batch that is created with start: false", () => {
  const waiting = () => ({ workflow: echo, start: false, items: wordItems(3) });

  test("runs nothing until it is started, and can be started once", async () => {
    const id = await batches.create(waiting());
    const before = await batches.get(`/${id}`);
    expect(before.json).toMatchObject({ status: "pending", attempt: 0, pending: 3 });
    expect((await batches.runs(id)).total_count).toBe(0);
    const started = await batches.post(`/${id}/start`);
    expect([started.status, started.json.status]).toEqual([202, "running"]);
    const again = await batches.post(`/${id}/start`);
    expect([again.status, again.json.code]).toEqual([422, "invalid_state"]);
    expect(await batches.ended(id)).toMatchObject({ status: "completed", completed: 3 });
  });

  test("is started once by repeats with one key", async () => {
    const id = await batches.create(waiting());
    const headers = { "idempotency-key": "start-it-once" };
    for (const replayed of [null, "true"]) {
      const started = await batches.post(`/${id}/start`, undefined, headers);
      expect([started.status, started.headers.get("idempotency-replayed")]).toEqual([
        202,
        replayed,
      ]);
    }
    await batches.ended(id);
    expect((await batches.runs(id)).total_count).toBe(3);
  });

  test("is cancelled at once", async () => {
    const id = await batches.create(waiting());
    const headers = { "idempotency-key": "cancel-it-once" };
    const cancelled = await batches.post(`/${id}/cancel`, undefined, headers);
    expect(cancelled.status).toBe(200);
    expect(cancelled.json).toMatchObject({ status: "cancelled", cancelled: 3, attempt: 0 });
    const replay = await batches.post(`/${id}/cancel`, undefined, headers);
    expect([replay.status, replay.json]).toEqual([200, cancelled.json]);
    expect(replay.headers.get("idempotency-replayed")).toBe("true");
    const again = await batches.post(`/${id}/cancel`);
    expect([again.status, again.json.code]).toEqual([422, "invalid_state"]);
  });

  test("keeps its version, and needs a published workflow when it is started", async () => {
    const { token } = caller;
    const workflow = await publishedWorkflow(caller);
    const id = await batches.create({ ...waiting(), workflow });
    const deleted = await call("DELETE", `/api/v1/workflows/${workflow}`, { token });
    expect([deleted.status, deleted.json.code]).toEqual([409, "executions_in_progress"]);
    await call("POST", `/api/v1/workflows/${workflow}/archive`, { token });
    const refused = await batches.post(`/${id}/start`);
    expect([refused.status, refused.json.code]).toEqual([400, "workflow_not_published"]);
    expect((await batches.get(`/${id}`)).json).toMatchObject({ status: "pending", attempt: 0 });
  });
});

describe("every other call", () => {
  const refused = async (id: string, call_: string, body?: unknown) => {
    const { status, json } = await batches.post(`/${id}/${call_}`, body);
    return [call_, status, json.code];
  };

  test("on a live batch is invalid_state, and a second cancel changes nothing", async () => {
    const id = await batches.create({ workflow: coded, items: liveItems(2) });
    await batches.until(id, "running", ({ running }) => running === 2);
    const expectRefusals = async () => {
      for (const call_ of ["start", "retry"]) {
        expect(await refused(id, call_)).toEqual([call_, 422, "invalid_state"]);
      }
    };
    await expectRefusals();
    // Its runs are not told of the cancel, and so it stays in between.
    const told = vi
      .spyOn(RunObject.prototype, "cancel")
      .mockResolvedValue(fail("internal_error", "The message was lost."));
    const cancelled = await batches.post(`/${id}/cancel`);
    expect(cancelled.status).toBe(200);
    expect(cancelled.json).toMatchObject({
      status: "running",
      running: 2,
      cancel_requested_at: expect.any(String),
      completed_at: null,
    });
    await expectRefusals();
    const again = await batches.post(`/${id}/cancel`);
    expect([again.status, again.json]).toEqual([200, cancelled.json]);
    await expect.poll(() => told.mock.calls.length).toBeGreaterThan(0);
    const stub = env.BATCH.get(env.BATCH.idFromName(id)) as unknown as DurableObjectStub;
    const leftMs = async () => {
      const atMs = await runInDurableObject(stub, (_object, { storage }) => storage.getAlarm());
      return (atMs ?? Number.POSITIVE_INFINITY) - Date.now();
    };
    // A run that was not reached is cancelled again by then, well within the five seconds.
    await expect.poll(leftMs).toBeLessThanOrEqual(1_000);
    told.mockRestore();
    expect(await batches.ended(id)).toMatchObject({ status: "cancelled", cancelled: 2 });
  });

  test("on a batch that has ended is invalid_state, or no_failed_items for a retry of nothing", async () => {
    const { json } = await batches.post(
      "",
      { workflow: echo, items: wordItems(1) },
      { prefer: "wait=60" },
    );
    expect(json).toMatchObject({ status: "completed" });
    for (const call_ of ["start", "cancel"]) {
      expect(await refused(json.id, call_)).toEqual([call_, 422, "invalid_state"]);
    }
    for (const body of [{}, { include_partial: true }, { version: 99 }]) {
      expect(await refused(json.id, "retry", body)).toEqual(["retry", 422, "no_failed_items"]);
    }
    const wrong = { inputs: { word: { value: '"a"' } } };
    const body = { workflow: echo, on_invalid_item: "fail_item", start: false };
    const stopped = await batches.create({ ...body, items: [wrong, ...wordItems(2)] });
    const cancelled = await batches.post(`/${stopped}/cancel`);
    expect(cancelled.json).toMatchObject({ status: "cancelled", cancelled: 2, failed: 1 });
    for (const call_ of ["start", "cancel"]) {
      expect(await refused(stopped, call_)).toEqual([call_, 422, "invalid_state"]);
    }
  });
});

test("no item is accepted after the answer of a cancel, though its admission was under way", async () => {
  const admit = Reflect.get(WorkspaceObject.prototype, "admitBatch") as (
    this: WorkspaceObject,
    request: AdmitBatchRequest,
  ) => Promise<AdmitBatchReply>;
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: goes, resolve: go } = Promise.withResolvers<void>();
  vi.spyOn(WorkspaceObject.prototype, "admitBatch").mockImplementation(async function (
    this: WorkspaceObject,
    request,
  ) {
    if (request.runs.length > 0) {
      ask();
      await goes;
    }
    return await admit.call(this, request);
  });
  const id = await batches.create({ workflow: coded, items: liveItems(20) });
  await asked;
  const cancelling = batches.post(`/${id}/cancel`);
  await batches.until(id, "cancelled", ({ cancel_requested_at: at }) => at !== null);
  go();
  const { json } = await cancelling;
  expect(json).toMatchObject({ pending: 0, status: expect.stringMatching(/running|cancelled/) });
  const known = (await batches.runs(id)).total_count;
  expect(json.running + json.cancelled).toBe(20);
  expect(await batches.ended(id)).toMatchObject({ status: "cancelled", cancelled: 20 });
  expect((await batches.runs(id)).total_count).toBe(known);
  expect(known).toBeLessThan(20);
});

describe("invalid items", () => {
  const wrong = { inputs: { word: { value: '"a"' } } };

  test("refuse the batch, each with the path of its fault, and nothing is made", async () => {
    const items = [...wordItems(2), wrong, { inputs: {} }, 7, { nputs: {} }];
    const refused = await batches.post("", { workflow: echo, items });
    expect([refused.status, refused.json.code]).toEqual([400, "validation_error"]);
    const fields = refused.json.errors.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(
      expect.arrayContaining([
        "items[2].inputs.word",
        "items[3].inputs.words",
        "items[4]",
        "items[5].nputs",
      ]),
    );
    expect((await batches.get("?client_reference=none")).json.total_count).toBe(0);
  });

  test("are reported up to 100", async () => {
    const items = Array.from({ length: 300 }, () => wrong);
    const { json } = await batches.post("", { workflow: echo, items });
    expect(json.errors).toHaveLength(100);
  });

  test("fail alone with fail_item, without a run and without cost", async () => {
    const items = [wrong, ...wordItems(2)];
    const id = await batches.create({ workflow: echo, on_invalid_item: "fail_item", items });
    const ended = await batches.ended(id);
    expect(ended).toMatchObject({ status: "partial_success", completed: 2, failed: 1 });
    const { json: item } = await batches.get(`/${id}/items/0`);
    expect(item).toMatchObject({
      status: "failed",
      error_code: "validation_error",
      execution: null,
      executions: [],
      attempt: 0,
    });
    const { json } = await batches.get(`/${id}/items?status=failed`);
    expect(json.data).toEqual([item]);
    expect((await batches.get(`/${id}/items/${item.id}`)).json).toEqual(item);
    const only = await batches.post("", {
      workflow: echo,
      on_invalid_item: "fail_item",
      items: [wrong],
    });
    expect([only.status, only.json.errors[0].field]).toEqual([400, "items"]);
    expect(only.json.errors[0].message).toContain("items[0].inputs.word: ");
  });

  test("that are not JSON make the whole body malformed", async () => {
    const { token } = caller;
    const headers = { "content-type": "application/json" };
    for (const items of ["{},{]", "{},nonsense", "{},,{}", '{},{"inputs":}']) {
      for (const path of ["", "/estimate"]) {
        const body = `{"workflow":"${echo}","on_invalid_item":"fail_item","items":[${JSON.stringify(wordItems(1)[0])},${items}]}`;
        const refused = await call("POST", BATCHES + path, { token, headers, body });
        expect([items, refused.status, refused.json.code]).toEqual([items, 400, "invalid_request"]);
      }
    }
  });
});

describe("the body of a creation", () => {
  test.each([
    ["without items", {}, "items"],
    ["with no item", { items: [] }, "items"],
    ["with an object in place of its items", { items: {} }, "items"],
    ["with 10,001 items", { items: Array.from({ length: 10_001 }, () => ({})) }, "items"],
    ["with an unknown member", { items: [{}], itemz: 1 }, "itemz"],
    ["with a concurrency of 0", { items: [{}], max_concurrency: 0 }, "max_concurrency"],
    ["with a concurrency of 10,001", { items: [{}], max_concurrency: 10_001 }, "max_concurrency"],
    ["with -1 failed items", { items: [{}], max_failed_items: -1 }, "max_failed_items"],
    ["with 10,001 failed items", { items: [{}], max_failed_items: 10_001 }, "max_failed_items"],
    [
      "with no credits at all",
      { items: [{}], max_total_milli_credits: 0 },
      "max_total_milli_credits",
    ],
    ["with a long name", { items: [{}], name: "n".repeat(256) }, "name"],
    [
      "with a reference on two lines",
      { items: [{}], client_reference: "a\nb" },
      "client_reference",
    ],
    ["with another way of failing", { items: [{}], on_invalid_item: "skip" }, "on_invalid_item"],
    ["with a mode of its cache", { items: [{}], cache: { mode: "write" } }, "cache.mode"],
  ])("%s is refused", async (_name, body, field) => {
    const refused = await batches.post("", { workflow: echo, ...body });
    expect([refused.status, refused.json.code]).toEqual([400, "validation_error"]);
    expect(refused.json.errors).toContainEqual(expect.objectContaining({ field }));
  });

  test.each([
    ["cut in the middle", `{"workflow":"wf_1","items":[{"inputs":{"words":`],
    ["that is a list", "[]"],
    ["with two lists of items", `{"items":[{}],"items":[{}]}`],
    ["that goes on after its end", `{"items":[{}]} {}`],
    ["with a malformed member", `{"workflow":wf,"items":[{}]}`],
  ])("%s is refused as malformed", async (_name, body) => {
    const headers = { "content-type": "application/json" };
    const refused = await call("POST", BATCHES, { token: caller.token, headers, body });
    expect([refused.status, refused.json.code]).toEqual([400, "invalid_request"]);
  });

  test("of another type, or of more than 16 MiB, is refused", async () => {
    const { token } = caller;
    const headers = { "content-type": "text/plain" };
    const typed = await call("POST", BATCHES, { token, headers, body: "{}" });
    expect([typed.status, typed.json.code]).toEqual([415, "unsupported_media_type"]);
    const body = `{"items":["${"x".repeat(16 * 1024 * 1024)}"]}`;
    const large = await call("POST", BATCHES, {
      token,
      headers: { "content-type": "application/json" },
      body,
    });
    expect([large.status, large.json.code]).toEqual([413, "payload_too_large"]);
  });

  test("names a workflow as a submit does", async () => {
    const items = wordItems(1);
    const codes = await Promise.all(
      [
        { items },
        { items, workflow: "x" },
        { items, workflow: `wf_${"0".repeat(32)}` },
        { items, workflow: echo, version: 9 },
      ].map(async (body) => (await batches.post("", body)).json.code),
    );
    expect(codes).toEqual([
      "invalid_request",
      "invalid_request",
      "workflow_not_found",
      "invalid_version",
    ]);
  });

  test("is remembered by its key", async () => {
    const headers = { "idempotency-key": "one-batch-only" };
    const body = { workflow: echo, items: wordItems(2) };
    const first = await batches.post("", body, headers);
    const again = await batches.post("", body, headers);
    expect([again.status, again.json.id]).toEqual([202, first.json.id]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const other = await batches.post("", { ...body, items: wordItems(3) }, headers);
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
    await batches.ended(first.json.id);
    expect((await batches.runs(first.json.id)).total_count).toBe(2);
  });

  test("may have an item of several megabytes", async () => {
    const long = JSON.stringify("ä".repeat(1_500_000));
    const items = [{ inputs: { words: { value: long } } }, ...wordItems(1)];
    const id = await batches.create({ workflow: echo, items });
    expect(await batches.ended(id)).toMatchObject({ status: "completed", completed: 2 });
  });
});

describe("money", () => {
  test("the known cost of all items must not exceed the balance", async () => {
    const poor = await BatchFixture.onPlan({ max_credits_per_month: 0 });
    const workflow = await publishedWorkflow(poor.caller, CODES);
    const items = [{ inputs: { rows: { value: '["a"]' } } }];
    const refused = await poor.post("", { workflow, items });
    expect([refused.status, refused.json.code]).toEqual([402, "insufficient_credits"]);
    expect((await poor.get("")).json.total_count).toBe(0);
    const id = await poor.create({ workflow, items, start: false });
    const started = await poor.post(`/${id}/start`);
    expect([started.status, started.json.code]).toEqual([402, "insufficient_credits"]);
    expect((await poor.get(`/${id}`)).json).toMatchObject({ status: "pending", attempt: 0 });
  });
});

describe("lists", () => {
  test("show batches newest first, by their filters", async () => {
    const own = await BatchFixture.onPlan({});
    const workflow = await publishedWorkflow(own.caller);
    const ids: string[] = [];
    for (const client_reference of ["a", "b", "a"]) {
      const body = { workflow, items: wordItems(1), client_reference };
      ids.unshift(await own.create(body));
    }
    for (const id of ids) {
      await own.ended(id);
    }
    const listed = async (query: string) =>
      (await own.get(query)).json.data.map(({ id }: { id: string }) => id);
    expect(await listed("")).toEqual(ids);
    expect(await listed("?client_reference=a")).toEqual([ids[0], ids[2]]);
    expect(await listed("?status=completed&limit=1")).toEqual([ids[0]]);
    expect(await listed(`?starting_after=${ids[0] ?? ""}`)).toEqual(ids.slice(1));
    expect(await listed("?status=failed")).toEqual([]);
    const { json: whole } = await own.get("");
    const at = whole.data.map(({ created_at }: { created_at: string }) => created_at);
    expect(await listed(`?created_after=${at[0]}`)).toContain(ids[0]);
    expect(await listed(`?created_before=${at[2]}`)).toEqual([]);
    expect(await listed("?created_after=2100-01-01T00:00:00Z")).toEqual([]);
    expect(await listed(`?workflow=${workflow}&limit=2`)).toEqual(ids.slice(0, 2));
    expect(await listed(`?workflow=wf_${"0".repeat(32)}`)).toEqual([]);
    expect((await own.get("?status=paused")).json.code).toBe("invalid_status");
    expect((await own.get("?starting_after=zzz")).json.code).toBe("invalid_request");
    expect((await own.get("?workflow=zzz")).json.code).toBe("invalid_id");
  });

  test("show items by index in pages", async () => {
    const long = await batches.create({ workflow: echo, start: false, items: wordItems(51) });
    const page = (await batches.get(`/${long}/items`)).json;
    expect(page).toMatchObject({ has_more: true, total_count: 51 });
    expect(page.data.map(({ index }: { index: number }) => index)).toEqual(
      Array.from({ length: 50 }, (_, index) => index),
    );
    const id = await batches.create({ workflow: echo, start: false, items: wordItems(3) });
    const first = (await batches.get(`/${id}/items?limit=2`)).json;
    expect(first).toMatchObject({ has_more: true, total_count: 3 });
    const second = (await batches.get(`/${id}/items?starting_after=${first.next_cursor}`)).json;
    expect(second).toMatchObject({ has_more: false, data: [{ index: 2 }] });
    const { json } = await batches.get(`/${id}/items?client_reference=row%201`);
    expect(json).toMatchObject({ total_count: 1, data: [{ index: 1 }] });
    for (const [query, code] of [
      ["status=x", "invalid_status"],
      ["starting_after=zzz", "invalid_request"],
      ["limit=0", "validation_error"],
      ["limit=101", "validation_error"],
    ]) {
      expect((await batches.get(`/${id}/items?${query ?? ""}`)).json.code).toBe(code);
    }
    expect((await batches.get(`/${id}/items/3`)).json.code).toBe("not_found");
    for (const item of ["x", "00", "01", "-1", "1.0", "1e0", "%201"]) {
      expect([item, (await batches.get(`/${id}/items/${item}`)).json.code]).toEqual([
        item,
        "invalid_id",
      ]);
    }
    const other = (await batches.get(`/${long}/items/1`)).json;
    expect((await batches.get(`/${id}/items/${other.id}`)).json.code).toBe("not_found");
    const raw = other.id.slice("bit_".length);
    expect((await batches.get(`/${long}/items/${raw}`)).json).toEqual(other);
  });
});

describe("the status of a batch", () => {
  test("that was read is the one by which the list has it", async () => {
    const own = new BatchFixture(await newCaller());
    const workflow = await publishedWorkflow(own.caller);
    const asked: string[] = [];
    const told: string[] = [];
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const tell = spiedUpdate();
    vi.spyOn(WorkspaceObject.prototype, "updateBatch").mockImplementation(async function (
      this: WorkspaceObject,
      update,
    ) {
      asked.push(update.status);
      // The batch tells that it has ended; the list does not know until a read waits for that too.
      if (asked.filter((status) => status === "completed").length === 2) {
        open();
      }
      if (update.status === "completed") {
        await gate;
      }
      const outcome = await tell.call(this, update);
      told.push(update.status);
      return outcome;
    });
    const id = await own.create({ workflow, items: wordItems(1) });
    const { status } = await own.until(id, "ended", ({ completed_at, status: read }) => {
      expect(["pending", ...told]).toContain(read);
      return completed_at !== null;
    });
    expect(status).toBe("completed");
    expect((await own.get("?status=completed")).json.data).toMatchObject([{ id, status }]);
    expect((await own.get("?status=running")).json.total_count).toBe(0);
  });

  test("that a start has returned is listed, too", async () => {
    const own = new BatchFixture(await newCaller());
    const workflow = await publishedWorkflow(own.caller, CODED_DEFINITION);
    const id = await own.create({ workflow, start: false, items: liveItems(1) });
    const told: string[] = [];
    const tell = spiedUpdate();
    vi.spyOn(WorkspaceObject.prototype, "updateBatch").mockImplementation(async function (
      this: WorkspaceObject,
      update,
    ) {
      const outcome = await tell.call(this, update);
      told.push(update.status);
      return outcome;
    });
    expect((await own.post(`/${id}/start`)).json.status).toBe("running");
    expect(told).toContain("running");
    expect((await own.get("?status=running")).json.data).toMatchObject([{ id }]);
    await own.post(`/${id}/cancel`);
    await own.ended(id);
  });

  test("is that of the filter on each batch of a page, if it changes while the page is read", async () => {
    const own = new BatchFixture(await newCaller());
    const workflow = await publishedWorkflow(own.caller);
    const id = await own.create({ workflow, items: wordItems(1) });
    await own.ended(id);
    // oxlint-disable-next-line typescript/unbound-method -- called with its object
    const list = WorkspaceObject.prototype.listBatches;
    vi.spyOn(WorkspaceObject.prototype, "listBatches").mockImplementationOnce(async function (
      this: WorkspaceObject,
      filter,
    ) {
      return await list.call(this, { ...filter, status: null });
    });
    const { json } = await own.get("?status=running");
    expect([json.data, json.total_count, json.has_more]).toEqual([[], 0, false]);
  });
});

/** The workspace's own code, before it is spied on. */
function spiedUpdate() {
  // oxlint-disable-next-line typescript/unbound-method -- called with its object
  return WorkspaceObject.prototype.updateBatch;
}

test("a batch and its item have entity tags, which change with them", async () => {
  const id = await batches.create({ workflow: echo, start: false, items: wordItems(1) });
  const tags: (string | null)[][] = [];
  for (const call_ of ["cancel", "retry"]) {
    const seen: (string | null)[] = [];
    for (const path of [`/${id}`, `/${id}/items/0`]) {
      const read = await batches.get(path);
      const tag = read.headers.get("etag") ?? "";
      expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
      const known = await batches.get(path, { "if-none-match": `W/${tag}` });
      expect([known.status, known.text, known.headers.get("etag")]).toEqual([304, "", tag]);
      expect((await batches.get(path, { "if-none-match": '"other"' })).json).toEqual(read.json);
      seen.push(tag);
    }
    tags.push(seen);
    await batches.post(`/${id}/${call_}`);
  }
  const [[before, item] = [], [after, cancelled] = []] = tags;
  expect(before).not.toBe(after);
  expect(item).not.toBe(cancelled);
});

test("a key is remembered for 24 hours, by creations and by the other calls", async () => {
  const headers = { "idempotency-key": "kept-for-a-day" };
  const body = { workflow: echo, start: false, items: wordItems(1) };
  const { id } = (await batches.post("", body, headers)).json;
  await batches.post(`/${id}/cancel`, undefined, headers);
  const workspace = env.WORKSPACE.get(
    env.WORKSPACE.idFromName(caller.workspaceId),
  ) as unknown as Pick<WorkspaceObjectApi, "recallBatch">;
  const object = env.BATCH.get(env.BATCH.idFromName(id)) as unknown as BatchObjectApi;
  const keyOf = (path: string) => ({
    key: `POST ${BATCHES}${path} ${headers["idempotency-key"]}`,
    fingerprint: "of another body",
  });
  const answers = async () => {
    const [created, cancelled] = [
      await workspace.recallBatch(keyOf("")),
      await object.cancel({
        v: 1,
        workspace_id: caller.workspaceId,
        idempotency: keyOf(`/${id}/cancel`),
      }),
    ];
    return [created?.kind, cancelled.ok || cancelled.code];
  };
  const madeMs = Date.now();
  expect(await answers()).toEqual(["idempotency_conflict", "idempotency_conflict"]);
  vi.useFakeTimers({ now: madeMs + 24 * 3_600_000 - 60_000, toFake: ["Date"] });
  expect(await answers()).toEqual(["idempotency_conflict", "idempotency_conflict"]);
  vi.setSystemTime(madeMs + 24 * 3_600_000);
  expect(await answers()).toEqual([undefined, "invalid_state"]);
});

test("a key that is too short is refused by every call that changes something", async () => {
  const id = await batches.create({ workflow: echo, start: false, items: wordItems(1) });
  const headers = { "idempotency-key": "short" };
  for (const path of ["", `/${id}/start`, `/${id}/cancel`]) {
    const refused = await batches.post(path, { workflow: echo, items: wordItems(1) }, headers);
    expect([refused.status, refused.json.code]).toEqual([400, "invalid_idempotency_key"]);
  }
  expect((await batches.get(`/${id}`)).json).toMatchObject({ status: "pending", attempt: 0 });
});

test("another workspace's batch is forbidden, to every call", async () => {
  const id = await batches.create({ workflow: echo, start: false, items: wordItems(1) });
  const other = new BatchFixture(await newCaller());
  for (const path of ["", "/items", "/items/0", "/events"]) {
    const refused = await other.get(`/${id}${path}`);
    expect([path, refused.status, refused.json.code]).toEqual([path, 403, "forbidden"]);
  }
  for (const path of ["/start", "/cancel"]) {
    const refused = await other.post(`/${id}${path}`);
    expect([path, refused.status, refused.json.code]).toEqual([path, 403, "forbidden"]);
  }
});

describe("the events of a batch", () => {
  test("are its statuses, each item that ends, and done; and go on after any of them", async () => {
    const id = await batches.create({ workflow: echo, items: wordItems(4) });
    const { text } = await batches.get(`/${id}/events`);
    const events = parseEvents(text).filter(({ event }) => event !== "progress");
    expect(events.map(({ event }) => event)).toEqual([
      "status",
      "status",
      ...Array.from({ length: 4 }, () => "item"),
      "status",
      "done",
    ]);
    const { json: ended } = await batches.get(`/${id}`);
    expect(events.at(-1)?.data).toEqual({ at: ended.completed_at, status: "completed" });
    const item = events.find(({ event }) => event === "item")?.data;
    const { json: shown } = await batches.get(`/${id}/items/${item.index}`);
    const { index, status, execution, error_code } = shown;
    expect(item).toEqual({ at: shown.completed_at, index, status, execution, error_code });
    const indices = events.flatMap(({ event, data }) => (event === "item" ? [data.index] : []));
    expect(new Set(indices)).toEqual(new Set([0, 1, 2, 3]));
    for (const [at, { id: seen }] of events.entries()) {
      const rest = await batches.get(`/${id}/events`, { "last-event-id": String(seen) });
      const left = parseEvents(rest.text).filter(({ event }) => event !== "progress");
      expect(left.map((event) => event.id)).toEqual(events.slice(at + 1).map((event) => event.id));
      expect(rest.status).toBe(at === events.length - 1 ? 204 : 200);
    }
    for (const wrong of ["-1", "99999", "9007199254740993", "1 2", "x"]) {
      const refused = await batches.get(`/${id}/events?last_event_id=${encodeURIComponent(wrong)}`);
      expect([refused.status, refused.json.code]).toEqual([400, "validation_error"]);
    }
  });
});

test("an answer waits for the end of the batch if that is preferred", async () => {
  const body = { workflow: echo, items: wordItems(3) };
  const created = await batches.post("", body, { prefer: "wait=60" });
  expect([created.status, created.json.status]).toEqual([202, "completed"]);
  expect(created.headers.get("preference-applied")).toBe("wait=60");
  const got = await batches.get(`/${created.json.id}`, { prefer: "wait=60" });
  expect([got.json.completed, got.headers.get("preference-applied")]).toEqual([3, "wait=60"]);
  const id = await batches.create({ ...body, start: false });
  const waited = await batches.get(`/${id}`, { prefer: "wait=1" });
  expect([waited.json.status, waited.headers.get("preference-applied")]).toEqual([
    "pending",
    "wait=1",
  ]);
  const started = await batches.post(`/${id}/start`, undefined, { prefer: "wait=60" });
  expect([started.status, started.json.status]).toEqual([202, "completed"]);
  expect(started.headers.get("preference-applied")).toBe("wait=60");
});

test("the stream of a live batch has its counters, and ends with the batch", async () => {
  const id = await batches.create({ workflow: coded, max_concurrency: 1, items: liveItems(2) });
  await batches.until(id, "running", ({ running }) => running === 1);
  const headers = { authorization: `Bearer ${caller.token}` };
  const response = await exports.default.fetch(
    new Request(`${ORIGIN}${BATCHES}/${id}/events`, { headers }),
  );
  const reader = new EventReader(response.body!);
  await reader.until((events) => events.some(({ event }) => event === "progress"));
  expect(reader.events.find(({ event }) => event === "progress")?.data).toEqual({
    at: expect.any(String),
    total_items: 2,
    pending: 1,
    running: 1,
    completed: 0,
    failed: 0,
    cancelled: 0,
    partial_success: 0,
    progress: 0,
    credits_used: 0,
  });
  await batches.post(`/${id}/cancel`);
  await reader.until(() => false);
  const ends = reader.events.filter(({ event }) => event !== "progress").slice(-4);
  expect(ends.map(({ event, data }) => [event, data.status])).toEqual([
    ["item", "cancelled"],
    ["item", "cancelled"],
    ["status", "cancelled"],
    ["done", "cancelled"],
  ]);
});
