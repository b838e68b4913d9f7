import { abortAllDurableObjects } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { call, type Caller, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { EventReader, parseEvents, type SentEvent } from "../../support/read-events.ts";
import { WorkspaceFixture } from "../workspace/workspace-fixture.ts";
import { CODED_DEFINITION, textsInput } from "./coded-workflow.ts";
import { failedOutcome, okOutcome, TaskRunner } from "./task-runner.ts";

let caller: Caller;
let coded: string;
let echo: string;

beforeAll(async () => {
  caller = await newCaller();
  coded = await publishedWorkflow(caller, CODED_DEFINITION);
  echo = await publishedWorkflow(caller);
});

async function submit(workflow: string, inputs: unknown): Promise<string> {
  const json = { workflow, inputs };
  const reply = await call("POST", "/api/v1/executions", { token: caller.token, json });
  expect(reply.status).toBe(202);
  return reply.json.id;
}

const eventsPath = (runId: string) => `/api/v1/executions/${runId}/events`;

/** Reads a stream as it arrives; `call` would wait for its end. */
async function watch(runId: string, lastEventId?: string): Promise<EventReader> {
  const headers: Record<string, string> = { authorization: `Bearer ${caller.token}` };
  if (lastEventId !== undefined) {
    headers["last-event-id"] = lastEventId;
  }
  const response = await exports.default.fetch(
    new Request(ORIGIN + eventsPath(runId), { headers }),
  );
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  return new EventReader(response.body!);
}

const isDone = (events: readonly SentEvent[]) => events.at(-1)?.event === "done";

const picture = okOutcome({
  image: new FileRef({ key: "k/x.png", name: "x.png", contentType: "image/png", sizeBytes: 3 }),
});

/** Runs three drawings to their end: two succeed, one fails without a retry. */
async function finish(runner: TaskRunner): Promise<void> {
  const tasks = await runner.claim();
  for (const [i, task] of tasks.entries()) {
    await runner.report(task, i === 1 ? failedOutcome("CODE_TOO_SMALL", "no") : picture);
  }
}

/** The events that must never be dropped. */
const kept = (events: readonly SentEvent[]) => events.filter(({ event }) => event !== "progress");

describe("the events of a run", () => {
  it("arrive as they are committed, report every node and output, and end with done", async () => {
    const runId = await submit(coded, textsInput(["a", "b", "c"]));
    const reader = await watch(runId);
    await reader.until((events) => events.some(({ event }) => event === "output"));
    expect(reader.events[0]).toMatchObject({
      id: "0-0",
      event: "status",
      data: { status: "pending", at: expect.stringMatching(/Z$/) },
    });
    expect(reader.events.some(({ event }) => event === "done")).toBe(false);
    await finish(new TaskRunner(runId));
    await reader.until(() => false);
    expect(reader.isOver).toBe(true);
    const { events } = reader;
    const statuses = events.filter(({ event }) => event === "status");
    expect(statuses.map(({ data }) => data.status)).toEqual([
      "pending",
      "running",
      "partial_success",
    ]);
    expect(events.at(-1)).toMatchObject({ event: "done", data: { status: "partial_success" } });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    const outputs = events.filter(({ event }) => event === "output").map(({ data }) => data);
    const drawn = outputs.filter((data) => data.node_id === "picture");
    expect(
      drawn.map((data) => `${data.input_indices.join(".")} ${data.presence}`).toSorted(),
    ).toEqual(["0 present", "1 missing", "2 present"]);
    expect(outputs.filter((data) => data.node_id === "echo")).toHaveLength(3);
    const draw = events.findLast(({ data }) => data.node_id === "draw")!;
    expect(draw.data).toMatchObject({
      state: "partial_success",
      total: 3,
      completed: 2,
      failed: 1,
    });
    const progress = events
      .filter(({ event }) => event === "progress")
      .map(({ data }) => data.progress);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(100);
  });

  it("resume after any event id, over a crash, without a loss", async () => {
    const runId = await submit(coded, textsInput(["a", "b", "c"]));
    const first = await watch(runId);
    await first.until((events) => events.length >= 4);
    await first.cancel();
    await finish(new TaskRunner(runId));
    const whole = await watch(runId);
    await whole.until(isDone);
    await abortAllDurableObjects();
    for (const [i, { id }] of whole.events.entries()) {
      if (i === whole.events.length - 1) {
        continue;
      }
      const rest = await watch(runId, id);
      await rest.until(isDone);
      expect(kept(rest.events)).toEqual(kept(whole.events.slice(i + 1)));
    }
    for (const last of first.events) {
      expect(whole.events.some(({ id }) => id === last.id) || last.event === "progress").toBe(true);
    }
    const over = await call("GET", eventsPath(runId), {
      token: caller.token,
      headers: { "last-event-id": whole.events.at(-1)!.id },
    });
    expect([over.status, over.text]).toEqual([204, ""]);
    const byQuery = await call(
      "GET",
      `${eventsPath(runId)}?last_event_id=${whole.events.at(-3)!.id}`,
      { token: caller.token },
    );
    expect(kept(parseEvents(byQuery.text))).toEqual(kept(whole.events.slice(-2)));
  });

  it("reject ids that the run has not issued", async () => {
    const runId = await submit(echo, { in: { value: '"x"' } });
    const reader = await watch(runId);
    await reader.until(isDone);
    const [seq, sub] = reader.events.at(-1)!.id.split("-").map(Number);
    for (const id of [
      "x",
      "1",
      "-1-0",
      "01-0",
      "1-",
      "1-0-0",
      "1e3-0",
      "0-1",
      `${seq}-${sub! + 1}`,
      `${seq! + 1}-0`,
      "999999999-0",
      "9".repeat(40),
      "9".repeat(4000),
      "1-0 OR 1=1",
    ]) {
      for (const options of [
        { headers: { "last-event-id": id } },
        { query: `?last_event_id=${encodeURIComponent(id)}` },
      ]) {
        const reply = await call("GET", eventsPath(runId) + (options.query ?? ""), {
          token: caller.token,
          headers: options.headers ?? {},
        });
        expect([id, reply.status, reply.json?.code]).toEqual([id, 400, "validation_error"]);
      }
    }
  });

  it("of unknown, malformed and other workspaces' runs are refused", async () => {
    const runId = await submit(echo, { in: { value: '"x"' } });
    const other = await newCaller();
    const get = (path: string, token = caller.token) => call("GET", path, { token });
    expect((await get(eventsPath(runId), other.token)).json.code).toBe("forbidden");
    expect((await get(eventsPath(`run_${"0".repeat(32)}`))).json.code).toBe("not_found");
    expect((await get(eventsPath("x"))).json.code).toBe("invalid_id");
  });

  it("reach every one of many clients that disconnect and reconnect, however often", async () => {
    const CLIENTS = 20;
    const runId = await submit(coded, textsInput(Array.from({ length: 12 }, (_, i) => `t${i}`)));
    let drops = 0;
    const follow = async (client: number) => {
      const seen: SentEvent[] = [];
      while (!isDone(seen)) {
        const reader = await watch(runId, seen.at(-1)?.id);
        const patience = 1 + ((client + seen.length) % 5);
        await reader.until((events) => events.length >= patience);
        seen.push(...reader.events);
        if (!isDone(seen)) {
          drops++;
          await reader.cancel();
        }
      }
      return seen;
    };
    const clients = Array.from({ length: CLIENTS }, (_, client) => follow(client));
    const runner = new TaskRunner(runId);
    for (const task of await runner.claim()) {
      await runner.report(task, picture);
      // Makes events that may be dropped in between.
      await scheduler.wait(10);
    }
    const all = await Promise.all(clients);
    const whole = await watch(runId);
    await whole.until(isDone);
    expect(drops).toBeGreaterThan(CLIENTS * 3);
    for (const seen of all) {
      expect(kept(seen)).toEqual(kept(whole.events));
    }
  });

  it("are pushed to an open stream when each is committed, independent of later events", async () => {
    const TASKS = 12;
    const runId = await submit(coded, textsInput(Array.from({ length: TASKS }, (_, i) => `t${i}`)));
    const reader = await watch(runId);
    const runner = new TaskRunner(runId);
    const tasks = await runner.claim();
    // Each task is reported only when the event of the previous one has been read. If events waited for a
    // heartbeat, this would take TASKS times 15 s and run into the test's time limit.
    for (const [i, task] of tasks.entries()) {
      await runner.report(task, picture);
      await reader.until(
        (events) =>
          events.filter(({ event, data }) => event === "output" && data.node_id === "picture")
            .length > i,
      );
    }
    await reader.until(isDone);
    expect(reader.text).not.toContain(": still here");
  });

  it("of a run refused for lack of credits consist of its end", async () => {
    const fixture = await new WorkspaceFixture().publish();
    const request = fixture.request({
      start: { workspace_id: caller.workspaceId, workflow_id: echo },
      exact_liability_milli_credits: 10 ** 12,
      idempotency: { key: "POST /api/v1/executions events-test", fingerprint: "f" },
    });
    const workspace = env.WORKSPACE.get(env.WORKSPACE.idFromName(caller.workspaceId));
    const outcome = await workspace.admit(request);
    expect(outcome).toMatchObject({ ok: true, value: { kind: "insufficient_credits" } });
    const runId = (outcome as { value: { run_id: string } }).value.run_id;
    const reply = await call("GET", eventsPath(runId), { token: caller.token });
    const events = parseEvents(reply.text);
    expect(events.map(({ event, data }) => [event, data.status])).toEqual([
      ["status", "failed"],
      ["done", "failed"],
    ]);
    const rest = await call("GET", `${eventsPath(runId)}?last_event_id=0-0`, {
      token: caller.token,
    });
    expect(parseEvents(rest.text)).toEqual(events.slice(1));
    const over = await call("GET", `${eventsPath(runId)}?last_event_id=0-1`, {
      token: caller.token,
    });
    expect(over.status).toBe(204);
    const trace = await call("GET", `/api/v1/executions/${runId}/trace`, { token: caller.token });
    expect(trace.json).toMatchObject({
      status: "failed",
      nodes: [
        { node_id: "in", state: "cancelled", attempt_count: 0 },
        { node_id: "out", state: "cancelled", attempt_count: 0 },
      ],
    });
  });
});
