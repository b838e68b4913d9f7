/** Runs that a group carries out, and what their own objects make of them (docs/decisions/run-groups.md). */
import { createHash } from "node:crypto";
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { RunObject } from "../../../durable-objects/run/run-object.ts";
import { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import { RunGroupObject } from "../../../durable-objects/run-group/run-group-object.ts";
import type {
  GroupedStart,
  KeptRun,
  RunGroupApi,
} from "../../../src/contracts/runs/run-group-api.ts";
import type { RunStart } from "../../../src/contracts/runs/run.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { runGroupOf } from "../../../src/storage/objects/run-group-object.ts";
import { workspaceObject } from "../../../src/storage/objects/workspace-object.ts";
import { type Caller, call, newCaller } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { BatchFixture, byItems, QUOTIENT } from "../batches/batch-fixture.ts";
import { CODES, definitionJson, RunFixture } from "./run-fixture.ts";

const QUICK = definitionJson({
  nodes: [
    { id: "by", type: "input/number", label: "By" },
    { id: "divide", type: "utility/calculate", parameters: { expression: "1 / b" } },
    { id: "out", type: "output/json", label: "Out" },
  ],
  links: ["by.number > divide.b", "divide.result > out.json"],
});
/** Rows, and a text, to a list of both. */
const WIDENS = definitionJson({
  nodes: [
    { id: "rows", type: "input/json", label: "Rows" },
    { id: "text", type: "input/text", label: "Text" },
    {
      id: "all",
      type: "aggregate/json",
      parameters: {
        jsonAggregateConfig: { columns: [{ inputPort: "row" }, { inputPort: "text" }] },
      },
    },
    { id: "out", type: "output/json", label: "Out" },
  ],
  links: ["rows.item > all.row", "text.text > all.text", "all.json > out.json"],
});

const BATCH = "bat_01a20d450e947f709e13a6101a826bf1";
const OF_BATCH = { origin: { batch: BATCH, batch_index: 0 } } as const;

const groups = env.RUN_GROUP as unknown as DurableObjectNamespace;
const stubOf = (runId: string) => groups.get(groups.idFromName(runGroupOf(runId)));
const groupOf = (runId: string) => stubOf(runId) as unknown as RunGroupApi;

const take = (run: RunFixture, begins = false) =>
  groupOf(run.runId).take({ v: 1, run_id: run.runId, begins });

async function startIn(run: RunFixture, start: RunStart) {
  const { definition_json, ...grouped } = start;
  const [end] = await groupOf(run.runId).startAll({ v: 1, definition_json, starts: [grouped] });
  return end;
}

/** A quick run, admitted and carried out by its group. */
async function groupedRun(by = 4, more: Partial<RunStart> = {}) {
  const run = new RunFixture();
  const start = await run.admitted(QUICK, { by }, { ...OF_BATCH, ...more });
  return { run, start, end: await startIn(run, start) };
}

/** The number of tables of the run's own object. */
const tablesOf = (run: RunFixture) =>
  runInDurableObject(run.stub, (_object, { storage }) =>
    storage.sql.exec("SELECT * FROM sqlite_master").toArray(),
  );

const filesOf = async (run: RunFixture) =>
  (await env.FILES.list({ prefix: `${run.workspaceId}/runs/${run.runId}/` })).objects;

describe("a quick run", () => {
  test("ends in its group, and its own object stores nothing until it is asked", async () => {
    const { run, start, end } = await groupedRun();
    expect(end).toMatchObject({ run_id: run.runId, status: "completed", is_unguarded: true });
    expect(JSON.parse(end!.outputs!)).toMatchObject({ entries: [expect.anything()], next: null });
    expect(await tablesOf(run)).toEqual([]);
    expect(await run.read()).toMatchObject({
      status: "completed",
      created_at: new Date(start.created_at_ms).toISOString(),
      batch: BATCH,
    });
    expect(await tablesOf(run)).toHaveLength(1);
    expect(await run.result()).toMatchObject({ result: { by_key: { out: { value: 0.25 } } } });
  });

  test("may have a fan-out of some rows", async () => {
    const run = new RunFixture();
    const rows = ["a", "b", "c"];
    const start = await run.admitted(WIDENS, { rows, text: "x" }, OF_BATCH);
    expect(await startIn(run, start)).toMatchObject({ status: "completed" });
    expect(await run.result()).toMatchObject({
      result: { by_key: { out: { value: rows.map((row) => ({ row, text: "x" })) } } },
    });
  });

  test("is the same to all callers as one of its own object", async () => {
    const caller = await newCaller();
    const workflow = await publishedWorkflow(caller, QUOTIENT);
    const batches = new BatchFixture(caller);
    const documents = await Promise.all(
      [4, 0].map(async (by) => {
        const inputs = byItems(by)[0]!.inputs;
        const single = await call("POST", "/api/v1/executions", {
          token: caller.token,
          json: { workflow, inputs },
          headers: { prefer: "wait=10" },
        });
        const alone: string = single.json.id;
        const begin = vi.spyOn(RunObject.prototype, "startOfBatch");
        const id = await batches.create({ workflow, items: byItems(by) });
        await batches.ended(id);
        expect(begin).not.toHaveBeenCalled();
        const grouped: string = (await batches.get(`/${id}/items/0`)).json.execution;
        return { alone: await documentsOf(caller, alone), of: await documentsOf(caller, grouped) };
      }),
    );
    for (const { alone, of } of documents) {
      expect(of).toEqual(alone);
    }
    expect(documents.map(({ of }) => of[0])).toEqual([
      expect.stringContaining('"status":"completed"'),
      expect.stringContaining("CALC_DIVISION_BY_ZERO"),
    ]);
  });

  test("belongs to its workspace", async () => {
    const { run } = await groupedRun();
    const asked = { ...run.request, workspace_id: "ws_other", if_none_match: null, wait_ms: 0 };
    expect(await run.api.read(asked)).toMatchObject({ ok: false, code: "forbidden" });
    const unknown = { ...run.request, if_none_match: null, wait_ms: 0 };
    expect(await new RunFixture().api.read(unknown)).toMatchObject({ code: "not_found" });
  });

  test("is settled once by a repeat of its start, though its batch was lost before it told the end", async () => {
    const { run, start, end } = await groupedRun();
    const workspace = workspaceObject({ env }, run.workspaceId);
    expect((await workspace.getRun(run.runId))?.status).not.toBe("completed");
    await evictDurableObject(stubOf(run.runId));
    const made = vi.spyOn(RunStore.prototype, "create");
    expect(unwrap(await run.api.start(start))).toMatchObject({ status: "completed" });
    await waitUntil("its end", async () => {
      return (await workspace.getRun(run.runId))?.status === "completed";
    });
    expect(made).not.toHaveBeenCalled();
    expect((await run.ended()).completed_at).toBe(new Date(end!.completed_at_ms).toISOString());
    expect(await startIn(run, start)).toBe(null);
  });

  test("is shown by each of the calls that can be the first", async () => {
    const firsts: readonly ((run: RunFixture) => Promise<unknown>)[] = [
      (run) => run.api.listItem(run.request).then(unwrap),
      (run) => run.api.readTrace(run.request).then(unwrap),
      (run) => run.api.outputs({ ...run.request, limit: null, starting_after: null }).then(unwrap),
      (run) => run.api.describeSource({ ...v(run), rerun: null }).then(unwrap),
      (run) => run.api.openSource({ ...v(run), holder: "run_0" }).then(unwrap),
      async (run) => {
        expect(await run.api.cancel(run.request)).toMatchObject({ code: "already_terminal" });
      },
      async (run) => {
        expect(await run.api.holdState(v(run))).toBe("gone");
      },
      (run) => run.api.audit(v(run)),
      (run) => run.api.promote({ v: 1 }),
      async (run) => {
        const request = encodeURIComponent(JSON.stringify({ ...run.request, last_event_id: null }));
        const events = await run.stub.fetch(`https://run/events?request=${request}`);
        expect(await events.text()).toContain("event: done");
      },
    ];
    for (const first of firsts) {
      const { run } = await groupedRun();
      await first(run);
      expect([String(first), await tablesOf(run)]).toEqual([String(first), [expect.anything()]]);
    }
  });
});

const v = (run: RunFixture) => ({ v: 1 as const, workspace_id: run.workspaceId });

describe("a run that does not end at once", () => {
  const long = Array.from({ length: 3_000 }, (_, at) => `text ${String(at)}`);
  const fans = definitionJson({
    nodes: [
      { id: "rows", type: "input/json", label: "Rows" },
      {
        id: "all",
        type: "aggregate/json",
        parameters: { jsonAggregateConfig: { columns: [{ inputPort: "row" }] } },
      },
      { id: "out", type: "output/json", label: "Out" },
    ],
    links: ["rows.item > all.row", "all.json > out.json"],
  });

  test.each([
    ["has a task", CODES, { rows: ["a"] }],
    ["has more elements than its first pieces of work", fans, { rows: long }],
    ["has a long input", fans, { rows: [["x".repeat(70_000)]] }],
    ["stores a long value", WIDENS, { rows: long.slice(0, 20), text: "x".repeat(4_000) }],
    ["does not compile", '{"nodes":[{"id":"a","type":"no/such"}],"connections":[]}', {}],
  ])(
    "because it %s begins in its own object, and leaves nothing",
    async (_, definition, inputs) => {
      const run = new RunFixture();
      const start = await run.admitted(definition, inputs, OF_BATCH);
      expect(await startIn(run, start)).toBe(null);
      expect(await take(run)).toBe(null);
      expect(await filesOf(run)).toEqual([]);
      expect(await tablesOf(run)).toEqual([]);
      expect(["pending", "running", "completed", "failed"]).toContain(
        unwrap(await run.api.start(start)).status,
      );
      expect(await take(run, true)).toBe(null);
    },
  );
});

describe("a group", () => {
  test("never carries out a run that its own object begins", async () => {
    const run = new RunFixture();
    const start = await run.admitted(QUICK, { by: 4 }, OF_BATCH);
    await run.api.start(start);
    const { completed_at } = await run.ended();
    // The call of the batch comes late.
    expect(await startIn(run, start)).toBe(null);
    await evictDurableObject(stubOf(run.runId));
    expect(await startIn(run, start)).toBe(null);
    expect(await take(run)).toBe(null);
    expect((await run.ended()).completed_at).toBe(completed_at);
  });

  test("starts nothing for a repeat of a call", async () => {
    const { run, start } = await groupedRun();
    const kept = await take(run);
    expect(await startIn(run, start)).toBe(null);
    expect(await take(run)).toEqual(kept);
  });

  test("lets the beginning of a run, and a reader, wait for a call that is carrying it out", async () => {
    const run = new RunFixture();
    const start = await run.admitted(QUICK, { by: 4 }, OF_BATCH);
    const runs = Array.from({ length: 9 }, (_, at) => ({
      ...start,
      run_id:
        at === 8 ? run.runId : `${run.runId.slice(0, -2)}${at === 0 ? "zz" : `y${String(at)}`}`,
    })).map(({ definition_json: _definition, ...grouped }): GroupedStart => grouped);
    const calls = await runInDurableObject(stubOf(run.runId), async (object) => {
      const group = object as unknown as RunGroupApi;
      const carried = group.startAll({ v: 1, definition_json: QUICK, starts: runs });
      const taken = group.take({ v: 1, run_id: run.runId, begins: true });
      const seen = await group.take({ v: 1, run_id: run.runId, begins: false });
      return { seen, taken: await taken, ends: await carried };
    });
    expect(calls.seen).toEqual(calls.taken);
    expect(calls.ends.map((end) => end?.status)).toEqual(Array(9).fill("completed"));
    expect(calls.taken).toMatchObject({ parts: expect.any(Array) });
  });

  test("keeps the other runs of a call in which the start of one throws", async () => {
    const run = new RunFixture();
    const start = await run.admitted(QUICK, { by: 4 }, OF_BATCH);
    const { definition_json, ...grouped } = start;
    const other = `${run.runId.slice(0, -2)}zz`;
    const broken = { ...grouped, run_id: other, inputs: [{ node_id: "by", value_json: "{" }] };
    const starts = [broken, grouped];
    const ends = await groupOf(run.runId).startAll({ v: 1, definition_json, starts });
    expect(ends.map((end) => end?.status ?? null)).toEqual([null, "completed"]);
    expect((await run.read()).status).toBe("completed");
    expect(await groupOf(other).take({ v: 1, run_id: other, begins: false })).toBe(null);
  });

  test("keeps the definition of a version once", async () => {
    const caller = await newCaller();
    const workflow = await publishedWorkflow(caller, QUOTIENT);
    const batches = new BatchFixture(caller);
    const id = await batches.create({ workflow, items: byItems(1, 2, 3, 4) });
    await batches.ended(id);
    const { data } = (await batches.get(`/${id}/items`)).json;
    const runs: string[] = data.map(({ execution }: { execution: string }) => execution);
    // Two groups if the batch's first number is one of the last of a group.
    const rows = await Promise.all(
      [...new Map(runs.map((run) => [runGroupOf(run), run])).values()].map((run) =>
        runInDurableObject(stubOf(run), (_object, { storage }) => ({
          definitions: storage.sql.exec("SELECT value FROM fact").toArray(),
          bodies: storage.sql.exec<{ body: string }>("SELECT body FROM run").toArray(),
        })),
      ),
    );
    for (const { definitions } of rows) {
      expect(definitions).toEqual([{ value: expect.stringContaining("connections") }]);
    }
    const bodies = rows.flatMap((row) => row.bodies);
    expect(bodies).toHaveLength(4);
    expect(JSON.stringify(bodies)).not.toContain("connections");
  });

  test("forgets a run whose outputs expire", async () => {
    const { run, end } = await groupedRun();
    const workspace = workspaceObject({ env }, run.workspaceId);
    await workspace.close(end!);
    expect(unwrap(await run.api.expireOutputs(v(run)))).toMatchObject({ state: "removed" });
    expect(await take(run)).toBe(null);
    const rows = await runInDurableObject(stubOf(run.runId), (_object, { storage }) =>
      storage.sql.exec("SELECT body FROM run").toArray(),
    );
    expect(rows).toEqual([{ body: "" }]);
    expect((await run.read()).status).toBe("completed");
  });
});

describe("a run of another version of the code", () => {
  let kept: KeptRun;

  beforeAll(async () => {
    const { run } = await groupedRun();
    kept = (await take(run))!;
  });

  beforeEach(() => {
    vi.restoreAllMocks();
  });

  const over = async (version: number) => {
    const { run } = await groupedRun();
    const own = (await take(run))!;
    vi.spyOn(RunGroupObject.prototype, "take").mockResolvedValue({ ...own, version });
    return run;
  };

  test("that is newer is left unchanged until that code is deployed", async () => {
    const run = await over(kept.version + 1);
    await expect(run.read()).rejects.toThrow("Deploy the newer code again");
    expect(await tablesOf(run)).toEqual([]);
    vi.restoreAllMocks();
    expect((await run.read()).status).toBe("completed");
  });

  test("that is older is migrated", async () => {
    const run = await over(kept.version - 1);
    expect((await run.read()).status).toBe("completed");
    const made = JSON.stringify(await tablesOf(run));
    expect(made).toContain(`schema ${String(kept.version - 1)}`);
    expect(made).toContain(`SELECT /* schema ${String(kept.version)} */`);
    await evictDurableObject(run.stub);
    expect((await run.read()).status).toBe("completed");
  });
});

/** What callers can read of a run, without what differs from run to run. */
async function documentsOf({ token }: Caller, id: string): Promise<string[]> {
  const paths = ["", "/result", "/trace", "/events", "?as_of_event=1-0", "/outputs"];
  const texts: string[] = [];
  for (const path of paths) {
    const { status, text } = await call("GET", `/api/v1/executions/${id}${path}`, { token });
    expect([path, status]).toEqual([path, 200]);
    texts.push(plain(text, id));
  }
  return texts;
}

function plain(text: string, id: string): string {
  return text
    .replaceAll(id, "RUN")
    .replaceAll(/"out_[0-9a-f]{12}_/g, '"out_')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0')
    .replaceAll(/"correlation_id":"[^"]*"/g, '"correlation_id":""')
    .replaceAll(/"(batch|batch_index|client_reference)":("[^"]*"|\d+|null)/g, '"$1":null');
}

test("the documents of a run are compared by what is in them", () => {
  const of = (text: string) => createHash("sha256").update(plain(text, "run_1")).digest("hex");
  expect(of('{"id":"run_1","duration_ms":3}')).toBe(of('{"id":"run_1","duration_ms":4}'));
  expect(of('{"id":"run_1","credits":3}')).not.toBe(of('{"id":"run_1","credits":4}'));
});
