/** A run whose rows cannot be read gives back what it holds, and its outputs go when their time is over. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../../src/lib/result.ts";
import { workspaceObject } from "../../../src/storage/objects/workspace-object.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { CODES, drawn, report, RunFixture } from "./run-fixture.ts";

/** Leaves of every row of a run its beginning. */
async function damage(run: RunFixture): Promise<void> {
  await runInDurableObject(run.stub, (_object, { storage }) => {
    storage.sql.exec("UPDATE part SET v = substr(v, 1, 40)");
  });
  await evictDurableObject(run.stub);
}

const filesOf = async (run: RunFixture) =>
  (await env.FILES.list({ prefix: `${run.workspaceId}/runs/${run.runId}/` })).objects.length;

describe("a run whose rows are damaged", () => {
  it("while it is under way ends in its workspace, and says so to everybody", async () => {
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
    // A stranger's question changes nothing of it.
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

  it("loses its outputs, and its rows, when their retention is over", async () => {
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
    // Its workspace still knows how it ended.
    const workspace = workspaceObject({ env }, run.workspaceId);
    expect(await workspace.getRun(run.runId)).toMatchObject({ status: "completed" });
  });

  it("does not set its alarm for at once, again and again", async () => {
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
