import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../../src/lib/result.ts";
import {
  CHUNK_RUNS,
  RunColumns,
  statusCode,
} from "../../../durable-objects/workspace/run-columns.ts";
import version1 from "../../golden/databases/workspace-1.sql?raw";
import version2 from "../../golden/databases/workspace-2.sql?raw";
import version3 from "../../golden/databases/workspace-3.sql?raw";
import version4 from "../../golden/databases/workspace-4.sql?raw";
import { WorkspaceFixture } from "./workspace-fixture.ts";

const FIRST = "wf_00000000000000000000000000000001";
const SECOND = "wf_00000000000000000000000000000002";
/** The time at which the fixture's last run was admitted. */
const TAKEN_MS = 1_795_342_565_791;

const run = (number: number) => `run_${String(number).padStart(32, "0")}`;
const key = (number: number) => ({
  key: `POST /api/v1/executions key-${String(number)}`,
  fingerprint: `fingerprint-${String(number)}`,
});

/** A workspace object that wakes over a past database. */
async function wokenOverDump(
  dump: string,
  change: (sql: SqlStorage) => void,
): Promise<WorkspaceFixture> {
  const workspace = new WorkspaceFixture();
  await runInDurableObject(workspace.stub, async (_object, { storage }) => {
    await storage.deleteAlarm();
    const made = storage.sql
      .exec<{ type: string; name: string }>(
        `SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view')
           AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf%' ESCAPE '\\'`,
      )
      .toArray();
    for (const { type, name } of made) {
      storage.sql.exec(`DROP ${type} ${name}`);
    }
    storage.sql.exec(dump.trimEnd());
    change(storage.sql);
  });
  await evictDurableObject(workspace.stub);
  return workspace;
}

/** A workspace object that wakes over the fixture of the first version, as if it had just been written. */
async function wokenOver(change = ""): Promise<WorkspaceFixture> {
  // A month's credits lapse with it: the account and the holds are of the current one.
  const thisMonth = version1.replaceAll("'2026-11'", `'${new Date().toISOString().slice(0, 7)}'`);
  return await wokenOverDump(thisMonth, (sql) => {
    const later = Date.now() - TAKEN_MS;
    sql.exec("UPDATE runs SET created_at_ms = created_at_ms + ?", later);
    sql.exec("UPDATE starts SET due_at_ms = due_at_ms + ?", later + 3_600_000);
    sql.exec(change === "" ? "SELECT 1" : change);
  });
}

function select<T>(workspace: WorkspaceFixture, statement: string): Promise<T[]> {
  return runInDurableObject(
    workspace.stub,
    (_object, { storage }) => storage.sql.exec(statement).toArray() as T[],
  );
}

describe("a workspace of the first version", () => {
  it("lists its runs as before, by every filter", async () => {
    const workspace = await wokenOver();
    const { rows, total_count: total } = await workspace.list();
    expect(total).toBe(9);
    expect(rows.map(({ run_id: id, status }) => [id, status])).toEqual(
      [
        [9, "pending"],
        [8, "pending"],
        [7, "pending"],
        [6, "completed"],
        [5, "failed"],
        [4, "cancelling"],
        [3, "running"],
        [2, "failed"],
        [1, "completed"],
      ].map(([number, status]) => [run(Number(number)), status]),
    );
    expect(rows.at(-1)?.outputs_expired_at_ms).not.toBeNull();
    expect(rows[4]).toMatchObject({ error_code: "insufficient_credits", credits_used_milli: 0 });
    expect((await workspace.list({ workflow_id: SECOND })).total_count).toBe(2);
    const failed = await workspace.list({ workflow_id: FIRST, status: "failed", limit: 1 });
    expect([failed.rows[0]?.run_id, failed.total_count, failed.has_more]).toEqual([
      run(5),
      2,
      true,
    ]);
    expect(await workspace.api.countLiveRuns(null)).toBe(5);
    expect(await workspace.api.countLiveRuns(SECOND)).toBe(1);
  });

  it("keeps every idempotency key with its outcome", async () => {
    const workspace = await wokenOver();
    const recalled = (number: number) => workspace.api.recall(key(number));
    expect(await Promise.all([1, 3, 5, 7, 2].map(recalled))).toEqual([
      { kind: "replayed", run_id: run(1), status_code: 202 },
      { kind: "replayed", run_id: run(3), status_code: 202 },
      { kind: "replayed", run_id: run(5), status_code: 402 },
      { kind: "replayed", run_id: run(7), status_code: 202 },
      null,
    ]);
  });

  it("repeats the starts that had not been acknowledged, including that of an ended run with a receiver", async () => {
    const workspace = await wokenOver();
    const kept = await select<{ run_id: string; attempts: number; start: string }>(
      workspace,
      "SELECT run_id, attempts, start FROM runs INDEXED BY runs_due WHERE due_at_ms IS NOT NULL",
    );
    expect(kept.map(({ run_id: id }) => id).toSorted()).toEqual([run(6), run(7), run(8)]);
    for (const { run_id: id, start } of kept) {
      expect(JSON.parse(start)).toMatchObject({ run_id: id, workspace_id: expect.any(String) });
    }
    await workspace.api.acknowledge({ v: 1, run_id: run(7), started_at_ms: Date.now() });
    await workspace.api.acknowledge({ v: 1, run_id: run(6), started_at_ms: null });
    expect(await select(workspace, "SELECT run_id FROM runs WHERE start IS NOT NULL")).toEqual([
      { run_id: run(8) },
    ]);
    expect((await workspace.api.getRun(run(6)))?.status).toBe("completed");
  });

  it("keeps the start that was too long for a row", async () => {
    const workspace = await wokenOver(
      `UPDATE starts SET body = substr(body, 1, 40) WHERE run_id = '${run(8)}';
       INSERT INTO starts SELECT run_id, 1, 'the rest', due_at_ms, 0 FROM starts WHERE run_id = '${run(8)}';`,
    );
    expect(await select(workspace, `SELECT start FROM runs WHERE run_id = '${run(8)}'`)).toEqual([
      { start: "" },
    ]);
    const pieces = "SELECT piece, body FROM start_pieces";
    expect(await select(workspace, pieces)).toEqual([
      { piece: 0, body: expect.stringContaining('{"v":1,"run_id"') },
      { piece: 1, body: "the rest" },
    ]);
    await workspace.close(run(8));
    expect(await select(workspace, pieces)).toEqual([]);
  });

  it("gives free slots to waiting runs, first in, first out", async () => {
    const workspace = await wokenOver();
    const slots = async () =>
      await select<{ run_id: string; slot: number }>(
        workspace,
        "SELECT run_id, slot FROM runs WHERE phase < 2 AND slot <> 0",
      );
    expect(await slots()).toEqual([
      { run_id: run(8), slot: 1 },
      { run_id: run(9), slot: 1 },
    ]);
    await workspace.close(run(4));
    expect((await slots())[0]).toEqual({ run_id: run(8), slot: 2 });
    expect((await slots())[1]).toEqual({ run_id: run(9), slot: 1 });
  });

  it("has its credits to the milli-credit, and settles holds of runs", async () => {
    const workspace = await wokenOver();
    expect(await workspace.api.balance(1000)).toEqual({
      balance_milli_credits: 3870,
      monthly_milli_credits: 0,
      granted_milli_credits: 3870,
      reserved_milli_credits: 1510,
      spent_this_month_milli_credits: 620,
    });
    const page = unwrap(await workspace.api.listLedger(3, null));
    expect(page.entries.map(({ id, kind }) => [id, kind])).toEqual([
      ["8", "reserve"],
      ["7", "settle"],
      ["6", "reserve"],
    ]);
    expect(page.total_count).toBe(8);
    await workspace.close(run(3), 600);
    await workspace.close(run(9), 0);
    expect(await workspace.api.balance(1000)).toMatchObject({
      balance_milli_credits: 5280,
      reserved_milli_credits: 0,
      spent_this_month_milli_credits: 720,
    });
    expect(unwrap(await workspace.api.listLedger(1, null)).total_count).toBe(11);
  });

  it("continues deleting outputs", async () => {
    const workspace = await wokenOver();
    expect(await select(workspace, "SELECT expired_through FROM settings")).toEqual([
      { expired_through: 1 },
    ]);
    expect(await select(workspace, "SELECT next_at_ms FROM retention")).toHaveLength(1);
  });

  it("continues to admit and count, also with thousands of runs and older tables", async () => {
    const workspace = await wokenOver(`
      DROP INDEX runs_kept; ALTER TABLE runs DROP COLUMN outputs_expired_at_ms;
      DROP TABLE owner; DROP TABLE retention;
      INSERT INTO runs
        WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        SELECT i, printf('run_%032d', i), iif(i % 3 = 0, '${FIRST}', '${SECOND}'), 'Test', 1, NULL,
          iif(i % 7 = 0, 'failed', 'completed'), 100, 0, NULL, NULL, 1895342565791 + i, NULL,
          1895342565791 + i, 2, 0 FROM n;`);
    await workspace.publish();
    expect(await select(workspace, "SELECT n FROM run_chunks")).toEqual([{ n: 0 }, { n: 1 }]);
    await workspace.run();
    const counted = async (filter: Parameters<typeof workspace.list>[0]) =>
      (await workspace.list(filter)).total_count;
    expect(await counted({})).toBe(3001);
    // 2 of the fixture, and every multiple of 7 from 14 to 2,996.
    expect(await counted({ status: "failed" })).toBe(2 + 427);
    expect(await counted({ status: "failed", workflow_id: FIRST })).toBe(2 + 142);
    expect(await counted({ workflow_id: workspace.workflowId })).toBe(1);
  });
});

describe("a workspace of the second version", () => {
  it("knows how often each label occurs in chunks that were stored before", async () => {
    const workspace = await wokenOverDump(version2, (sql) => {
      sql.exec(`
        INSERT INTO run_workflows (workflow_id) VALUES ('${FIRST}'), ('${SECOND}');
        INSERT INTO runs (seq, run_id, workflow, workflow_id, workflow_name, workflow_version,
            status, progress, created_at_ms, phase, slot, fresh_from, embed, client_reference)
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
          SELECT i, printf('run_%032d', i), 1 + i % 2, iif(i % 2, '${SECOND}', '${FIRST}'), 'Test', 1,
            iif(i % 7 = 0, 'failed', 'completed'), 100, ${String(TAKEN_MS)} + i, 2, 0, i,
            iif(i % 5 > 0, 'emb_main', iif(i % 100 = 0, 'emb_rare', NULL)), 'ref_' || i FROM n;`);
      for (const n of [0, 1]) {
        const columns = new RunColumns(n * CHUNK_RUNS + 1);
        for (let seq = columns.first; seq <= (n + 1) * CHUNK_RUNS; seq++) {
          columns.set(seq, 1 + (seq % 2), statusCode(seq % 7 === 0 ? "failed" : "completed"));
        }
        const { statuses, workflows } = columns.stored();
        sql.exec(
          "INSERT INTO run_chunks VALUES (?, ?, ?, ?)",
          n,
          columns.counts().pack(),
          statuses,
          workflows,
        );
      }
    });
    const counted = async (filter: Parameters<typeof workspace.list>[0]) =>
      (await workspace.list(filter)).total_count;
    expect(await counted({})).toBe(3000);
    expect(await select(workspace, "SELECT name, value, n, count FROM run_label_chunks")).toEqual([
      { name: "embed", value: "emb_main", n: 0, count: 820 },
      { name: "embed", value: "emb_main", n: 1, count: 819 },
    ]);
    expect(await counted({ labels: { embed: "emb_main" } })).toBe(2400);
    expect(await counted({ labels: { embed: "emb_rare" } })).toBe(30);
    expect(await counted({ labels: { client_reference: "ref_1500" } })).toBe(1);
    expect(await counted({ labels: { embed: "emb_main" }, status: "failed" })).toBe(
      Array.from({ length: 3000 }, (_, at) => at + 1).filter((i) => i % 5 > 0 && i % 7 === 0)
        .length,
    );
  });
});

describe("a workspace of the third version", () => {
  it("keeps its runs with their labels, and stores the origin of new ones", async () => {
    const workspace = await wokenOverDump(version3, () => {});
    const batch = "bat_01a203ce94b67dc49cf7c836526341a9";
    const { rows } = await workspace.list({ labels: { batch } });
    expect(rows).toMatchObject([
      { run_id: run(1), batch, client_reference: "row 1", origin: null },
    ]);
    expect((await workspace.list()).total_count).toBe(3);
    await workspace.publish();
    const origin = { batch, batch_index: 1 };
    const added = await workspace.run({ start: { origin }, labels: { batch } });
    await evictDurableObject(workspace.stub);
    const page = await workspace.list({ labels: { batch } });
    expect(page.rows.map(({ run_id: id, origin: stored }) => [id, stored])).toEqual([
      [added, '{"batch_index":1}'],
      [run(1), null],
    ]);
  });
});

describe("a workspace of the fourth version", () => {
  it("keeps its runs, and lists batches from now on", async () => {
    const workspace = await wokenOverDump(version4, () => {});
    expect((await workspace.list()).total_count).toBe(3);
    await workspace.publish();
    const entry = {
      batch_id: `bat_${"7".repeat(32)}`,
      workflow_id: workspace.workflowId,
      client_reference: null,
      created_at_ms: Date.now(),
      status: "pending",
    } as const;
    const request = { v: 1, entry, exact_milli_credits: null, idempotency: null } as const;
    for (let call = 0; call < 2; call++) {
      const outcome = await workspace.api.registerBatch({
        ...request,
        monthly_milli_credits: 0,
      });
      expect(outcome).toEqual({ kind: "registered" });
    }
    await evictDurableObject(workspace.stub);
    const filter = { limit: 5, starting_after: null, status: null, workflow_id: null };
    const dates = { client_reference: null, created_after_ms: null, created_before_ms: null };
    const page = await workspace.api.listBatches({ ...filter, ...dates });
    expect(page).toMatchObject({ value: { total_count: 1, rows: [entry] } });
  });
});
