import { describe, expect, it } from "vitest";
import { WorkspaceFixture } from "./workspace-fixture.ts";

async function workspaceWith(count: number) {
  const workspace = await new WorkspaceFixture().publish();
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    ids.push(await workspace.run());
  }
  return { workspace, newestFirst: ids.toReversed() };
}

describe("lists of runs", () => {
  it("show a run as soon as it is admitted, newest first, and its end as soon as it is reported", async () => {
    const { workspace, newestFirst } = await workspaceWith(3);
    const page = await workspace.list();
    expect(page.rows.map((row) => row.run_id)).toEqual(newestFirst);
    expect(page).toMatchObject({ has_more: false, total_count: 3 });
    expect(page.rows.every((row) => row.status === "pending")).toBe(true);
    await workspace.api.acknowledge({ v: 1, run_id: newestFirst[0]!, started_at_ms: Date.now() });
    await workspace.close(newestFirst[1]!);
    const statuses = (await workspace.list()).rows.map((row) => row.status);
    expect(statuses).toEqual(["running", "completed", "pending"]);
  });

  it("neither skip nor repeat a run while runs are added", async () => {
    const { workspace, newestFirst } = await workspaceWith(11);
    for (const limit of [1, 3, 4]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof workspace.list>> = await workspace.list({
          limit,
          starting_after: cursor,
        });
        seen.push(...page.rows.map((row) => row.run_id));
        await workspace.run();
        cursor = page.has_more ? (page.rows.at(-1)?.run_id ?? null) : null;
      } while (cursor !== null);
      expect(seen.slice(-11)).toEqual(newestFirst);
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  it("sort by a creation time that follows the order of admission", async () => {
    const workspace = await new WorkspaceFixture().publish();
    // Callers' clocks differ; the workspace's own clock decides.
    for (const skewMs of [5000, -5000, 0]) {
      await workspace.run({ start: { created_at_ms: Date.now() + skewMs } });
    }
    const times = (await workspace.list()).rows.map((row) => row.created_at_ms);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it("count all matches, on every page", async () => {
    const { workspace, newestFirst } = await workspaceWith(5);
    await workspace.close(newestFirst[0]!, 0, "failed");
    await workspace.close(newestFirst[3]!, 0, "failed");
    const page = await workspace.list({ status: "failed", limit: 1 });
    expect(page).toMatchObject({ has_more: true, total_count: 2 });
    const next = await workspace.list({
      status: "failed",
      limit: 1,
      starting_after: page.rows[0]!.run_id,
    });
    expect(next).toMatchObject({ has_more: false, total_count: 2 });
    expect(next.rows[0]!.run_id).toBe(newestFirst[3]);
    expect((await workspace.list({ workflow_id: "wf_other" })).total_count).toBe(0);
    expect((await workspace.list({ workflow_id: workspace.workflowId })).total_count).toBe(5);
  });

  it("filter by time, excluding both ends", async () => {
    const { workspace } = await workspaceWith(1);
    const at = (await workspace.list()).rows[0]!.created_at_ms;
    const count = async (filter: Parameters<typeof workspace.list>[0]) =>
      (await workspace.list(filter)).total_count;
    expect(await count({ created_after_ms: at - 1, created_before_ms: at + 1 })).toBe(1);
    expect(await count({ created_after_ms: at })).toBe(0);
    expect(await count({ created_before_ms: at })).toBe(0);
  });

  it("reject a cursor that is not a run of the workspace", async () => {
    const { workspace } = await workspaceWith(1);
    const result = await workspace.api.listRuns({
      limit: 25,
      starting_after: `run_${"0".repeat(32)}`,
      status: null,
      workflow_id: null,
      created_after_ms: null,
      created_before_ms: null,
    });
    expect(result).toMatchObject({ ok: false, code: "invalid_request" });
  });
});
