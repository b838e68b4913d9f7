/** docs/contract/schedules.md: creation, reads, changes, pause, deletion. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { call, type Reply } from "../../support/api-caller.ts";
import { workspaceObject } from "../../../src/storage/objects/workspace-object.ts";
import { DEFERRED_CODES } from "../../support/paid-definitions.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { FAR_CRON, ScheduleApi } from "../../support/schedules/schedule-api.ts";
import { HOME_DB } from "../../support/home-database.ts";

const ID = /^sch_[0-9a-f]{32}$/;

let api: ScheduleApi;

beforeAll(async () => {
  api = await ScheduleApi.make();
});

const code = ({ status, json }: Reply) => [status, json?.code];
const fieldsOf = ({ json }: Reply) =>
  (json.errors ?? []).map(({ field }: { field: string }) => field).toSorted();

describe("a new schedule", () => {
  test("has every field of the contract, with its defaults", async () => {
    const { status, json, headers, text } = await api.create({ name: "Daily", cron: "0 7 * * *" });
    expect(status, text).toBe(201);
    const { id, next_at, created_at, ...rest } = json;
    expect(id).toMatch(ID);
    expect(rest).toEqual({
      name: "Daily",
      status: "active",
      workflow: api.workflow,
      version: null,
      interface: null,
      inputs: { words: { value: '"hi"' } },
      admission_limits: null,
      cache: null,
      cron: "0 7 * * *",
      interval_seconds: null,
      time_zone: "UTC",
      starts_at: null,
      ends_at: null,
      max_runs: null,
      jitter_seconds: 0,
      overlap: "skip",
      catch_up: "latest",
      catch_up_window_seconds: 3_600,
      scheduled_time_input: null,
      last_at: null,
      runs_started: 0,
      updated_at: created_at,
    });
    expect(next_at).toMatch(/T07:00:00.000Z$/);
    expect(Date.parse(next_at)).toBeGreaterThan(Date.parse(created_at));
    expect(headers.get("etag")).toMatch(/^"r1-/);
    await evictDurableObject(api.stub(id));
    expect(await api.get(id)).toEqual(json);
  });

  test("keeps what was sent, with the digits of its inputs", async () => {
    const workflow = await publishedWorkflow(api.caller, {
      nodes: [
        { id: "in", type: "input/json", label: "Data", parameters: {} },
        { id: "at", type: "input/text", label: "At", parameters: {} },
        { id: "out", type: "output/json", label: "Out", parameters: {} },
        { id: "said", type: "output/text", label: "Said", parameters: {} },
      ],
      connections: [
        { from: { node: "in", port: "item" }, to: { node: "out", port: "json" } },
        { from: { node: "at", port: "text" }, to: { node: "said", port: "text" } },
      ],
    });
    const fields = {
      name: "All",
      workflow,
      version: 1,
      inputs: { data: { value: '{"a":12345678901234567890.10}' } },
      admission_limits: { max_iterations_per_node: 5 },
      interval_seconds: 7_200,
      starts_at: "2031-01-01T00:00:00.000Z",
      ends_at: "2031-01-02T00:00:00.000Z",
      max_runs: 3,
      jitter_seconds: 60,
      overlap: "queue",
      catch_up: "all",
      catch_up_window_seconds: 604_800,
      scheduled_time_input: "at",
    };
    const { status, json, text } = await api.create(fields);
    expect(status, text).toBe(201);
    expect(json).toMatchObject({ ...fields, cron: null, next_at: fields.starts_at });
  });

  test("is made once for a key, and refused for another body", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const first = await api.create({ name: "Once" }, headers);
    const second = await api.create({ name: "Once" }, headers);
    expect([second.status, second.json]).toEqual([201, first.json]);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(code(await api.create({ name: "Other" }, headers))).toEqual([
      409,
      "idempotency_conflict",
    ]);
  });

  test("names every problem of its fields at once", async () => {
    const refused = await api.create({
      name: "",
      cron: "61 * * * *",
      interval_seconds: 5,
      time_zone: "Mars/Olympus",
      starts_at: "soon",
      ends_at: "1969-01-01T00:00:00Z",
      max_runs: 0,
      jitter_seconds: 3_601,
      overlap: "wait",
      catch_up: "some",
      catch_up_window_seconds: 604_801,
      cache: {},
    });
    expect(code(refused)).toEqual([400, "validation_error"]);
    expect(fieldsOf(refused)).toEqual([
      "cache.mode",
      "catch_up",
      "catch_up_window_seconds",
      "cron",
      "cron",
      "ends_at",
      "jitter_seconds",
      "max_runs",
      "name",
      "overlap",
      "starts_at",
      "time_zone",
    ]);
  });

  test.each([
    [
      "inputs that the workflow lacks",
      { inputs: { no: { value: '"a"' } } },
      ["inputs.no", "inputs.words"],
    ],
    ["a missing required input", { inputs: {} }, ["inputs.words"]],
    ["no time from now on", { ends_at: "2020-01-01T00:00:00Z" }, ["ends_at"]],
    [
      "an end before its start",
      { starts_at: "2032-01-01T00:00:00Z", ends_at: "2031-01-01T00:00:00Z" },
      ["ends_at"],
    ],
    ["a time input that is in inputs", { scheduled_time_input: "words" }, ["scheduled_time_input"]],
    [
      "more than 256 KiB of inputs",
      { inputs: { words: { value: `"${"x".repeat(262_144)}"` } } },
      ["inputs"],
    ],
    ["neither cron nor interval", { cron: null }, ["cron"]],
    ["both cron and interval", { cron: FAR_CRON, interval_seconds: 60 }, ["cron"]],
    ["an interval above a year", { interval_seconds: 31_536_001 }, ["interval_seconds"]],
    ["a time input that the workflow lacks", { scheduled_time_input: "no" }, ["inputs.no"]],
    ["an unknown field", { max_age: 1 }, ["max_age"]],
  ])("is refused for %s", async (_what, fields, expected) => {
    const refused = await api.create(fields);
    expect(code(refused)).toEqual([400, "validation_error"]);
    expect(fieldsOf(refused)).toEqual(expected);
  });

  test("is refused with a time input that is not a text", async () => {
    const workflow = await publishedWorkflow(api.caller, {
      nodes: [
        { id: "in", type: "input/json", label: "Data", parameters: {} },
        { id: "out", type: "output/json", label: "Out", parameters: {} },
      ],
      connections: [{ from: { node: "in", port: "item" }, to: { node: "out", port: "json" } }],
    });
    const refused = await api.create({ workflow, inputs: {}, scheduled_time_input: "data" });
    expect([code(refused), fieldsOf(refused)]).toEqual([
      [400, "validation_error"],
      ["scheduled_time_input"],
    ]);
  });

  test("of an agent needs its bound where a fan-out is known only in the run", async () => {
    const workflow = await publishedWorkflow(api.caller, DEFERRED_CODES);
    const fields = { workflow, inputs: { data: { value: '{"rows":[]}' } } };
    const agent = { "x-client-kind": "agent" };
    const refused = await api.create(fields, agent);
    expect([code(refused), fieldsOf(refused)]).toEqual([
      [400, "validation_error"],
      ["admission_limits.max_iterations_per_node"],
    ]);
    const bound = { admission_limits: { max_iterations_per_node: 5 } };
    const { status, json } = await api.create({ ...fields, ...bound }, agent);
    expect(status).toBe(201);
    const unbound = { json: { admission_limits: null }, headers: { "if-match": "*", ...agent } };
    expect(code(await api.send("PATCH", `/${json.id}`, unbound))).toEqual([
      400,
      "validation_error",
    ]);
    expect((await api.create(fields)).status).toBe(201);
  });

  test("beyond the plan's number is refused, and another one fits after a deletion", async () => {
    const own = await ScheduleApi.make({ max_schedules: 2 });
    const first = await own.made();
    await own.made();
    expect(code(await own.create())).toEqual([402, "plan_limit_exceeded"]);
    expect((await own.send("GET", "")).json.total_count).toBe(2);
    const plan = await call("GET", "/api/v1/plan", { token: own.caller.token });
    expect(plan.json.limits).toMatchObject({ max_schedules: 2, min_schedule_interval_seconds: 60 });
    expect((await own.send("DELETE", `/${first}`)).status).toBe(204);
    expect((await own.create()).status).toBe(201);
  });

  test("has at least the interval of its plan, which is a second in local development", async () => {
    const own = await ScheduleApi.make({ min_schedule_interval_seconds: 60 });
    expect(fieldsOf(await own.create({ interval_seconds: 59 }))).toEqual(["interval_seconds"]);
    const id = await own.made({ interval_seconds: 60 });
    expect(fieldsOf(await own.patch(id, { interval_seconds: 59 }))).toEqual(["interval_seconds"]);
    const { json } = await call("GET", "/api/v1/plan", { token: own.caller.token });
    expect(json.limits).toMatchObject({ max_schedules: 100, min_schedule_interval_seconds: 60 });
    const dev = await call("GET", "/api/v1/plan", { token: api.caller.token });
    expect(dev.json.limits).toMatchObject({
      max_schedules: 100,
      min_schedule_interval_seconds: 1,
      max_cache_bytes: 1_073_741_824,
    });
  });
});

describe("a refused submit", () => {
  test("refuses the schedule with the same code", async () => {
    const draft = await call("POST", "/api/v1/workflows", {
      token: api.caller.token,
      json: { name: "Draft" },
    });
    const stranger = await ScheduleApi.make();
    const nobody = `wf_${"0".repeat(32)}`;
    expect(code(await api.create({ workflow: draft.json.id }))).toEqual([
      400,
      "workflow_not_published",
    ]);
    expect(code(await api.create({ workflow: nobody }))).toEqual([404, "workflow_not_found"]);
    expect(code(await api.create({ workflow: stranger.workflow }))).toEqual([403, "forbidden"]);
    for (const workflow of ["wf_1", 5, null, undefined]) {
      const refused = await api.create({ workflow });
      expect([workflow, code(refused), fieldsOf(refused)]).toEqual([
        workflow,
        [400, "invalid_request"],
        ["workflow"],
      ]);
    }
    expect(code(await api.create({ version: 2 }))).toEqual([400, "invalid_version"]);
    const lost = { words: { asset_path: "assets/2026/01/01/lost/a.txt" } };
    expect(code(await api.create({ workflow: await withFile(), inputs: lost }))).toEqual([
      404,
      "not_found",
    ]);
  });

  test("of a version whose definition is lost too, by a creation, a change and a trigger", async () => {
    const own = await ScheduleApi.make();
    const pinned = await own.made();
    // As if its row were lost: the workspace object has a version 2, D1 does not.
    await workspaceObject({ env }, own.caller.workspaceId).setWorkflowPointer({
      workflow_id: own.workflow,
      name: "Test",
      status: "published",
      version: 2,
      seq: 1_000,
    });
    const expected = [404, "version_not_available"];
    expect(code(await own.create())).toEqual(expected);
    expect(code(await own.patch(pinned, { version: 2 }))).toEqual(expected);
    expect(code(await own.send("POST", `/${pinned}/trigger`))).toEqual(expected);
  });
});

describe("a list", () => {
  test("has the newest first, in pages, by status and workflow", async () => {
    const own = await ScheduleApi.make();
    const ids = [await own.made(), await own.made(), await own.made()];
    const other = await publishedWorkflow(own.caller);
    const paused = await own.made({ workflow: other });
    await own.send("POST", `/${paused}/pause`);
    const list = async (query: string) => (await own.send("GET", query)).json;
    const idsOf = (json: { data: { id: string }[] }) => json.data.map(({ id }) => id);
    const first = await list("?limit=2");
    expect([idsOf(first), first.has_more, first.total_count]).toEqual([[paused, ids[2]], true, 4]);
    const second = await list(`?limit=2&starting_after=${first.next_cursor}`);
    expect([idsOf(second), second.has_more]).toEqual([[ids[1], ids[0]], false]);
    expect(idsOf(await list("?status=paused"))).toEqual([paused]);
    expect(idsOf(await list("?status=ended"))).toEqual([]);
    expect(idsOf(await list(`?workflow=${own.workflow}`))).toEqual(ids.toReversed());
    expect(code(await own.send("GET", "?status=late"))).toEqual([400, "invalid_status"]);
    expect(code(await own.send("GET", "?workflow=x"))).toEqual([400, "invalid_id"]);
    expect(code(await own.send("GET", "?starting_after=x"))).toEqual([400, "invalid_request"]);
  });
});

describe("a schedule of another workspace", () => {
  test("is forbidden, and an unknown or malformed id is named as such", async () => {
    const id = await api.made();
    const stranger = await ScheduleApi.make();
    const nobody = `sch_${"0".repeat(32)}`;
    const calls: [string, string, object?][] = [
      ["GET", ""],
      ["PATCH", "", { name: "Mine" }],
      ["DELETE", ""],
      ["POST", "/pause"],
      ["POST", "/resume"],
      ["POST", "/trigger"],
      ["GET", "/firings"],
    ];
    for (const [method, path, json] of calls) {
      const options = { headers: { "if-match": "*" }, ...(json !== undefined && { json }) };
      const codes = [
        code(await stranger.send(method, `/${id}${path}`, options)),
        code(await api.send(method, `/${nobody}${path}`, options)),
        code(await api.send(method, `/sch_1${path}`, options)),
      ];
      expect([method, path, codes]).toEqual([
        method,
        path,
        [
          [403, "forbidden"],
          [404, "not_found"],
          [400, "invalid_id"],
        ],
      ]);
    }
    expect(await api.get(id)).toMatchObject({ name: "Test", status: "active" });
  });
});

describe("a read", () => {
  test("with the current ETag has no body", async () => {
    const id = await api.made();
    const etag = (await api.send("GET", `/${id}`)).headers.get("etag")!;
    const again = await api.send("GET", `/${id}`, { headers: { "if-none-match": etag } });
    expect([again.status, again.text]).toEqual([304, ""]);
    await api.patch(id, { name: "Other" }, etag);
    const changed = await api.send("GET", `/${id}`, { headers: { "if-none-match": etag } });
    expect(changed.status).toBe(200);
  });
});

describe("a change", () => {
  test("needs the ETag that was read, and keeps the other fields", async () => {
    const id = await api.made({ jitter_seconds: 9, max_runs: 4 });
    const before = await api.send("GET", `/${id}`);
    const etag = before.headers.get("etag")!;
    expect(code(await api.send("PATCH", `/${id}`, { json: { name: "A" } }))).toEqual([
      428,
      "precondition_required",
    ]);
    const changed = await api.patch(id, { name: "A" }, etag);
    expect(changed.status, changed.text).toBe(200);
    expect(changed.json).toEqual({
      ...before.json,
      name: "A",
      updated_at: changed.json.updated_at,
    });
    const late = await api.patch(id, { name: "B" }, etag);
    expect(code(late)).toEqual([412, "precondition_failed"]);
    expect(late.headers.get("etag")).toBe(changed.headers.get("etag"));
    expect((await api.get(id)).name).toBe("A");
  });

  test("by two at once with one ETag is made once", async () => {
    const id = await api.made();
    const etag = (await api.send("GET", `/${id}`)).headers.get("etag")!;
    const replies = await Promise.all(["A", "B", "C"].map((name) => api.patch(id, { name }, etag)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412]);
    const won = replies.find(({ status }) => status === 200)!;
    expect((await api.get(id)).name).toBe(won.json.name);
  });

  test("between cron and interval names the new one alone", async () => {
    const id = await api.made({ cron: FAR_CRON });
    const timed = await api.patch(id, { interval_seconds: 3_600 });
    expect(timed.json).toMatchObject({ cron: null, interval_seconds: 3_600 });
    const back = await api.patch(id, { cron: "@daily", interval_seconds: null });
    expect(back.json).toMatchObject({ cron: "@daily", interval_seconds: null });
    for (const fields of [
      { cron: null },
      { cron: null, interval_seconds: null },
      { cron: "@daily", interval_seconds: 60 },
    ]) {
      const refused = await api.patch(id, fields);
      expect([code(refused), fieldsOf(refused)]).toEqual([[400, "validation_error"], ["cron"]]);
    }
    expect((await api.get(id)).cron).toBe("@daily");
  });

  test("is checked as a creation where it says something new", async () => {
    const id = await api.made();
    const inputs = await api.patch(id, { inputs: { no: { value: "1" } } });
    expect([code(inputs), fieldsOf(inputs)]).toEqual([
      [400, "validation_error"],
      ["inputs.no", "inputs.words"],
    ]);
    expect(code(await api.patch(id, { version: 9 }))).toEqual([400, "invalid_version"]);
    expect(code(await api.patch(id, { workflow: `wf_${"0".repeat(32)}` }))).toEqual([
      404,
      "workflow_not_found",
    ]);
    expect(
      (await api.patch(id, { admission_limits: { max_iterations_per_node: 4 } })).json,
    ).toMatchObject({ admission_limits: { max_iterations_per_node: 4 } });
    expect((await api.patch(id, { admission_limits: null })).json.admission_limits).toBeNull();
  });

  test("of the name is made also when the workflow is no longer published", async () => {
    const workflow = await publishedWorkflow(api.caller);
    const id = await api.made({ workflow });
    await call("POST", `/api/v1/workflows/${workflow}/archive`, { token: api.caller.token });
    expect((await api.patch(id, { name: "Kept" })).json.name).toBe("Kept");
    expect(code(await api.patch(id, { inputs: {} }))).toEqual([400, "workflow_not_published"]);
  });

  test("to another workflow moves it in lists", async () => {
    const id = await api.made();
    const workflow = await publishedWorkflow(api.caller);
    await api.patch(id, { workflow });
    const { json } = await api.send("GET", `?workflow=${workflow}`);
    expect(json.data.map((row: { id: string }) => row.id)).toEqual([id]);
  });

  test("of the end lets an ended schedule go on", async () => {
    const id = await api.made({ max_runs: 1 });
    await api.withStore(id, (store) => {
      store.advance({ ...store.clock, runs_started: 1, status: "ended" }, []);
    });
    expect(await api.get(id)).toMatchObject({ status: "ended", next_at: null });
    const resumed = await api.send("POST", `/${id}/resume`);
    expect(code(resumed)).toEqual([422, "invalid_state"]);
    expect((await api.patch(id, { name: "Still ended" })).json.status).toBe("ended");
    const changed = await api.patch(id, { max_runs: 2 });
    expect(changed.json).toMatchObject({ status: "active" });
    expect(changed.json.next_at).not.toBeNull();
    expect((await api.patch(id, { max_runs: 1 })).json).toMatchObject({
      status: "ended",
      next_at: null,
    });
  });
});

describe("a paused schedule", () => {
  test("has no next time until it is resumed; a repeat changes nothing", async () => {
    const id = await api.made();
    const paused = await api.send("POST", `/${id}/pause`);
    expect(paused.json).toMatchObject({ status: "paused", next_at: null });
    const again = await api.send("POST", `/${id}/pause`);
    expect([again.status, again.json]).toEqual([200, paused.json]);
    const resumed = await api.send("POST", `/${id}/resume`);
    expect(resumed.json).toMatchObject({ status: "active" });
    expect(resumed.json.next_at).not.toBeNull();
    expect((await api.send("POST", `/${id}/resume`)).json).toEqual(resumed.json);
  });

  test("is changed once for a key", async () => {
    const id = await api.made();
    const headers = { "idempotency-key": crypto.randomUUID() };
    await api.send("POST", `/${id}/pause`, { headers });
    await api.send("POST", `/${id}/resume`);
    const repeat = await api.send("POST", `/${id}/pause`, { headers });
    expect(repeat.headers.get("idempotency-replayed")).toBe("true");
    expect(repeat.json.status).toBe("active");
    const resume = { headers: { "idempotency-key": crypto.randomUUID() } };
    await api.send("POST", `/${id}/pause`);
    await api.send("POST", `/${id}/resume`, resume);
    await api.send("POST", `/${id}/pause`);
    const resumed = await api.send("POST", `/${id}/resume`, resume);
    expect([resumed.headers.get("idempotency-replayed"), resumed.json.status]).toEqual([
      "true",
      "paused",
    ]);
    for (const action of ["pause", "resume", "trigger"]) {
      const short = await api.send("POST", `/${id}/${action}`, {
        headers: { "idempotency-key": "short" },
      });
      expect([action, ...code(short)]).toEqual([action, 400, "invalid_idempotency_key"]);
    }
    expect(await api.runs(id)).toEqual([]);
  });
});

describe("a deleted schedule", () => {
  test("is gone, with its firings, and its object is empty", async () => {
    const id = await api.made();
    await api.send("POST", `/${id}/trigger`);
    const [run] = await api.runs(id);
    expect((await api.send("DELETE", `/${id}`)).status).toBe(204);
    for (const path of ["", "/firings"]) {
      expect(code(await api.send("GET", `/${id}${path}`))).toEqual([404, "not_found"]);
    }
    expect(code(await api.send("DELETE", `/${id}`))).toEqual([404, "not_found"]);
    await api.ring(id);
    expect(await tablesOf(id)).toEqual([]);
    expect((await api.runs(id)).map((each) => each["id"])).toEqual([run!["id"]]);
  });
});

describe("the object of a creation that was cut off", () => {
  test("starts nothing without its row, and forgets itself", async () => {
    const id = await api.made();
    await HOME_DB.prepare("DELETE FROM schedules WHERE id = ?").bind(id).run();
    await api.withStore(id, unconfirm);
    await api.age(id, 10 * 60_000);
    await api.ring(id);
    expect(await tablesOf(id)).not.toEqual([]);
    expect(await api.runs(id)).toEqual([]);
    await api.age(id, 10 * 60_000);
    await api.ring(id);
    expect(await tablesOf(id)).toEqual([]);
  });

  test("begins as soon as its row is there", async () => {
    const id = await api.made({ cron: "* * * * *" });
    await api.withStore(id, unconfirm);
    await api.age(id, 60_000);
    await api.ring(id);
    expect(await api.outcomes(id)).toEqual(["started"]);
  });
});

/** A workflow with a file in. */
async function withFile(): Promise<string> {
  return await publishedWorkflow(api.caller, {
    nodes: [
      { id: "in", type: "input/image", label: "Words", parameters: {} },
      { id: "out", type: "output/image", label: "Out", parameters: {} },
    ],
    connections: [{ from: { node: "in", port: "image" }, to: { node: "out", port: "image" } }],
  });
}

async function tablesOf(id: string): Promise<unknown[]> {
  return await runInDurableObject(api.stub(id), (_object, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'firing'").toArray(),
  );
}

function unconfirm(_store: unknown, sql: SqlStorage): void {
  sql.exec("DELETE FROM fact WHERE name = 'is_confirmed'");
}
