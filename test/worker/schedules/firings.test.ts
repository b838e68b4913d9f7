/** docs/contract/schedules.md: firings, overlap, catch-up, triggers. */
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { call, operator, type Reply, requestToken } from "../../support/api-caller.ts";
import { ECHO_DEFINITION } from "../../support/published-workflow.ts";
import { ScheduleApi } from "../../support/schedules/schedule-api.ts";
import { waitUntil } from "../../support/wait-until.ts";

let api: ScheduleApi;
let live: ScheduleApi;

beforeAll(async () => {
  api = await ScheduleApi.make();
  live = await ScheduleApi.withLiveRuns();
});

const code = ({ status, json }: Reply) => [status, json?.code];
const trigger = (of: ScheduleApi, id: string, headers = {}) =>
  of.send("POST", `/${id}/trigger`, { headers });
const cancel = (of: ScheduleApi, run: unknown) =>
  call("POST", `/api/v1/executions/${String(run)}/cancel`, { token: of.caller.token });

describe("a time that has come", () => {
  test("starts a run that names the schedule and the time", async () => {
    const { id, times } = await api.slept(1);
    await api.ring(id);
    const [run, ...more] = await api.runs(id);
    expect(more).toEqual([]);
    expect(run).toMatchObject({ schedule: id, scheduled_for: times[0], workflow: api.workflow });
    const [firing] = await api.firings(id);
    expect(firing).toEqual({
      scheduled_for: times[0],
      due_at: times[0],
      fired_at: expect.stringMatching(/Z$/),
      outcome: "started",
      execution: run!["id"],
      error_code: null,
    });
    const schedule = await api.get(id);
    expect(schedule).toMatchObject({ status: "active", last_at: times[0], runs_started: 1 });
    expect(Date.parse(schedule.next_at) - Date.parse(times[0]!)).toBe(3_600_000);
  });

  test("comes by itself, and the last of max_runs ends the schedule", async () => {
    const id = await api.made({ interval_seconds: 1, overlap: "allow", max_runs: 2 });
    const schedule = await waitUntil("the end", async () => {
      const read = await api.get(id);
      return read.status === "ended" && read;
    });
    expect(schedule).toMatchObject({ next_at: null, runs_started: 2 });
    const runs = await api.runs(id);
    const fromMs = Date.parse(schedule.created_at);
    const seconds = runs.map((run) => (Date.parse(String(run["scheduled_for"])) - fromMs) / 1000);
    expect(new Set(seconds).size).toBe(2);
    expect(seconds.every((second) => Number.isInteger(second) && second >= 1)).toBe(true);
    const listed = await waitUntil("the list to have its end", async () => {
      const { json } = await api.send("GET", "?status=ended");
      return json.data.length > 0 && json.data;
    });
    expect(listed).toMatchObject([{ id, status: "ended" }]);
  });

  test("is the value of the time input", async () => {
    const { id, times } = await api.slept(1, { inputs: {}, scheduled_time_input: "words" });
    await api.ring(id);
    const [run] = await api.runs(id);
    const { json } = await waitUntil("the end of the run", async () => {
      const reply = await call("GET", `/api/v1/executions/${String(run!["id"])}/result`, {
        token: api.caller.token,
      });
      return reply.status === 200 && reply;
    });
    expect(json.result.by_key.said.value).toBe(times[0]);
  });

  test("is delayed by the jitter, which the id and the time decide", async () => {
    const { id, times } = await api.slept(3, { jitter_seconds: 1_800, overlap: "allow" });
    await api.ring(id);
    const firings = await api.firings(id);
    expect(firings.map((firing) => firing["scheduled_for"])).toEqual(times);
    for (const { scheduled_for, due_at } of firings) {
      const hash = await crypto.subtle.digest(
        "SHA-256",
        new TextEncoder().encode(`${id}|${String(scheduled_for)}`),
      );
      const delay = (new DataView(hash).getUint32(0) % 1_801) * 1000;
      expect(Date.parse(String(due_at)) - Date.parse(String(scheduled_for))).toBe(delay);
    }
  });

  test("starts a run after the key that made the schedule was revoked", async () => {
    const key = await operator("POST", "/admin/v1/api-keys", {
      workspace_id: api.caller.workspaceId,
      name: "To be revoked",
    });
    const token = await requestToken(key.json.client_id, key.json.client_secret);
    const own = new ScheduleApi({ ...api.caller, token: token.json.access_token }, api.workflow);
    const { id } = await own.slept(1);
    expect((await operator("DELETE", `/admin/v1/api-keys/${key.json.id}`)).status).toBe(204);
    await api.ring(id);
    expect(await api.outcomes(id)).toEqual(["started"]);
  });

  test("that is refused is a failed firing, and the schedule goes on", async () => {
    const own = await ScheduleApi.make();
    const { id } = await own.slept(1);
    await call("POST", `/api/v1/workflows/${own.workflow}/archive`, { token: own.caller.token });
    await own.ring(id);
    expect(await own.firings(id)).toMatchObject([
      { outcome: "failed", execution: null, error_code: "workflow_not_published" },
    ]);
    expect(await own.get(id)).toMatchObject({ status: "active", runs_started: 0, last_at: null });
  });

  test("without credits is a failed firing with its failed run", async () => {
    const own = await ScheduleApi.withLiveRuns({ max_credits_per_month: 0 });
    const { id } = await own.slept(1);
    await own.ring(id);
    const [run] = await own.runs(id);
    expect(run).toMatchObject({ status: "failed", error_code: "insufficient_credits" });
    expect(await own.firings(id)).toMatchObject([
      { outcome: "failed", execution: run!["id"], error_code: "insufficient_credits" },
    ]);
    expect(code(await trigger(own, id))).toEqual([402, "insufficient_credits"]);
  });

  test("while paused is never caught up", async () => {
    const { id } = await api.slept(3);
    await api.send("POST", `/${id}/pause`);
    await api.ring(id);
    await api.age(id, 3_600_000);
    await api.send("POST", `/${id}/resume`);
    await api.ring(id);
    expect(await api.runs(id)).toEqual([]);
    expect((await api.get(id)).status).toBe("active");
  });
});

describe("times at which nothing ran", () => {
  test.each([
    ["none", ["missed", "missed", "missed"]],
    ["latest", ["missed", "missed", "started"]],
    ["all", ["started", "started", "started"]],
  ])("with catch_up %s", async (catch_up, expected) => {
    const { id, times } = await api.slept(3, { catch_up, overlap: "allow" });
    await api.ring(id);
    const firings = await api.firings(id);
    expect(firings.map(({ outcome }) => outcome)).toEqual(expected);
    expect(firings.map((firing) => firing["scheduled_for"])).toEqual(times);
    expect(firings.map(({ fired_at }) => fired_at === null)).toEqual(
      expected.map((outcome) => outcome === "missed"),
    );
  });

  test("are caught up within the window only", async () => {
    const { id } = await api.slept(3, { overlap: "allow", catch_up_window_seconds: 3_600 });
    await api.ring(id);
    expect(await api.outcomes(id)).toEqual(["missed", "missed", "started"]);
  });

  test("include those of the seconds before the service began again", async () => {
    const id = await api.made({ cron: "0 0 1 1 *", catch_up: "none" });
    await api.withStore(id, (store) => {
      const dueMs = Date.now() - 5_000;
      store.advance(
        { ...store.clock, delayed: [{ nominal_ms: dueMs - 1_000, due_ms: dueMs }] },
        [],
      );
      store.noteBoot("an earlier start of the service");
    });
    await api.ring(id);
    expect(await api.outcomes(id)).toEqual(["missed"]);
  });
});

describe("a time at which an earlier run is live", () => {
  test.each([
    ["skip", ["started", "skipped_overlap", "skipped_overlap"], 1],
    ["queue", ["started", "queued", "skipped_overlap"], 1],
    ["allow", ["started", "started", "started"], 3],
  ])("with overlap %s", async (overlap, expected, runs) => {
    const { id } = await live.slept(3, { overlap });
    await live.ring(id);
    expect(await live.outcomes(id)).toEqual(expected);
    expect((await live.runs(id)).length).toBe(runs);
  });

  test("with overlap queue starts when that run has ended, and is one firing", async () => {
    const { id, times } = await live.slept(2, { overlap: "queue" });
    await live.ring(id);
    const [first] = await live.runs(id);
    await cancel(live, first!["id"]);
    await waitUntil("the queued start", async () => {
      await live.ring(id);
      return (await live.outcomes(id)).at(-1) === "started";
    });
    const runs = await live.runs(id);
    expect(runs.map(({ scheduled_for }) => scheduled_for)).toEqual(times);
    expect((await live.firings(id)).map(({ execution }) => execution)).toEqual(
      runs.map((run) => run["id"]),
    );
  });

  test("with overlap cancel_previous cancels that run and starts when it has ended", async () => {
    const { id, times } = await live.slept(2, { overlap: "cancel_previous" });
    await waitUntil("the second start", async () => {
      await live.ring(id);
      return (await live.runs(id)).length === 2;
    });
    const [first, second] = await live.runs(id);
    expect([first!["status"], first!["scheduled_for"]]).toEqual(["cancelled", times[0]]);
    expect([second!["completed_at"], second!["scheduled_for"]]).toEqual([null, times[1]]);
    expect(await live.outcomes(id)).toEqual(["started", "started"]);
  });

  test("which may have been triggered", async () => {
    const { id } = await live.slept(1);
    expect((await trigger(live, id)).status).toBe(202);
    await live.ring(id);
    expect(new Set(await live.outcomes(id))).toEqual(new Set(["triggered", "skipped_overlap"]));
  });
});

describe("a trigger", () => {
  test("starts a run, whatever the status, that max_runs does not count", async () => {
    const id = await api.made({ max_runs: 1 });
    const active = await trigger(api, id);
    expect(active.status, active.text).toBe(202);
    expect(active.json).toMatchObject({ schedule: id, workflow: api.workflow });
    await api.send("POST", `/${id}/pause`);
    const paused = await trigger(api, id);
    await api.withStore(id, (store) => {
      store.advance({ ...store.clock, status: "ended" }, []);
    });
    const ended = await trigger(api, id);
    const runs = [active, paused, ended].map(({ json }) => json);
    expect(new Set(runs.map((run) => run.id)).size).toBe(3);
    expect(await api.get(id)).toMatchObject({ runs_started: 0, last_at: null, status: "ended" });
    expect(await api.firings(id)).toMatchObject(
      runs.map((run) => ({
        outcome: "triggered",
        execution: run.id,
        scheduled_for: run.scheduled_for,
        due_at: run.scheduled_for,
        error_code: null,
      })),
    );
  });

  test("is made once for a key, also across a crash", async () => {
    const id = await api.made();
    const headers = { "idempotency-key": crypto.randomUUID() };
    const replies = await Promise.all([trigger(api, id, headers), trigger(api, id, headers)]);
    expect(replies.map(({ status }) => status)).toEqual([202, 202]);
    await abortAllDurableObjects();
    const again = await trigger(api, id, headers);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const ids = [...replies, again].map(({ json }) => json.id);
    expect(new Set(ids).size).toBe(1);
    expect((await api.runs(id)).length).toBe(1);
    expect(await api.outcomes(id)).toEqual(["triggered"]);
  });

  test("that is refused leaves nothing", async () => {
    const own = await ScheduleApi.make();
    const id = await own.made();
    await call("POST", `/api/v1/workflows/${own.workflow}/archive`, { token: own.caller.token });
    expect(code(await trigger(own, id))).toEqual([400, "workflow_not_published"]);
    await own.ring(id);
    expect(await own.firings(id)).toEqual([]);
    await call("DELETE", `/api/v1/workflows/${own.workflow}`, { token: own.caller.token });
    expect(code(await trigger(own, id))).toEqual([404, "workflow_not_found"]);
  });

  test("is refused for inputs that no longer fit the workflow", async () => {
    const own = await ScheduleApi.make();
    const id = await own.made();
    const path = `/api/v1/workflows/${own.workflow}`;
    const { token } = own.caller;
    await call("PUT", `${path}/definition`, {
      token,
      headers: { "if-match": "*" },
      json: JSON.parse(JSON.stringify(ECHO_DEFINITION).replace("Words", "Other words")),
    });
    expect((await call("POST", `${path}/publish`, { token })).status).toBe(200);
    expect(code(await trigger(own, id))).toEqual([400, "validation_error"]);
  });
});

describe("a start that was cut off after its run was made", () => {
  /** Puts the clock back to the moment before it knew the run. */
  async function forgetStart(id: string, atMs: number): Promise<void> {
    await api.withStore(id, (store, sql) => {
      sql.exec("DELETE FROM firing");
      const starting = { nominal_ms: atMs, due_ms: atMs, begun_ms: atMs };
      store.advance({ ...store.clock, starting, runs_started: 0, live: [] }, []);
    });
    await abortAllDurableObjects();
  }

  test("finds that run by its key, though the schedule has changed", async () => {
    const { id, times } = await api.slept(1);
    await api.ring(id);
    const before = await api.runs(id);
    await api.patch(id, { name: "Changed", inputs: { words: { value: '"other"' } } });
    await forgetStart(id, Date.parse(times[0]!));
    await api.ring(id);
    expect(await api.runs(id)).toEqual(before);
    expect(await api.firings(id)).toMatchObject([
      { outcome: "started", execution: before[0]!["id"] },
    ]);
    expect(await api.get(id)).toMatchObject({ runs_started: 1 });
  });

  test("finds that run in the index, days after its key was forgotten", async () => {
    const { id, times } = await api.slept(1);
    await api.ring(id);
    const before = await api.runs(id);
    const workspace = env.WORKSPACE.get(
      env.WORKSPACE.idFromName(api.caller.workspaceId),
    ) as unknown as DurableObjectStub;
    await runInDurableObject(workspace, (_object, { storage }) => {
      storage.sql.exec(
        "UPDATE runs SET idempotency_key = NULL, fingerprint = NULL WHERE run_id = ?",
        String(before[0]!["id"]),
      );
    });
    await forgetStart(id, Date.parse(times[0]!));
    await api.ring(id);
    expect(await api.runs(id)).toEqual(before);
    expect(await api.outcomes(id)).toEqual(["started"]);
  });

  test("makes its run if the attempt had made none, with another run of that time", async () => {
    const { id, times } = await api.slept(1);
    await api.ring(id);
    const first = await api.runs(id);
    const atMs = Date.parse(times[0]!);
    await api.withStore(id, (_store, sql) => {
      sql.exec("INSERT INTO trigger_call (key, at_ms) VALUES ('a call', ?)", atMs);
    });
    await api.ring(id);
    const both = await api.runs(id);
    expect(both).toHaveLength(2);
    expect(both.map(({ scheduled_for }) => scheduled_for)).toEqual([times[0], times[0]]);
    expect(await api.firings(id)).toMatchObject([
      { outcome: "started", execution: first[0]!["id"] },
      { outcome: "triggered" },
    ]);
  });
});

describe("the firings", () => {
  test("are the latest hundred, newest first, in pages", async () => {
    const id = await api.made();
    await api.withStore(id, (store) => {
      for (let i = 0; i < 130; i++) {
        const at = 1_795_000_000_000 + i;
        store.advance(store.clock, [
          {
            scheduled_for_ms: at,
            due_at_ms: at,
            fired_at_ms: null,
            outcome: "missed",
            execution: null,
            error_code: null,
          },
        ]);
      }
    });
    const list = async (query: string) => (await api.send("GET", `/${id}/firings${query}`)).json;
    const all = await list("?limit=100");
    expect([all.total_count, all.has_more]).toEqual([100, false]);
    const times = all.data.map((each: { due_at: string }) => Date.parse(each.due_at));
    expect(times).toEqual(Array.from({ length: 100 }, (_, i) => 1_795_000_000_129 - i));
    const first = await list("?limit=60");
    const second = await list(`?limit=60&starting_after=${first.next_cursor}`);
    expect([...first.data, ...second.data]).toEqual(all.data);
    expect(second).toMatchObject({ has_more: false, next_cursor: null });
    const refused = await api.send("GET", `/${id}/firings?starting_after=x`);
    expect(code(refused)).toEqual([400, "invalid_request"]);
  });
});
