/** docs/contract/cache.md: runs that take results from other runs, with real objects, rows and files. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, describe, test } from "vitest";
import { ChunkCache } from "../../../durable-objects/executor/chunk-cache.ts";
import { TaskInputs } from "../../../durable-objects/executor/task-inputs.ts";
import type { CacheObjectApi } from "../../../src/contracts/runs/result-cache.ts";
import type { RunTasksApi, TaskReport } from "../../../src/contracts/runs/task.ts";
import type { RunObjectApi } from "../../../src/contracts/runs/run-object-api.ts";
import type { TaskEnv } from "../../../src/platform/env.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { call } from "../../support/api-caller.ts";
import { CODES } from "../../support/paid-definitions.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { image, RetryCaller } from "./retry-caller.ts";
import { failedOutcome, okOutcome, TaskRunner } from "./task-runner.ts";

interface Door {
  call(name: string, method: keyof CacheObjectApi, request: unknown): Promise<never>;
}

/** The objects of the cache, which the runner holds. */
const CACHE = {
  idFromName: (name: string) => name,
  get: (name: string) =>
    new Proxy({} as Record<string, (request: unknown) => Promise<never>>, {
      get: (_target, method) => (request: unknown) =>
        (env as unknown as { CACHE_DOOR: Door }).CACHE_DOOR.call(
          name,
          method as keyof CacheObjectApi,
          request,
        ),
    }),
} as unknown as TaskEnv["CACHE"];

const mine = await RetryCaller.make();
const ON = { mode: "read_write" } as const;

function submit(caller: RetryCaller, texts: readonly string[], more: object = { cache: ON }) {
  const rows = { value: JSON.stringify(texts) };
  return caller.submitted({ workflow: caller.codes, inputs: { rows }, ...more });
}

/**
 * Works on all tasks of a run as an executor does: on so many codes, and on the outputs that copy the pictures of other runs.
 * Returns the indices of the codes. Each was looked up by the run before, and its executor asks for none.
 */
async function work(caller: RetryCaller, id: string, codes: number, copies = 0): Promise<number[]> {
  const runner = new TaskRunner(id);
  const run = env.RUN.get(env.RUN.idFromName(id)) as unknown as RunTasksApi;
  const worked: number[] = [];
  for (let done = 0; done < codes + copies;) {
    const { tasks, ...claim } = await runner.claimed();
    const cache = new ChunkCache(
      { FILES: env.FILES, CACHE } as unknown as TaskEnv,
      claim,
      createLogger({ worker: "test" }),
    );
    const reports = await Promise.all(
      tasks.map(async (task): Promise<TaskReport> => {
        const inputs = new TaskInputs(task.inputs);
        await inputs.load(env.FILES, caller.caller.workspaceId);
        const digest = inputs.digest ?? "";
        const isCode = task.node_type === "image/code";
        expect(typeof task.received).toBe(isCode && cache.uses(task) ? "string" : "undefined");
        expect(cache.uses(task) ? await cache.find(task, digest) : null).toBeNull();
        await env.FILES.put(`${task.file_prefix}code.png`, "png");
        if (isCode) {
          worked.push(task.indices[0] ?? -1);
        }
        const picture = { image: image("code.png") };
        const ok = okOutcome(isCode ? { ...picture, check: { text: "a" } } : picture);
        const outcome = typeof ok === "function" ? ok(task) : ok;
        const { task_id, fence } = task;
        const digests = { inputs: digest, outputs: "made" };
        return { task_id, fence, duration_ms: 7, outcome, digests };
      }),
    );
    const { accepted } = await run.report({ v: 1, reports });
    cache.write(reports, accepted);
    await cache.drain();
    done += tasks.length;
  }
  expect(worked).toHaveLength(codes);
  return worked.toSorted((a, b) => a - b);
}

const figures = async ({ caller }: RetryCaller) =>
  (await call("GET", "/api/v1/cache", { token: caller.token })).json;

describe("a run with cache", () => {
  test("takes what a run of the workspace has kept, at no cost, and marks it", async () => {
    const first = await submit(mine, ["t1", "t2"]);
    expect(await work(mine, first, 2)).toEqual([0, 1]);
    expect(await mine.ended(first)).toMatchObject({ status: "completed", credits_used: 0.04 });
    const second = await submit(mine, ["t2", "new"]);
    expect(await mine.reservedFor(second)).toBe(40);
    expect(await work(mine, second, 1, 1)).toEqual([1]);
    expect(await mine.ended(second)).toMatchObject({
      status: "completed",
      credits_used: 0.02,
      reused_iterations: 1,
    });
    const { json: page } = await mine.get(`${second}/trace/nodes/codes/iterations`);
    expect(page.data).toMatchObject([
      {
        reused: { by: "cache", execution: first },
        attempt_count: 0,
        retry_count: 0,
        credits: 0,
        duration_ms: null,
      },
      { reused: null, attempt_count: 1, credits: 0.02 },
    ]);
    const { json: trace } = await mine.get(`${second}/trace`);
    expect(trace.totals).toMatchObject({ credits: 0.02, credits_saved: 0.02 });
    // What the hit did not use of the worst case is released.
    const entries = await waitUntil("the end of the reservation", async () => {
      const own = (await mine.ledger()).filter(({ run }) => run === second);
      return own.some(({ kind }) => kind === "release") ? own : undefined;
    });
    expect(
      entries.map(({ kind, milli_credits: milli }) => `${kind} ${String(milli)}`).toSorted(),
    ).toEqual(["release 20", "reserve 40", "settle 20"]);
    expect(await figures(mine)).toMatchObject({
      entries: 3,
      hits: 1,
      misses: 3,
      credits_saved: 0.02,
    });
  });

  test("shares nothing with another workspace that has equal content", async () => {
    const [a, b] = [await RetryCaller.make(), await RetryCaller.make()];
    for (const caller of [a, b]) {
      const id = await submit(caller, ["equal"]);
      expect(await work(caller, id, 1)).toEqual([0]);
      expect(await caller.ended(id)).toMatchObject({ credits_used: 0.02, reused_iterations: 0 });
      expect(await figures(caller)).toMatchObject({ entries: 1, hits: 0 });
    }
    await call("DELETE", "/api/v1/cache", { token: a.caller.token });
    expect(await figures(a)).toMatchObject({ entries: 0 });
    expect(await figures(b)).toMatchObject({ entries: 1 });
  });

  test("in mode read keeps nothing, and without one neither looks nor keeps", async () => {
    const caller = await RetryCaller.make();
    const reads = await submit(caller, ["a"], { cache: { mode: "read" } });
    expect(await work(caller, reads, 1)).toEqual([0]);
    await caller.ended(reads);
    const silent = await submit(caller, ["a"], {});
    expect(await work(caller, silent, 1)).toEqual([0]);
    await caller.ended(silent);
    expect(await figures(caller)).toMatchObject({ entries: 0, hits: 0, misses: 1 });
  });

  test("takes nothing of a run at the same time: both work, both pay, and neither waits", async () => {
    const caller = await RetryCaller.make();
    const runs = [await submit(caller, ["a"]), await submit(caller, ["a"])];
    const runners = runs.map((id) => new TaskRunner(id));
    const claims = await Promise.all(runners.map((runner) => runner.claimed()));
    expect(claims.map(({ tasks }) => tasks.map(({ node_id: id }) => id))).toEqual([
      ["codes"],
      ["codes"],
    ]);
    for (const [at, { tasks }] of claims.entries()) {
      await env.FILES.put(`${tasks[0]!.file_prefix}code.png`, "png");
      const ok = okOutcome({ image: image("code.png"), check: { text: "a" } });
      await runners[at]!.report(tasks[0]!, ok);
    }
    for (const id of runs) {
      expect(await caller.ended(id)).toMatchObject({ credits_used: 0.02, reused_iterations: 0 });
    }
  });

  test("is turned on by a node alone", async () => {
    const caller = await RetryCaller.make();
    const nodes = CODES.nodes.map((node) => (node.id === "codes" ? { ...node, cache: ON } : node));
    const workflow = await publishedWorkflow(caller.caller, { ...CODES, nodes });
    const body = { workflow, inputs: { rows: { value: '["a"]' } } };
    const first = await caller.submitted(body);
    expect(await work(caller, first, 1)).toEqual([0]);
    await caller.ended(first);
    const off = await caller.submitted({ ...body, cache: { mode: "off" } });
    expect(await work(caller, off, 1)).toEqual([0]);
    await caller.ended(off);
    const second = await caller.submitted(body);
    expect(await work(caller, second, 0, 1)).toEqual([]);
  });

  test("takes no entry whose file is gone or is another one", async () => {
    const caller = await RetryCaller.make();
    const first = await submit(caller, ["gone", "forged", "kept"]);
    expect(await work(caller, first, 3)).toEqual([0, 1, 2]);
    await caller.ended(first);
    const { objects } = await env.FILES.list({
      prefix: `${caller.caller.workspaceId}/runs/${first}/`,
    });
    const files = objects.map(({ key }) => key).toSorted();
    expect(files).toHaveLength(3);
    await env.FILES.delete(files[0]!);
    await env.FILES.put(files[1]!, "gnp");
    const second = await submit(caller, ["gone", "forged", "kept"]);
    expect(await work(caller, second, 2, 1)).toHaveLength(2);
    expect(await figures(caller)).toMatchObject({ entries: 3, hits: 1, misses: 5 });
  });

  test("keeps the files that it has taken when the run that made them expires, and takes none of them later", async () => {
    const caller = await RetryCaller.make();
    const { workspaceId } = caller.caller;
    const first = await submit(caller, ["a"]);
    await work(caller, first, 1);
    await caller.ended(first);
    const second = await submit(caller, ["a"]);
    expect(await work(caller, second, 0, 1)).toEqual([]);
    await caller.ended(second);
    const expire = async (id: string) => {
      const api = env.RUN.get(env.RUN.idFromName(id)) as unknown as RunObjectApi;
      const expired = await api.expireOutputs({ v: 1, workspace_id: workspaceId });
      return expired.ok ? expired.value.state : expired.code;
    };
    const filesOf = async (id: string) =>
      (await env.FILES.list({ prefix: `${workspaceId}/runs/${id}/` })).objects.length;
    await expect.poll(() => expire(first)).toBe("held");
    expect(await filesOf(first)).toBe(1);
    const third = await submit(caller, ["a"]);
    expect(await work(caller, third, 1)).toEqual([0]);
    await expect.poll(() => expire(second)).toBe("removed");
    await expect.poll(() => expire(first)).toBe("removed");
    expect(await filesOf(first)).toBe(0);
  });

  test("keeps the files that it has taken when the rows of the run that made them are damaged, and others take none of them", async () => {
    const caller = await RetryCaller.make();
    const { workspaceId } = caller.caller;
    const first = await submit(caller, ["a"]);
    await work(caller, first, 1);
    await caller.ended(first);
    const second = await submit(caller, ["a"]);
    expect(await work(caller, second, 0, 1)).toEqual([]);
    await caller.ended(second);
    const stub = env.RUN.get(env.RUN.idFromName(first));
    await runInDurableObject(stub, (_object, { storage }) => {
      storage.sql.exec("UPDATE part SET v = substr(v, 1, 40)");
    });
    await evictDurableObject(stub);
    const expire = async (id: string) => {
      const api = env.RUN.get(env.RUN.idFromName(id)) as unknown as RunObjectApi;
      const expired = await api.expireOutputs({ v: 1, workspace_id: workspaceId });
      return expired.ok ? expired.value.state : expired.code;
    };
    const filesOf = async (id: string) =>
      (await env.FILES.list({ prefix: `${workspaceId}/runs/${id}/` })).objects.length;
    for (let day = 0; day < 2; day++) {
      await expect.poll(() => expire(first)).toBe("held");
      expect(await filesOf(first)).toBe(1);
    }
    const third = await submit(caller, ["a"]);
    expect(await work(caller, third, 1)).toEqual([0]);
    await expect.poll(() => expire(second)).toBe("removed");
    await expect.poll(() => expire(first)).toBe("removed");
    expect(await filesOf(first)).toBe(0);
  });

  test("is taken over by a retry as any other, and then has the retry's mark", async () => {
    const caller = await RetryCaller.make();
    const first = await submit(caller, ["a"]);
    await work(caller, first, 1);
    await caller.ended(first);
    const second = await submit(caller, ["a"]);
    await work(caller, second, 0, 1);
    await caller.ended(second);
    const third = (await caller.retry(second, { from_node: "out" })).json.id;
    await work(caller, third, 0, 1);
    expect(await caller.ended(third)).toMatchObject({ reused_iterations: 1 });
    const { json: page } = await caller.get(`${third}/trace/nodes/codes/iterations`);
    expect(page.data).toMatchObject([{ reused: { by: "retry", execution: first } }]);
  });
});

describe("a definition's cache", () => {
  const definitionWith = (cache: unknown) => ({
    ...CODES,
    nodes: CODES.nodes.map((node) => (node.id === "codes" ? { ...node, cache } : node)),
  });

  test("is kept by versions and copies, and shown by a comparison", async () => {
    const { token } = mine.caller;
    const workflow = await publishedWorkflow(mine.caller, definitionWith(ON));
    const cacheIn = ({ json }: { json: { nodes: { id: string; cache?: unknown }[] } }) =>
      json.nodes.find(({ id }) => id === "codes")?.cache;
    const path = `/api/v1/workflows/${workflow}`;
    expect(cacheIn(await call("GET", `${path}/definition`, { token }))).toEqual(ON);
    const copy = await call("POST", `${path}/clone`, { token, json: { name: "Copy" } });
    expect(copy.status, copy.text).toBe(201);
    const copied = await call("GET", `/api/v1/workflows/${copy.json.id}/definition`, { token });
    expect(cacheIn(copied)).toEqual(ON);
    const inputs = { rows: { value: "[]" } };
    const first = await mine.submitted({ workflow, inputs });
    await mine.ended(first);
    await mine.edit(workflow, definitionWith({ mode: "read" }));
    const retried = await mine.retry(first, { version: "draft" });
    expect(retried.status, retried.text).toBe(202);
    await mine.ended(retried.json.id);
    const { json } = await mine.get(`${first}/diff/${retried.json.id}`);
    expect(json.definition.nodes).toMatchObject([
      { node_id: "codes", patch: [{ op: "replace", path: "/cache/mode", value: "read" }] },
    ]);
    // It is another definition, and the node does the same.
    expect([json.definition.is_same, json.is_identical]).toEqual([false, false]);
    const changes = json.nodes.map((node: Record<string, unknown>) => [
      node["node_id"],
      node["change"],
    ]);
    expect(changes).toEqual([
      ["rows", "same"],
      ["codes", "same"],
      ["out", "same"],
    ]);
  });

  test("that is none is a problem of the definition, and on a type that is never cached a warning", async () => {
    const { token } = mine.caller;
    const validated = async (definition: unknown) =>
      (await call("POST", "/api/v1/workflows/validate", { token, json: { definition } })).json;
    for (const cache of [
      { mode: "on" },
      { mode: "read", max_age: 0 },
      "read",
      { mode: "read", x: 1 },
    ]) {
      const { valid, errors } = await validated(definitionWith(cache));
      expect([valid, errors[0]?.path.startsWith("nodes[1].cache")]).toEqual([false, true]);
    }
    const [rows, ...others] = CODES.nodes;
    const { valid, warnings } = await validated({
      ...CODES,
      nodes: [{ ...rows, cache: ON }, ...others],
    });
    expect(valid).toBe(true);
    expect(warnings).toMatchObject([{ code: "CACHE_NO_EFFECT", path: "nodes[0].cache" }]);
  });
});

describe("the runs of a batch, a schedule and a retry", () => {
  test("use the cache as those say", async () => {
    const caller = await RetryCaller.make();
    const { token } = caller.caller;
    const inputs = { rows: { value: '["a"]' } };
    const cache = { mode: "read", max_age: 60 } as const;
    const body = { workflow: caller.codes, cache };
    /** Claims the task of a run, and has it fail. */
    const claimedBy = async (id: string) => {
      const runner = new TaskRunner(id);
      const { tasks, cache: claimed } = await runner.claimed();
      await runner.report(tasks[0]!, failedOutcome("INVALID_INPUT", "no"));
      return claimed?.nodes["codes"];
    };
    const used = { writes: false, max_age: 60, milli_credits: 20 };

    const batch = await call("POST", "/api/v1/batch-executions", {
      token,
      json: { ...body, items: [{ inputs }] },
    });
    expect(batch.status, batch.text).toBe(202);
    const items = `/api/v1/batch-executions/${batch.json.id}/items`;
    const item = await waitUntil("the item's run", async () => {
      const [first] = (await call("GET", items, { token })).json.data;
      return first.execution === null ? undefined : first.execution;
    });
    expect(await claimedBy(item)).toMatchObject(used);
    const ofBatch = `/api/v1/batch-executions/${batch.json.id}`;
    let last = item;
    for (const json of [{}, { version: 1 }]) {
      await waitUntil("the end of the batch", async () =>
        (await call("GET", ofBatch, { token })).json.status === "failed" ? true : undefined,
      );
      const again = await call("POST", `${ofBatch}/retry`, { token, json });
      expect(again.status, again.text).toBe(202);
      const next = await waitUntil("the next run of the item", async () => {
        const { execution } = (await call("GET", items, { token })).json.data[0];
        return execution === last ? undefined : execution;
      });
      expect(await claimedBy(next), JSON.stringify(json)).toMatchObject(used);
      last = next;
    }

    const schedule = await call("POST", "/api/v1/schedules", {
      token,
      json: { ...body, inputs, name: "S", cron: "@yearly" },
    });
    expect(schedule.json.cache).toEqual(cache);
    const triggered = await call("POST", `/api/v1/schedules/${schedule.json.id}/trigger`, {
      token,
    });
    expect(triggered.status, triggered.text).toBe(202);
    expect(await claimedBy(triggered.json.id)).toMatchObject(used);

    const first = await submit(caller, ["a"], {});
    expect(await work(caller, first, 1)).toEqual([0]);
    await caller.ended(first);
    const silent = await caller.retry(first, { from: "start" });
    expect(await claimedBy(silent.json.id)).toBeUndefined();
    const retried = await caller.retry(first, { from: "start", cache });
    expect(await claimedBy(retried.json.id)).toMatchObject(used);
  });
});

describe("the cache's routes", () => {
  const clear = (query: string) =>
    call("DELETE", `/api/v1/cache${query}`, { token: mine.caller.token });

  test("delete what matches a type, a workflow or a run, and nothing else", async () => {
    const caller = await RetryCaller.make();
    const { token } = caller.caller;
    const first = await submit(caller, ["a"]);
    await work(caller, first, 1);
    await caller.ended(first);
    const other = `wf_${"0".repeat(32)}`;
    for (const query of [
      "?node_type=image/resize",
      `?workflow=${other}`,
      `?execution=run_${"0".repeat(32)}`,
    ]) {
      const { status } = await call("DELETE", `/api/v1/cache${query}`, { token });
      expect(status).toBe(204);
      expect(await figures(caller)).toMatchObject({ entries: 1 });
    }
    const full = (await call("GET", "/api/v1/cache", { token })).headers.get("etag") ?? "";
    await call("DELETE", `/api/v1/cache?execution=${first}&node_type=image%2Fcode`, { token });
    const headers = { "if-none-match": full };
    expect((await call("GET", "/api/v1/cache", { token, headers })).status).toBe(200);
    expect(await figures(caller)).toMatchObject({ entries: 0, bytes: 0 });
    const second = await submit(caller, ["a"]);
    expect(await work(caller, second, 1)).toEqual([0]);
  });

  test("refuse malformed ids, and a mode that is none", async () => {
    expect((await clear("?workflow=x")).json.code).toBe("invalid_id");
    expect((await clear("?execution=x")).json.code).toBe("invalid_id");
    for (const cache of [
      {},
      { mode: "on" },
      { mode: "read", max_age: 0 },
      { mode: "read", max_age: 31_536_001 },
      { mode: "read", more: 1 },
      "read",
    ]) {
      const body = { workflow: mine.codes, inputs: { rows: { value: "[]" } }, cache };
      const { status, json } = await call("POST", "/api/v1/executions", {
        token: mine.caller.token,
        json: body,
      });
      expect([status, json.code]).toEqual([400, "validation_error"]);
    }
  });

  test("are closed without the scope", async () => {
    expect((await call("GET", "/api/v1/cache")).status).toBe(401);
    expect((await call("DELETE", "/api/v1/cache")).status).toBe(401);
  });

  test("count towards the storage usage by what the cache itself stores", async () => {
    const { json } = await call("GET", "/api/v1/storage/usage", { token: mine.caller.token });
    expect(
      json.breakdown.find(({ category }: { category: string }) => category === "cache"),
    ).toMatchObject({
      file_count: 3,
    });
  });

  test("show 1 GiB as the most without another figure, and results live as long as outputs", async () => {
    const caller = await RetryCaller.make({ output_retention_days: 3 });
    expect(await figures(caller)).toEqual({
      entries: 0,
      bytes: 0,
      max_bytes: 1_073_741_824,
      hits: 0,
      misses: 0,
      credits_saved: 0,
    });
    const runner = new TaskRunner(await submit(caller, ["a"]));
    const { tasks, cache } = await runner.claimed();
    expect(cache?.bounds).toMatchObject({ ttl: 3 * 86_400, max_bytes: 1_073_741_824 });
    await runner.report(tasks[0]!, failedOutcome("INVALID_INPUT", "no"));
  });

  test("show the plan's figure, beyond which the longest unused go first, over all objects", async () => {
    const caller = await RetryCaller.make({ max_cache_bytes: 1_000 });
    const texts = Array.from({ length: 12 }, (_, at) => `row ${at}`);
    const first = await submit(caller, texts);
    await work(caller, first, texts.length);
    await caller.ended(first);
    const { entries, bytes, max_bytes } = await figures(caller);
    expect(max_bytes).toBe(1_000);
    expect(bytes).toBeLessThanOrEqual(1_000);
    expect(entries).toBeGreaterThan(0);
    expect(entries).toBeLessThan(texts.length);
  });

  test("keep nothing while the workspace's storage is full, and the run goes on", async () => {
    const caller = await RetryCaller.make({ max_storage_bytes: 0 });
    const first = await submit(caller, ["a"]);
    expect(await work(caller, first, 1)).toEqual([0]);
    expect(await caller.ended(first)).toMatchObject({ status: "completed" });
    expect(await figures(caller)).toMatchObject({ entries: 0, misses: 1 });
  });

  test("keep nothing once the files of runs fill the storage, although nobody has asked for the usage", async () => {
    const caller = await RetryCaller.make({ max_storage_bytes: 10 });
    const texts = Array.from({ length: 5 }, (_, at) => `row ${at}`);
    const first = await submit(caller, texts);
    // Three bytes each.
    expect(await work(caller, first, texts.length)).toHaveLength(texts.length);
    expect(await caller.ended(first)).toMatchObject({ status: "completed" });
    expect(await figures(caller)).toMatchObject({ entries: 0, misses: texts.length });
    const roomy = await RetryCaller.make({ max_storage_bytes: 1_000 });
    const second = await submit(roomy, texts);
    await work(roomy, second, texts.length);
    expect(await figures(roomy)).toMatchObject({ entries: texts.length });
  });
});
