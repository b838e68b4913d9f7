import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { RunIndex } from "../../../durable-objects/workspace/run-index.ts";
import type { WorkspaceObject } from "../../../durable-objects/workspace/workspace-object.ts";
import { WorkspaceStore } from "../../../durable-objects/workspace/workspace-store.ts";
import type { RunListFilter } from "../../../src/contracts/workspaces/admission.ts";
import { type RunStatus, RunStatus as Statuses } from "../../../src/contracts/runs/run.ts";
import { newId } from "../../../src/platform/ids.ts";
import { createdAtMs as at, FILL_RUNS, RUNS } from "../../support/tenant/half-million-runs.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { WorkspaceFixture } from "./workspace-fixture.ts";

const CHUNKS = Math.floor(RUNS / 1024);
const stub = env.WORKSPACE.get(env.WORKSPACE.idFromName(newId("workspace", Date.now())));

interface Asked {
  readonly total: number;
  readonly ids: readonly string[];
  readonly rowsRead: number;
  /** The tables and indexes that the statements of the list scan completely. */
  readonly scans: readonly string[];
}

const ALL: RunListFilter = {
  limit: 25,
  starting_after: null,
  status: null,
  workflow_id: null,
  created_after_ms: null,
  created_before_ms: null,
};

/** Lists runs as a caller whose object is awake, and counts the rows that the storage has read. */
async function ask(filter: Partial<RunListFilter>, isCold = false): Promise<Asked> {
  return await runInDurableObject(stub, (_object, { storage }) => {
    const { sql } = storage;
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    const statements: { text: string; values: unknown[] }[] = [];
    const watched = {
      exec: (text: string, ...values: unknown[]) => {
        const cursor = sql.exec(text, ...values);
        cursors.push(cursor);
        statements.push({ text, values });
        return cursor;
      },
    } as unknown as SqlStorage;
    const store = new WorkspaceStore(watched);
    if (!isCold) {
      store.list({ ...ALL, limit: 1 });
    }
    cursors.splice(0);
    statements.splice(0);
    const page = store.list({ ...ALL, ...filter })!;
    const plans = statements.flatMap(({ text, values }) =>
      sql.exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, ...values).toArray(),
    );
    return {
      total: page.total_count,
      ids: page.rows.map(({ run_id: id }) => id),
      rowsRead: cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0),
      scans: plans
        .map(({ detail }) => detail)
        .filter((detail) => /\bSCAN\b/.test(detail) && !detail.includes("SCAN json_each")),
    };
  });
}

/** The same list, from a scan of every run. */
async function askTheRows(filter: Partial<RunListFilter>) {
  const { status, workflow_id, created_after_ms, created_before_ms, limit, labels } = {
    ...ALL,
    ...filter,
  };
  return await runInDurableObject(stub, (_object, { storage }) => {
    const conditions = `(?1 IS NULL OR status = ?1) AND (?2 IS NULL OR workflow_id = ?2)
      AND (?3 IS NULL OR created_at_ms > ?3) AND (?4 IS NULL OR created_at_ms < ?4)
      ${Object.entries(labels ?? {})
        .map(([name, value]) => `AND +${name} = '${String(value)}'`)
        .join(" ")}`;
    const values = [status, workflow_id, created_after_ms, created_before_ms];
    return {
      total: storage.sql
        .exec<{ n: number }>(`SELECT count(*) AS n FROM runs WHERE ${conditions}`, ...values)
        .one().n,
      ids: storage.sql
        .exec<{ id: string }>(
          `SELECT run_id AS id FROM runs WHERE ${conditions} ORDER BY seq DESC LIMIT ?5`,
          ...values,
          limit,
        )
        .toArray()
        .map(({ id }) => id),
    };
  });
}

describe("lists of a workspace with 500,000 runs", () => {
  beforeAll(async () => {
    await runInDurableObject(stub, (_object, { storage }) => {
      storage.transactionSync(() => {
        storage.sql.exec(FILL_RUNS);
        new RunIndex(storage.sql).sealChunks();
      });
    });
  });

  const DATES = { created_after_ms: at(100_300), created_before_ms: at(400_700) };
  const cases: [string, Partial<RunListFilter>, number][] = [
    ["nothing", {}, 90],
    ["a status that most have", { status: "completed" }, 160],
    ["a status that few have", { status: "failed" }, 160],
    ["a status that only the oldest have", { status: "partial_success" }, 100 + CHUNKS],
    ["a status of live runs", { status: "pending" }, 90],
    ["a status that none has", { status: "cancelling" }, 100 + CHUNKS],
    ["a workflow that most are of", { workflow_id: "wf_main" }, 90],
    ["a workflow that ran once", { workflow_id: "wf_rare" }, 100 + CHUNKS],
    ["a workflow of the first day", { workflow_id: "wf_dawn" }, 100 + CHUNKS],
    ["a workflow that never ran", { workflow_id: "wf_none" }, 5],
    ["the time after which", { created_after_ms: at(250_000) }, 80 + CHUNKS],
    ["the time before which", { created_before_ms: at(250_000) }, 130 + CHUNKS],
    ["both times", DATES, 180 + CHUNKS],
    ["times in one minute", { created_after_ms: at(9_000), created_before_ms: at(9_012) }, 200],
    [
      "status, workflow and both times",
      { ...DATES, status: "completed", workflow_id: "wf_7" },
      200 + 2 * CHUNKS,
    ],
    [
      "status, workflow and both times, of a page of a hundred",
      { ...DATES, status: "failed", workflow_id: "wf_main", limit: 100 },
      400 + 2 * CHUNKS,
    ],
    [
      "status, workflow and both times that none is left of",
      { ...DATES, status: "cancelled", workflow_id: "wf_3" },
      200 + 2 * CHUNKS,
    ],
    ["status and workflow", { status: "failed", workflow_id: "wf_main" }, 160],
  ];

  it.each(cases)(
    "return %s exactly, and read no more than chunks and a page",
    async (_name, filter, rowsMax) => {
      const [{ total, ids, rowsRead, scans }, expected] = [
        await ask(filter),
        await askTheRows(filter),
      ];
      expect({ total, ids }).toEqual(expected);
      expect(scans).toEqual([]);
      expect(rowsRead).toBeLessThanOrEqual(rowsMax);
    },
  );

  it("return the first after an eviction of the object from the chunks and the tail", async () => {
    const cold = await ask({ status: "failed" }, true);
    expect(cold.total).toBe((await ask({ status: "failed" })).total);
    expect(cold.scans).toEqual([]);
    // Runs of the tail have not filled a chunk yet, or only recently.
    expect(cold.rowsRead).toBeLessThanOrEqual(CHUNKS + 1024 + 256 + 100);
  });

  it("page through matches without a gap or a repeat", async () => {
    const filter = { status: "partial_success", limit: 60 } as const;
    const seen: string[] = [];
    for (let from: string | null = null; ;) {
      const { ids }: Asked = await ask({ ...filter, starting_after: from });
      seen.push(...ids);
      if (ids.length < filter.limit) {
        break;
      }
      from = ids.at(-1)!;
    }
    expect(seen).toEqual((await askTheRows({ ...filter, limit: 1_000 })).ids);
  });

  const EMBED = { embed: "emb_main" };
  const labelled: [string, Partial<RunListFilter>, number][] = [
    ["a label of a hundred runs", { labels: { batch: "bat_500" } }, 2 * 100 + 60],
    ["a label of one run", { labels: { client_reference: "ref_250001" } }, 10],
    ["a label of no run", { labels: { client_reference: "ref_none" } }, 5],
    // The label's own chunks, and its runs in two chunks that mostly contain other runs.
    ["a label of 10,000 runs in a row", { labels: { batch: "bat_block" } }, 60 + 2 * 32 + 10],
    ["a label of four fifths of all runs", { labels: EMBED }, CHUNKS + 1_280 + 60],
    ["a label that is just too thin for chunks", { labels: { end_user_id: "user_thin" } }, 15_000],
    ["a label and a workflow that never ran", { labels: EMBED, workflow_id: "wf_none" }, 5],
    ["a label and a status", { labels: EMBED, status: "failed" }, 3 * CHUNKS + 1_300 + 100],
    ["a label and both times", { ...DATES, labels: EMBED }, 2 * CHUNKS + 100],
    ["two labels", { labels: { ...EMBED, schedule: "sch_often" } }, 4 * CHUNKS + 1_700 + 100],
    [
      "labels, status, workflow and both times",
      {
        ...DATES,
        status: "completed",
        workflow_id: "wf_main",
        labels: { ...EMBED, schedule: "sch_often", client_reference: "nightly" },
      },
      7 * CHUNKS + 100,
    ],
    [
      "a thin label and a status",
      { labels: { end_user_id: "user_thin" }, status: "failed" },
      15_000 + 3 * CHUNKS,
    ],
  ];

  it.each(labelled)(
    "return %s exactly, and read no index entry that a chunk counts",
    async (_name, filter, rowsMax) => {
      const [{ total, ids, rowsRead, scans }, expected] = [
        await ask(filter),
        await askTheRows(filter),
      ];
      expect({ total, ids }).toEqual(expected);
      expect(scans.filter((scan) => !scan.includes("gap"))).toEqual([]);
      expect(rowsRead).toBeLessThanOrEqual(rowsMax);
    },
  );

  it("page through runs with labels without a gap or a repeat", async () => {
    const filter = { labels: { batch: "bat_block" }, status: "failed", limit: 20 } as const;
    const seen: string[] = [];
    for (let from: string | null = null; ;) {
      const { ids }: Asked = await ask({ ...filter, starting_after: from });
      seen.push(...ids);
      if (ids.length < filter.limit) {
        break;
      }
      from = ids.at(-1)!;
    }
    expect(seen).toHaveLength(50);
    expect(seen).toEqual((await askTheRows({ ...filter, limit: 1_000 })).ids);
  });
});

describe("counts of runs", () => {
  async function compareCounts(workspace: WorkspaceFixture): Promise<void> {
    const shown: Record<string, number> = {};
    for (const status of Statuses.options) {
      shown[status] = (await workspace.list({ status, limit: 1 })).total_count;
    }
    const counted = await runInDurableObject(workspace.stub, (_object, { storage }) =>
      storage.sql
        .exec<{ status: RunStatus; n: number }>(
          "SELECT status, count(*) AS n FROM runs GROUP BY status",
        )
        .toArray(),
    );
    const expected = Object.fromEntries(Statuses.options.map((status) => [status, 0]));
    expect(shown).toEqual({
      ...expected,
      ...Object.fromEntries(counted.map(({ status, n }) => [status, n])),
    });
  }

  it("match the rows through admissions, changes, late ends and evictions", async () => {
    const workspace = await new WorkspaceFixture().publish();
    const random = new SeededRandom(11);
    const live: string[] = [];
    for (let round = 0; round < 15; round++) {
      const admitted = await Promise.all(
        Array.from({ length: 100 }, async () => {
          const runId = await workspace.run({ max_concurrent_executions: 10_000 });
          // Otherwise a list of live runs would wait for its report.
          await workspace.api.acknowledge({ v: 1, run_id: runId, started_at_ms: null });
          return runId;
        }),
      );
      live.push(...admitted);
      await Promise.all(
        // Half of the runs admitted last, and one that may be more than a chunk behind.
        [...live.splice(-50), ...live.splice(0, 1)].map(async (runId) => {
          if (random.chance(0.3)) {
            await workspace.api.acknowledge({ v: 1, run_id: runId, started_at_ms: 1 });
          }
          if (random.chance(0.9)) {
            await workspace.close(runId, 0, random.pick(["completed", "failed"]));
          }
        }),
      );
      if (random.chance(0.3)) {
        await evictDurableObject(workspace.stub);
      }
      await compareCounts(workspace);
    }
    const chunks = await runInDurableObject(workspace.stub, (_object, { storage }) =>
      storage.sql.exec("SELECT n FROM run_chunks").toArray(),
    );
    expect(chunks).toEqual([{ n: 0 }]);
  });

  it("match the rows again after a failed transaction", async () => {
    const workspace = await new WorkspaceFixture().publish();
    const first = await workspace.run({ max_concurrent_executions: 1 });
    await workspace.api.acknowledge({ v: 1, run_id: first, started_at_ms: 1 });
    await workspace.run({ max_concurrent_executions: 1 });
    await compareCounts(workspace);
    await runInDurableObject(workspace.stub, async (object, { storage }) => {
      const { sql } = storage;
      const exec = sql.exec.bind(sql);
      // The last statement of this transaction, after the run's end has been written and counted.
      sql.exec = ((text: string, ...values: unknown[]) => {
        if (text.includes("SET slot = 2")) {
          throw new Error("the disk is full");
        }
        return exec(text, ...values);
      }) as typeof sql.exec;
      const end = { settled_milli_credits: 0, error_code: null, error_message: null };
      const close = (object as WorkspaceObject).close({
        v: 1,
        run_id: first,
        status: "completed",
        progress: 100,
        started_at_ms: 1,
        completed_at_ms: 2,
        ...end,
      });
      await expect(close).rejects.toThrow("the disk is full");
      sql.exec = exec as typeof sql.exec;
    });
    await compareCounts(workspace);
    expect((await workspace.list({ status: "running" })).total_count).toBe(1);
    expect(await workspace.api.countLiveRuns(null)).toBe(2);
    await workspace.close(first);
    await compareCounts(workspace);
    expect(await workspace.api.countLiveRuns(null)).toBe(1);
  });
});
