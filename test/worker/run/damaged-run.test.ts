/** A run whose rows cannot be read releases its slot and reservation, and its outputs are deleted after their retention. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { RunAudit } from "../../../durable-objects/workspace/run-audit.ts";
import { WorkspaceOutbox } from "../../../durable-objects/workspace/workspace-outbox.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { workspaceObject } from "../../../src/storage/objects/workspace-object.ts";
import { activeEndpoint } from "../../support/active-endpoint.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { WorkspaceFixture } from "../workspace/workspace-fixture.ts";
import { CODES, drawn, report, RunFixture } from "./run-fixture.ts";

/** Truncates every row of a run. */
async function damage(run: RunFixture): Promise<void> {
  await runInDurableObject(run.stub, (_object, { storage }) => {
    storage.sql.exec("UPDATE part SET v = substr(v, 1, 40)");
  });
  await evictDurableObject(run.stub);
}

const filesOf = async (run: RunFixture) =>
  (await env.FILES.list({ prefix: `${run.workspaceId}/runs/${run.runId}/` })).objects.length;

describe("a run whose rows are damaged", () => {
  it("while it is live ends in its workspace, and reports it to all callers", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a", "b"] }, { reserved_milli_credits: 0 });
    const claim = await run.claim();
    await damage(run);
    const workspace = workspaceObject({ env }, run.workspaceId);
    expect(await workspace.countLiveRuns(null)).toBe(1);
    expect(await run.api.claim({ v: 1, chunk: 1, executor: "test" })).toBeNull();
    const reports = claim.tasks.map((task) => report(task, drawn("code.png")));
    expect(await run.api.report({ v: 1, reports })).toEqual({ cancel: true });
    expect(await run.api.heartbeat({ v: 1, tasks: claim.tasks })).toMatchObject({ cancel: true });
    // A read from another workspace changes nothing.
    const asked = { ...run.request, if_none_match: null, wait_ms: 0 };
    const stranger = { ...asked, workspace_id: "ws_00000000000000000000000000000001" };
    expect(await run.api.read(stranger)).toMatchObject({ ok: false, code: "not_found" });
    expect(await workspace.countLiveRuns(null)).toBe(1);
    expect(await run.api.result(asked)).toMatchObject({
      ok: false,
      code: "internal_error",
      message: expect.stringContaining("damaged"),
    });
    expect(await run.api.read(asked)).toMatchObject({ ok: false, code: "not_found" });
    await waitUntil("its place", async () => (await workspace.countLiveRuns(null)) === 0);
    expect(await workspace.getRun(run.runId)).toMatchObject({
      status: "failed",
      error_code: "INTERNAL_ERROR",
      error_message: expect.stringContaining("damaged"),
    });
    expect(await workspace.balance(null)).toMatchObject({ reserved_milli_credits: 0 });
  });

  it("loses its outputs, and its rows, after their retention", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a"] });
    const claim = await run.claim();
    for (const task of claim.tasks) {
      await env.FILES.put(`${task.file_prefix}code.png`, "x");
    }
    await run.api.report({
      v: 1,
      reports: claim.tasks.map((task) => report(task, drawn("code.png"))),
    });
    await run.ended();
    await damage(run);
    expect(await filesOf(run)).toBe(1);
    const request = { v: 1, workspace_id: run.workspaceId } as const;
    expect(unwrap(await run.api.expireOutputs(request))).toMatchObject({ state: "removed" });
    expect(await filesOf(run)).toBe(0);
    await runInDurableObject(run.stub, (_object, { storage }) => {
      expect(storage.sql.exec("SELECT name FROM sqlite_master").toArray()).toEqual([]);
    });
    expect(await run.api.expireOutputs(request)).toMatchObject({ ok: false, code: "not_found" });
    // Its workspace still has its end.
    const workspace = workspaceObject({ env }, run.workspaceId);
    expect(await workspace.getRun(run.runId)).toMatchObject({ status: "completed" });
  });

  it("does not set its alarm to fire immediately again and again", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a"] });
    await run.claim();
    await damage(run);
    await runInDurableObject(run.stub, async (object, { storage }) => {
      await object.alarm();
      expect(await storage.getAlarm()).toBeGreaterThan(Date.now() + 60_000);
      await storage.deleteAlarm();
    });
  });
});

describe("the webhook event of a damaged run", () => {
  const ask = (run: RunFixture) =>
    run.api.read({ ...run.request, if_none_match: null, wait_ms: 0 });

  /** The events that an endpoint has been given, as it will send them. */
  async function eventsOf(endpoint: Awaited<ReturnType<typeof activeEndpoint>>["endpoint"]) {
    const attempts = await endpoint.claim({ v: 1, max: 10 });
    return attempts.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }

  it("is sent once by its workspace, however often and in whatever way the run is asked", async () => {
    const run = new RunFixture();
    const { endpoint } = await activeEndpoint(run.workspaceId);
    await run.start(CODES, { rows: ["a"] });
    await run.claim();
    await damage(run);
    // Somebody who does not know its workspace ends nothing.
    expect(await run.api.claim({ v: 1, chunk: 1, executor: "test" })).toBeNull();
    const stranger = { ...run.request, workspace_id: "ws_00000000000000000000000000000001" };
    await run.api.read({ ...stranger, if_none_match: null, wait_ms: 0 });
    expect(await eventsOf(endpoint)).toEqual([]);
    await ask(run);
    const events = await waitUntil("the event", async () => {
      const sent = await eventsOf(endpoint);
      return sent.length > 0 ? sent : undefined;
    });
    expect(events).toMatchObject([
      {
        type: "com.svc.execution.finished.v1",
        subject: run.runId,
        data: {
          execution_id: run.runId,
          status: "failed",
          error_code: "INTERNAL_ERROR",
          error_message: expect.stringContaining("damaged"),
          outputs: [],
        },
      },
    ]);
    // An instance that does not know that it has given up closes the run again.
    await evictDurableObject(run.stub);
    await ask(run);
    await run.api.expireOutputs({ v: 1, workspace_id: run.workspaceId });
    const workspace = env.WORKSPACE.get(env.WORKSPACE.idFromName(run.workspaceId));
    await runInDurableObject(workspace, (object) => object.alarm?.());
    expect(await eventsOf(endpoint)).toEqual([]);
  });

  it("is sent by the next alarm of its workspace where the first attempt was lost", async () => {
    const run = new RunFixture();
    const { endpoint } = await activeEndpoint(run.workspaceId);
    await run.start(CODES, { rows: ["a"] });
    await run.claim();
    await damage(run);
    // As after a crash right after the commit.
    const sending = vi.spyOn(WorkspaceOutbox.prototype, "deliver").mockResolvedValue(false);
    await ask(run);
    const workspace = env.WORKSPACE.get(env.WORKSPACE.idFromName(run.workspaceId));
    await waitUntil("the attempt", () => Promise.resolve(sending.mock.calls.length > 0));
    expect(await eventsOf(endpoint)).toEqual([]);
    sending.mockRestore();
    await evictDurableObject(workspace);
    await runInDurableObject(workspace, (object) => object.alarm?.());
    expect(await eventsOf(endpoint)).toHaveLength(1);
  });

  it("is not sent a second time for a run that had ended", async () => {
    const run = new RunFixture();
    const { endpoint } = await activeEndpoint(run.workspaceId);
    await run.start(CODES, { rows: ["a"] });
    const { tasks } = await run.claim();
    await run.api.report({ v: 1, reports: tasks.map((task) => report(task, drawn("code.png"))) });
    await run.ended();
    const [own] = await waitUntil("its own event", async () => {
      const sent = await eventsOf(endpoint);
      return sent.length > 0 ? sent : undefined;
    });
    expect(own).toMatchObject({ data: { status: "completed" } });
    await damage(run);
    await ask(run);
    const workspace = env.WORKSPACE.get(env.WORKSPACE.idFromName(run.workspaceId));
    await runInDurableObject(workspace, (object) => object.alarm?.());
    expect(await eventsOf(endpoint)).toEqual([]);
  });
});

const AUDIT_MS = 600_000;

/** Makes all runs of a workspace older by two audits, wakes its object again and runs its alarm. */
async function audit({ workspaceId }: RunFixture): Promise<void> {
  const stub = env.WORKSPACE.get(env.WORKSPACE.idFromName(workspaceId));
  await runInDurableObject(stub, (_object, { storage }) => {
    storage.sql.exec("UPDATE runs SET created_at_ms = created_at_ms - ?", 2 * AUDIT_MS);
  });
  await evictDurableObject(stub);
  await runInDurableObject(stub, (object) => object.alarm?.());
}

/** The alarm of a workspace once it has nothing left to do. */
const alarmOf = ({ workspaceId }: RunFixture) =>
  runInDurableObject(env.WORKSPACE.get(env.WORKSPACE.idFromName(workspaceId)), (_o, { storage }) =>
    storage.getAlarm(),
  );

describe("a live run without callers", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** A run in progress with the reservation of two tasks, reported to its workspace. */
  async function underWay() {
    const run = new RunFixture();
    const workspace = workspaceObject({ env }, run.workspaceId);
    await run.start(CODES, { rows: ["a", "b"] });
    const { tasks } = await run.claim();
    await waitUntil(
      "its acknowledgement",
      async () => (await workspace.getRun(run.runId))?.status === "running",
    );
    const held = async () => ({
      live: await workspace.countLiveRuns(null),
      reserved: (await workspace.balance(null)).reserved_milli_credits,
    });
    return { run, workspace, tasks, held };
  }

  it.each([
    ["damaged", (run: RunFixture) => damage(run)],
    [
      "lost",
      async (run: RunFixture) => {
        await runInDurableObject(run.stub, (_object, { storage }) => storage.deleteAll());
        await evictDurableObject(run.stub);
      },
    ],
  ])("with rows that are %s releases its slot and reservation", async (_how, destroy) => {
    const { run, workspace, held } = await underWay();
    await destroy(run);
    // Shows that the check can fail: a workspace without the audit keeps both.
    vi.spyOn(RunAudit.prototype, "slotHolders").mockReturnValueOnce([]);
    await audit(run);
    expect(await held()).toEqual({ live: 1, reserved: 40 });
    await audit(run);
    expect(await held()).toEqual({ live: 0, reserved: 0 });
    expect(await workspace.getRun(run.runId)).toMatchObject({
      status: "failed",
      error_code: "INTERNAL_ERROR",
    });
  });

  it("that is healthy continues, and is checked again", async () => {
    const { run, workspace, tasks, held } = await underWay();
    const before = Date.now();
    await audit(run);
    expect(await held()).toEqual({ live: 1, reserved: 40 });
    const alarmMs = await alarmOf(run);
    expect(alarmMs).toBeGreaterThanOrEqual(before + AUDIT_MS);
    expect(alarmMs).toBeLessThanOrEqual(Date.now() + AUDIT_MS);
    const reports = tasks.map((task) => report(task, drawn("code.png")));
    await run.api.report({ v: 1, reports });
    await waitUntil("its end", async () => (await workspace.countLiveRuns(null)) === 0);
  });

  it("is found behind more such runs than are checked at once", async () => {
    const workspace = await new WorkspaceFixture().publish();
    const stub = workspace.stub;
    for (let runs = 0; runs < 25; runs++) {
      // None of them has an object: those that acknowledged their starts are gone.
      const run_id = await workspace.run();
      await workspace.api.acknowledge({ v: 1, run_id, started_at_ms: 1 });
    }
    await runInDurableObject(stub, (_object, { storage }) => {
      storage.sql.exec("UPDATE runs SET created_at_ms = created_at_ms - ?", 2 * AUDIT_MS);
    });
    await runInDurableObject(stub, (object) => object.alarm?.());
    expect(await workspace.api.countLiveRuns(null)).toBe(0);
  });
});
