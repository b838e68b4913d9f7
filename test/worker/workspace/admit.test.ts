import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { WorkspaceObject } from "../../../durable-objects/workspace/workspace-object.ts";
import type { AdmitRunsRequest } from "../../../src/contracts/workspaces/admission.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { WorkspaceFixture } from "./workspace-fixture.ts";

const key = (fingerprint = "f") => ({ key: "POST /api/v1/executions key-0001", fingerprint });

describe("idempotent admission", () => {
  it("creates one run for twenty concurrent submits with one key", async () => {
    const workspace = await new WorkspaceFixture().publish();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => workspace.admit({ idempotency: key() })),
    );
    const admitted = outcomes.filter((outcome) => outcome.kind === "admitted");
    expect(admitted).toHaveLength(1);
    const runId = admitted[0]!.start.run_id;
    const others = outcomes.filter((outcome) => outcome.kind !== "admitted");
    expect(others).toEqual(
      Array.from({ length: 19 }, () => ({ kind: "replayed", run_id: runId, status_code: 202 })),
    );
    expect((await workspace.list()).total_count).toBe(1);
  });

  it("rejects another body under the same key, and creates nothing", async () => {
    const workspace = await new WorkspaceFixture().publish();
    await workspace.run({ idempotency: key("one") });
    expect(await workspace.admit({ idempotency: key("two") })).toEqual({
      kind: "idempotency_conflict",
    });
    expect((await workspace.list()).total_count).toBe(1);
  });

  it("replays although the workflow could no longer run", async () => {
    const workspace = await new WorkspaceFixture().publish();
    const runId = await workspace.run({ idempotency: key() });
    await workspace.publish({ status: "archived", seq: 2 });
    expect(await workspace.admit({ idempotency: key() })).toMatchObject({ run_id: runId });
    expect(await workspace.api.recall(key())).toMatchObject({ kind: "replayed", run_id: runId });
    expect(await workspace.api.recall(key("other"))).toEqual({ kind: "idempotency_conflict" });
    expect(await workspace.api.recall({ ...key(), key: "never used" })).toBeNull();
  });

  it("drops a key after 24 hours and not before", async () => {
    const workspace = await new WorkspaceFixture().publish();
    await workspace.run({ idempotency: key() });
    const age = (ms: number) =>
      runInDurableObject(workspace.stub, (_object, { storage }) => {
        storage.sql.exec("UPDATE runs SET created_at_ms = created_at_ms - ?", ms);
      });
    await age(24 * 3_600_000 - 60_000);
    expect((await workspace.admit({ idempotency: key() })).kind).toBe("replayed");
    await age(60_000);
    expect((await workspace.admit({ idempotency: key("other") })).kind).toBe("admitted");
    expect((await workspace.admit({ idempotency: key("other") })).kind).toBe("replayed");
    expect((await workspace.list()).total_count).toBe(2);
  });

  it("writes no record without a key", async () => {
    const workspace = await new WorkspaceFixture().publish();
    await workspace.run();
    const rows = await runInDurableObject(workspace.stub, (_object, state) =>
      state.storage.sql.exec("SELECT 1 FROM runs WHERE idempotency_key IS NOT NULL").toArray(),
    );
    expect(rows).toEqual([]);
  });
});

describe("the workflow's pointer", () => {
  it("rejects a submit that was checked against another version, and creates nothing", async () => {
    const workspace = await new WorkspaceFixture().publish({ version: 2 });
    const outcome = await workspace.admit();
    expect(outcome).toMatchObject({ kind: "stale_pointer", pointer: { version: 2 } });
    expect((await workspace.list()).total_count).toBe(0);
  });

  it("admits a pinned version that exists while the workflow is published", async () => {
    const workspace = await new WorkspaceFixture().publish({ version: 2 });
    expect((await workspace.admit({ is_pinned: true })).kind).toBe("admitted");
    const start = { workflow_version: 3 };
    expect((await workspace.admit({ is_pinned: true, start })).kind).toBe("stale_pointer");
    await workspace.publish({ status: "draft", version: 2, seq: 2 });
    expect((await workspace.admit({ is_pinned: true })).kind).toBe("stale_pointer");
  });

  it("is not undone by a late call", async () => {
    const workspace = await new WorkspaceFixture().publish({ version: 3, seq: 7 });
    await workspace.publish({ version: 2, seq: 6 });
    expect(await workspace.api.getWorkflowPointer(workspace.workflowId)).toMatchObject({
      version: 3,
    });
  });

  it("gives runs the workflow's name in the workspace", async () => {
    const workspace = await new WorkspaceFixture().publish({ name: "Renamed" });
    await workspace.run();
    expect((await workspace.list()).rows[0]?.workflow_name).toBe("Renamed");
  });

  it("is not removed while a run is live, and stays removed afterwards", async () => {
    const workspace = await new WorkspaceFixture().publish();
    const runId = await workspace.run();
    expect(await workspace.api.removeWorkflow(workspace.workflowId)).toEqual({
      kind: "executions_in_progress",
      live: 1,
    });
    await workspace.close(runId);
    expect(await workspace.api.removeWorkflow(workspace.workflowId)).toEqual({ kind: "removed" });
    await workspace.publish({ seq: 99 });
    expect(await workspace.api.getWorkflowPointer(workspace.workflowId)).toBeNull();
    expect((await workspace.admit()).kind).toBe("stale_pointer");
    expect((await workspace.list()).total_count).toBe(1);
  });
});

describe("slots", () => {
  it("makes runs beyond the plan's concurrency wait, and promotes them first in, first out", async () => {
    const workspace = await new WorkspaceFixture().publish();
    const admitted = [];
    for (let index = 0; index < 4; index++) {
      admitted.push(await workspace.admit({ max_concurrent_executions: 2 }));
    }
    expect(admitted.map((outcome) => outcome.kind === "admitted" && outcome.start.is_held)).toEqual(
      [false, false, true, true],
    );
    const ids = admitted.map((outcome) =>
      outcome.kind === "admitted" ? outcome.start.run_id : "",
    );
    const slots = () =>
      runInDurableObject(workspace.stub, (_object, state) =>
        state.storage.sql
          .exec<{ run_id: string; slot: number }>("SELECT run_id, slot FROM runs ORDER BY seq")
          .toArray()
          .map(({ run_id, slot }) => [ids.indexOf(run_id), slot]),
      );
    await workspace.close(ids[0]!);
    expect((await slots()).map(([, slot]) => slot === 1)).toEqual([false, false, false, true]);
    // A repeated close does not free a second slot.
    await workspace.close(ids[0]!);
    expect((await slots())[3]).toEqual([3, 1]);
    await workspace.close(ids[1]!);
    expect((await slots())[3]?.[1]).not.toBe(1);
  });

  it("gives waiting runs their slots when the plan grows, before later runs", async () => {
    const workspace = await new WorkspaceFixture().publish();
    await workspace.run({ max_concurrent_executions: 1 });
    const waiting = await workspace.run({ max_concurrent_executions: 1 });
    const later = await workspace.admit({ max_concurrent_executions: 2 });
    expect(later).toMatchObject({ start: { is_held: true } });
    const slot = await runInDurableObject(
      workspace.stub,
      (_object, state) =>
        state.storage.sql
          .exec<{ slot: number }>("SELECT slot FROM runs WHERE run_id = ?", waiting)
          .one().slot,
    );
    expect(slot).not.toBe(1);
  });
});

describe("several runs in one call", () => {
  const keyed = (name: string, fingerprint = "f") => ({
    idempotency: { key: `POST /api/v1/executions ${name}`, fingerprint },
  });
  async function admitRuns(
    workspace: WorkspaceFixture,
    mode: "each" | "all",
    runs: Parameters<WorkspaceFixture["request"]>[0][],
    max = 256,
  ) {
    const requests = runs.map((run) => workspace.request(run));
    const outcomes = unwrap(
      await workspace.api.admitRuns({
        v: 1,
        mode,
        max_concurrent_executions: max,
        monthly_milli_credits: 1000,
        runs: requests,
      }),
    );
    return { ids: requests.map(({ start }) => start.run_id), outcomes };
  }
  const kinds = (outcomes: readonly { readonly kind: string }[]) =>
    outcomes.map(({ kind }) => kind);

  it("are decided in order, each with its own key, credits, slot and outcome", async () => {
    const workspace = await new WorkspaceFixture().publish();
    const before = await workspace.run(keyed("before"));
    const { ids, outcomes } = await admitRuns(
      workspace,
      "each",
      [
        { ...keyed("first"), exact_liability_milli_credits: 700 },
        { ...keyed("before") },
        { exact_liability_milli_credits: 400 },
        { ...keyed("poor"), exact_liability_milli_credits: 400 },
        { ...keyed("first", "other") },
        { start: { workflow_version: 7 } },
        { exact_liability_milli_credits: 300 },
      ],
      2,
    );
    expect(outcomes).toMatchObject([
      { kind: "admitted", start: { run_id: ids[0], is_held: false, workflow_name: "Test" } },
      { kind: "replayed", run_id: before, status_code: 202 },
      { kind: "insufficient_credits", run_id: null, balance_milli_credits: 300 },
      { kind: "insufficient_credits", run_id: ids[3], balance_milli_credits: 300 },
      { kind: "idempotency_conflict" },
      { kind: "stale_pointer", pointer: { version: 1 } },
      { kind: "admitted", start: { run_id: ids[6], is_held: true } },
    ]);
    // The admitted runs, and the run that is committed as failed because it has a key.
    expect((await workspace.list()).rows.map(({ run_id: id }) => id)).toEqual([
      ids[6],
      ids[3],
      ids[0],
      before,
    ]);
    expect(await workspace.api.recall(keyed("poor").idempotency)).toMatchObject({
      status_code: 402,
    });
  });

  it("leave nothing if all were requested and one cannot be admitted", async () => {
    const workspace = await new WorkspaceFixture().publish();
    const before = await workspace.run(keyed("before"));
    const balance = await workspace.api.balance(1000);
    const { outcomes } = await admitRuns(workspace, "all", [
      { ...keyed("one"), exact_liability_milli_credits: 900 },
      keyed("one"),
      keyed("before"),
      { ...keyed("poor"), exact_liability_milli_credits: 900 },
    ]);
    expect(outcomes).toMatchObject([
      { kind: "withdrawn" },
      { kind: "withdrawn" },
      { kind: "replayed", run_id: before },
      { kind: "insufficient_credits", run_id: null },
    ]);
    expect((await workspace.list()).total_count).toBe(1);
    expect(await workspace.api.balance(1000)).toEqual(balance);
    expect(await workspace.api.countLiveRuns(null)).toBe(1);
    expect(await workspace.api.recall(keyed("one").idempotency)).toBeNull();
    const again = await admitRuns(workspace, "all", [keyed("one"), keyed("two")]);
    expect(kinds(again.outcomes)).toEqual(["admitted", "admitted"]);
    const replay = await admitRuns(workspace, "all", [keyed("one"), keyed("two")]);
    expect(kinds(replay.outcomes)).toEqual(["replayed", "replayed"]);
  });

  it("reports no run that was rolled back, also if a key is repeated within the call", async () => {
    const workspace = await new WorkspaceFixture().publish();
    const { outcomes } = await admitRuns(workspace, "all", [
      { ...keyed("poor"), exact_liability_milli_credits: 2_000 },
      { ...keyed("poor"), exact_liability_milli_credits: 2_000 },
    ]);
    const poor = { kind: "insufficient_credits", run_id: null, balance_milli_credits: 1_000 };
    expect(outcomes).toEqual([poor, poor]);
    expect((await workspace.list()).total_count).toBe(0);
  });

  it("are at most a hundred, and none has a start of more than 64 KiB", async () => {
    const workspace = await new WorkspaceFixture().publish();
    await runInDurableObject(workspace.stub, async (object) => {
      const api = object as WorkspaceObject;
      const figures = {
        v: 1,
        mode: "each",
        max_concurrent_executions: 9,
        monthly_milli_credits: 0,
      };
      const runs = Array.from({ length: 101 }, () => workspace.request());
      await expect(api.admitRuns({ ...figures, runs } as AdmitRunsRequest)).rejects.toThrow(
        ".runs must",
      );
      const inputs = [{ node_id: "in", value_json: JSON.stringify("x".repeat(80_000)) }];
      const long = workspace.request({ start: { inputs } });
      await expect(api.admit(long)).rejects.toThrow("too long for a row");
    });
    expect((await workspace.list()).total_count).toBe(0);
  });

  it("returns nothing that the caller sent", async () => {
    const workspace = await new WorkspaceFixture().publish();
    const inputs = [{ node_id: "in", value_json: JSON.stringify("x".repeat(30_000)) }];
    const outcome = await workspace.admit({ start: { inputs } });
    expect(JSON.stringify(outcome).length).toBeLessThan(300);
  });
});

describe("the rows of a run in the workspace", () => {
  /** Rows that the calls of one run write, counted by the storage for each statement. */
  async function rowsOf(
    more: Parameters<WorkspaceFixture["request"]>[0],
    tell: (object: WorkspaceObject, runId: string) => Promise<void>,
  ) {
    const workspace = await new WorkspaceFixture().publish();
    await workspace.close(await workspace.run({ exact_liability_milli_credits: 1 }));
    return await runInDurableObject(workspace.stub, async (instance, { storage }) => {
      const object = instance as WorkspaceObject;
      const { sql } = storage;
      const exec = sql.exec.bind(sql);
      const cursors: [string, SqlStorageCursor<Record<string, SqlStorageValue>>][] = [];
      sql.exec = ((text: string, ...values: unknown[]) => {
        // Only the last of several statements in one call would be counted.
        expect(text.replace(/;\s*$/, "")).not.toContain(";");
        const cursor = exec(text, ...values);
        cursors.push([text, cursor]);
        return cursor;
      }) as typeof sql.exec;
      const request = workspace.request(more);
      await object.admit(request);
      await tell(object, request.start.run_id);
      sql.exec = exec as typeof sql.exec;
      return cursors.reduce((sum, [, cursor]) => sum + cursor.rowsWritten, 0);
    });
  }
  const close = async (object: WorkspaceObject, runId: string) => {
    await object.close({
      v: 1,
      run_id: runId,
      status: "completed",
      progress: 100,
      settled_milli_credits: 0,
      error_code: null,
      error_message: null,
      started_at_ms: 1,
      completed_at_ms: 2,
    });
  };

  it("are four from its admission to its end with a key, and three without", async () => {
    expect(await rowsOf({ idempotency: key() }, close)).toBe(4);
    expect(await rowsOf({}, close)).toBe(3);
  });

  it("are one more for each label that it carries", async () => {
    const labels = { batch: "bat_1", client_reference: "order 7" };
    expect(await rowsOf({ labels }, close)).toBe(5);
  });

  it("are two more for a run that outlives its start", async () => {
    const rows = await rowsOf({}, async (object, runId) => {
      await object.acknowledge({ v: 1, run_id: runId, started_at_ms: 1 });
      await close(object, runId);
    });
    expect(rows).toBe(5);
  });
});
