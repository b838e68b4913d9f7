import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { WorkspaceObject } from "../../../durable-objects/workspace/workspace-object.ts";
import { WorkspaceFixture } from "./workspace-fixture.ts";

const key = (fingerprint = "f") => ({ key: "POST /api/v1/executions key-0001", fingerprint });

describe("idempotent admission", () => {
  it("makes one run of twenty submits at once with one key", async () => {
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

  it("refuses another body under the same key, and creates nothing", async () => {
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

  it("forgets a key after 24 hours and not before", async () => {
    const workspace = await new WorkspaceFixture().publish();
    await workspace.run({ idempotency: key() });
    const expiry = await runInDurableObject(workspace.stub, (_object, state) => {
      const { at } = state.storage.sql
        .exec<{ at: number }>("SELECT expires_at_ms AS at FROM idempotency")
        .one();
      state.storage.sql.exec("UPDATE idempotency SET expires_at_ms = ?", Date.now());
      return at;
    });
    expect(Math.abs(expiry - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
    expect((await workspace.admit({ idempotency: key("other") })).kind).toBe("admitted");
  });

  it("writes no record without a key", async () => {
    const workspace = await new WorkspaceFixture().publish();
    await workspace.run();
    const rows = await runInDurableObject(workspace.stub, (_object, state) =>
      state.storage.sql.exec("SELECT * FROM idempotency").toArray(),
    );
    expect(rows).toEqual([]);
  });
});

describe("the workflow's pointer", () => {
  it("turns back a submit that was checked against another version, and creates nothing", async () => {
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

  it("is not undone by a call that comes late", async () => {
    const workspace = await new WorkspaceFixture().publish({ version: 3, seq: 7 });
    await workspace.publish({ version: 2, seq: 6 });
    expect(await workspace.api.getWorkflowPointer(workspace.workflowId)).toMatchObject({
      version: 3,
    });
  });

  it("gives runs the workflow's name as the workspace knows it", async () => {
    const workspace = await new WorkspaceFixture().publish({ name: "Renamed" });
    await workspace.run();
    expect((await workspace.list()).rows[0]?.workflow_name).toBe("Renamed");
  });

  it("is not removed while a run is live, and stays removed once it is", async () => {
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
  it("holds what comes beyond the plan's concurrency and promotes first in, first out", async () => {
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
    // A repeated close frees nothing twice.
    await workspace.close(ids[0]!);
    expect((await slots())[3]).toEqual([3, 1]);
    await workspace.close(ids[1]!);
    expect((await slots())[3]?.[1]).not.toBe(1);
  });

  it("gives waiting runs their slots when the plan grows, before later ones", async () => {
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

describe("what an admission costs", () => {
  it("is at most a dozen rows, with a key and the alarm's copy of the start", async () => {
    const workspace = await new WorkspaceFixture().publish();
    await workspace.run();
    const written = await runInDurableObject(workspace.stub, async (object, state) => {
      const { sql } = state.storage;
      const exec = sql.exec.bind(sql);
      const statements: string[] = [];
      let rows = 0;
      sql.exec = ((...args: Parameters<typeof exec>) => {
        statements.push(args[0]);
        const cursor = exec(...args);
        rows += cursor.rowsWritten;
        return cursor;
      }) as typeof sql.exec;
      await (object as WorkspaceObject).admit(workspace.request({ idempotency: key() }));
      return { statements, rows };
    });
    expect(written.statements.length, written.statements.join("\n")).toBeLessThanOrEqual(6);
    expect(written.rows).toBeLessThanOrEqual(12);
  });
});
