/** [E47] Runs that look their own elements up in the result cache, on real objects: docs/contract/cache.md#hits. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { CacheEntry, CacheObjectApi } from "../../../src/contracts/runs/result-cache.ts";
import type { RunTasksApi } from "../../../src/contracts/runs/task.ts";
import { compile } from "../../../src/engine/compile/compile.ts";
import type { PlanNode } from "../../../src/engine/plan/plan.ts";
import { definitionDigest, receivedKey } from "../../../src/engine/reuse/cache-key.ts";
import { ReceivedHash } from "../../../src/engine/reuse/received-hash.ts";
import { encodeValue } from "../../../src/engine/values.ts";
import { findNodeType } from "../../../src/nodes/registry.ts";
import { call } from "../../support/api-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { RetryCaller } from "./retry-caller.ts";
import { failedOutcome, okOutcome, TaskRunner } from "./task-runner.ts";

interface Door {
  call(name: string, method: keyof CacheObjectApi, request: unknown): Promise<never>;
}

const DOOR = (env as unknown as { CACHE_DOOR: Door }).CACHE_DOOR;
const MAKER = `run_${"1".repeat(32)}`;
const link = (from: string, fromPort: string, to: string, toPort: string) => ({
  from: { node: from, port: fromPort },
  to: { node: to, port: toPort },
});
/** Two codes for each text, of which what was read from them is passed on. */
const CHECKED = {
  nodes: [
    ...CODES.nodes.filter(({ id }) => id !== "out"),
    { id: "more", type: "image/code", parameters: { symbology: "qr", size: 128 } },
    { id: "checks", type: "output/json", parameters: { key: "checks" } },
    { id: "others", type: "output/json", parameters: { key: "others" } },
  ],
  connections: [
    ...CODES.connections.filter(({ to }) => to.node !== "out"),
    link("rows", "text", "more", "text"),
    link("codes", "check", "checks", "json"),
    link("more", "check", "others", "json"),
  ],
};

const { plan } = compile(
  { interfaces: [], settings: {}, ...CHECKED } as Parameters<typeof compile>[0],
  findNodeType,
);
const node = (id: string): PlanNode => plan!.nodes.find((one) => one.id === id)!;

/** The entry that a run has kept of a code of this text. */
function entryOf(workspaceId: string, id: string, text: string): CacheEntry {
  const outputs = new Map(
    node(id).inputs.flatMap(({ sources }) => sources.map(({ port }) => [port, text] as const)),
  );
  const layout = { project: () => [0] } as never;
  const received = new ReceivedHash(node(id), layout)
    .add(0, () => ({ status: "ok", outputs }))
    .digest();
  return {
    key: receivedKey(workspaceId, definitionDigest(node(id)), received ?? ""),
    node_type: "image/code",
    workflow: `wf_${"1".repeat(32)}`,
    execution: MAKER,
    outputs: [{ port: "check", value: encodeValue({ of: `${id} ${text}` }) }],
    unread_ports: ["image", "svg"],
    digest: "made",
    milli_credits: 20,
    objects: [],
    bytes: 40,
  };
}

async function keep(caller: RetryCaller, entries: readonly CacheEntry[]): Promise<void> {
  const bounds = { ttl: 3_600, max_bytes: 2 ** 30, quota_bytes: null };
  const { workspaceId: workspace_id } = caller.caller;
  for (const [digit, theirs] of Map.groupBy(entries, ({ key }) => key.slice(0, 1))) {
    await DOOR.call(`${workspace_id}/${digit}`, "write", {
      v: 1,
      workspace_id,
      bounds,
      entries: theirs,
    });
  }
}

async function made(): Promise<{ caller: RetryCaller; submit: Submit; workspaceId: string }> {
  const caller = await RetryCaller.make();
  const workflow = await publishedWorkflow(caller.caller, CHECKED);
  const submit: Submit = (texts, cache = { mode: "read" }) =>
    caller.submitted({ workflow, inputs: { rows: { value: JSON.stringify(texts) } }, cache });
  return { caller, submit, workspaceId: caller.caller.workspaceId };
}
type Submit = (texts: readonly string[], cache?: object) => Promise<string>;

const texts = (count: number) => Array.from({ length: count }, (_, at) => `text ${at}`);
const figures = async ({ caller }: RetryCaller) =>
  (await call("GET", "/api/v1/cache", { token: caller.token })).json;

/** Whether any task of the run was ever on its way to a worker. */
async function wasHandedOut(id: string): Promise<boolean> {
  const run = env.RUN.get(env.RUN.idFromName(id)) as unknown as RunTasksApi;
  for (let chunk = 1; chunk < 20; chunk++) {
    if ((await run.claim({ v: 1, chunk, executor: "test" })) !== null) {
      return true;
    }
  }
  return false;
}

describe("a run whose elements are all kept", () => {
  test("of 1,000 texts and two nodes ends without a task, in several pages, at no cost, with the results of the other run", async () => {
    const { caller, submit, workspaceId } = await made();
    const all = texts(1_000);
    await keep(
      caller,
      all.flatMap((text) => ["codes", "more"].map((id) => entryOf(workspaceId, id, text))),
    );
    const id = await submit(all);
    while ((await caller.get(id)).json.completed_at === null) {
      expect(await wasHandedOut(id)).toBe(false);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const run = await caller.ended(id);
    expect(run).toMatchObject({ status: "completed", reused_iterations: 2_000 });
    expect(run.credits_used ?? 0).toBe(0);
    expect(await figures(caller)).toMatchObject({ hits: 2_000, misses: 0, credits_saved: 40 });
    const { json } = await caller.get(`${id}/outputs?limit=3`);
    expect(json.data.map(({ value }: { value: unknown }) => value)).toEqual(
      texts(3).map((text) => `{"of":"codes ${text}"}`),
    );
    const { json: page } = await caller.get(`${id}/trace/nodes/more/iterations?page_size=2`);
    const mark = { reused: { by: "cache", execution: MAKER }, attempt_count: 0, credits: 0 };
    expect(page.data).toMatchObject([mark, mark]);
  });

  test("takes each of them once, however often its object is lost on the way", async () => {
    const { caller, submit, workspaceId } = await made();
    const all = texts(300);
    await keep(
      caller,
      all.flatMap((text) => ["codes", "more"].map((id) => entryOf(workspaceId, id, text))),
    );
    const id = await submit(all);
    const stub = env.RUN.get(env.RUN.idFromName(id));
    for (let times = 0; times < 3; times++) {
      await evictDurableObject(stub);
      await caller.get(id);
    }
    expect(await caller.ended(id)).toMatchObject({ status: "completed", reused_iterations: 600 });
    expect(await wasHandedOut(id)).toBe(false);
  });

  test("and are equal to others of the run, are looked up once and give them their marks", async () => {
    const { caller, submit, workspaceId } = await made();
    await keep(
      caller,
      ["codes", "more"].map((id) => entryOf(workspaceId, id, "a")),
    );
    const id = await submit(["a", "a", "a"]);
    expect(await caller.ended(id)).toMatchObject({ status: "completed", reused_iterations: 6 });
    expect(await figures(caller)).toMatchObject({ hits: 2, misses: 0 });
    const { json: page } = await caller.get(`${id}/trace/nodes/codes/iterations`);
    expect(
      page.data.map(({ reused }: { reused: { execution: string } }) => reused.execution),
    ).toEqual([MAKER, MAKER, MAKER]);
  });
});

describe("a run whose elements are kept in part", () => {
  test("gives workers only the others, told that they were looked up, and by what", async () => {
    const { caller, submit, workspaceId } = await made();
    const known = entryOf(workspaceId, "codes", "a");
    await keep(caller, [known]);
    const id = await submit(["a", "b"]);
    const runner = new TaskRunner(id);
    const tasks = await runner.claim();
    const places = tasks.map(({ node_id, indices }) => `${node_id} ${indices[0]}`).toSorted();
    expect(places).toEqual(["codes 1", "more 0", "more 1"]);
    for (const task of tasks) {
      const digest = definitionDigest(node(task.node_id));
      const { key } = entryOf(workspaceId, task.node_id, ["a", "b"][task.indices[0] ?? 9] ?? "");
      expect(receivedKey(workspaceId, digest, task.received ?? "")).toBe(key);
      await runner.report(task, okOutcome({ check: { made: 1 } }));
    }
    expect(await caller.ended(id)).toMatchObject({
      status: "completed",
      reused_iterations: 1,
      credits_used: 0.06,
    });
    expect(await figures(caller)).toMatchObject({ hits: 1, misses: 3 });
  });

  test("of another workspace, or too old for it, works everything out", async () => {
    const [mine, theirs] = [await made(), await made()];
    await keep(theirs.caller, [entryOf(theirs.workspaceId, "codes", "a")]);
    await keep(mine.caller, [entryOf(mine.workspaceId, "more", "a")]);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const id = await mine.submit(["a"], { mode: "read", max_age: 1 });
    const tasks = await new TaskRunner(id).claim();
    expect(tasks.map(({ node_id }) => node_id).toSorted()).toEqual(["codes", "more"]);
    const runner = new TaskRunner(id);
    for (const task of tasks) {
      await runner.report(task, failedOutcome("INVALID_INPUT", "no"));
    }
    expect(await mine.caller.ended(id)).toMatchObject({ reused_iterations: 0 });
  });
});
