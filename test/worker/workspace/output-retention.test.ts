import {
  abortAllDurableObjects,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { cellTokenOf } from "../../../durable-objects/run/tasks/held-file.ts";
import { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import { derivedToken } from "../../../durable-objects/run/run-host.ts";
import type { RunObjectApi } from "../../../src/contracts/runs/run-object-api.ts";
import { runGroupOf } from "../../../src/storage/objects/run-group-object.ts";
import { cellUrl } from "../../../src/platform/file-url.ts";
import {
  call,
  type Caller,
  newCaller,
  newWorkspace,
  operator,
  ORIGIN,
  requestToken,
} from "../../support/api-caller.ts";
import { buildExport, zipExportOf } from "../../support/build-export.ts";
import { upload } from "../../support/asset-form.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";

const DAY_MS = 86_400_000;
/** Text in the inputs and outputs of a run; found nowhere once the run has expired. */
const SECRET = "the rows of the run";
const LONG = `${SECRET} `.repeat(5_000);

const DEFINITION = {
  nodes: [
    { id: "short", type: "input/text", label: "short", parameters: { required: true } },
    { id: "long", type: "input/text", label: "long", parameters: { required: true } },
    { id: "short_out", type: "output/text", parameters: { key: "short" } },
    { id: "long_out", type: "output/text", parameters: { key: "long" } },
  ],
  connections: [
    { from: { node: "short", port: "text" }, to: { node: "short_out", port: "text" } },
    { from: { node: "long", port: "text" }, to: { node: "long_out", port: "text" } },
  ],
};

const text = (value: string) => ({ value: JSON.stringify(value) });

afterEach(() => {
  vi.useRealTimers();
});

/** A workspace over several days; its clock is the clock of this whole file. */
class Tenant {
  #caller: Caller;
  #workflow: string | undefined;

  private constructor(caller: Caller) {
    this.#caller = caller;
  }

  static async create(plan = "dev"): Promise<Tenant> {
    return new Tenant(await newCaller({ workspaceId: await newWorkspace(plan) }));
  }

  get id(): string {
    return this.#caller.workspaceId;
  }

  get stub() {
    return env.WORKSPACE.get(env.WORKSPACE.idFromName(this.id));
  }

  async call(method: string, path: string, headers: Record<string, string> = {}) {
    return await call(method, path, { token: this.#caller.token, headers });
  }

  /** Runs the daily job as often as the object's alarm requests it. */
  async work(): Promise<void> {
    for (let fired = 0; fired < 50; fired++) {
      if (!(await runDurableObjectAlarm(this.stub))) {
        return;
      }
      const next = await this.nextAtMs();
      if (next === null || next > Date.now()) {
        return;
      }
    }
    throw new Error("the day's work has no end");
  }

  async nextAtMs(): Promise<number | null> {
    return await runInDurableObject(this.stub, (_, state) => {
      const [row] = state.storage.sql
        .exec<{ at: number }>("SELECT next_at_ms AS at FROM retention")
        .toArray();
      return row?.at ?? null;
    });
  }

  async run(): Promise<string> {
    this.#workflow ??= await publishedWorkflow(this.#caller, DEFINITION);
    const submitted = await call("POST", "/api/v1/executions", {
      token: this.#caller.token,
      json: { workflow: this.#workflow, inputs: { short: text(SECRET), long: text(LONG) } },
    });
    expect(submitted.status, submitted.text).toBe(202);
    const path = `/api/v1/executions/${submitted.json.id}`;
    await waitUntil("the run's end in the index", async () => {
      const list = await this.call("GET", "/api/v1/executions?limit=100");
      return list.json.data.some(
        (run: { id: string; completed_at: string | null }) =>
          run.id === submitted.json.id && run.completed_at !== null,
      );
    });
    expect((await this.call("GET", path)).json.status).toBe("completed");
    return submitted.json.id;
  }

  /** A batch of runs with short outputs, once it has ended; the ids of itself and its runs. */
  async batch(count: number): Promise<{ id: string; runs: string[] }> {
    this.#workflow ??= await publishedWorkflow(this.#caller, DEFINITION);
    const created = await call("POST", "/api/v1/batch-executions", {
      token: this.#caller.token,
      json: {
        workflow: this.#workflow,
        items: Array.from({ length: count }, () => ({
          inputs: { short: text(SECRET), long: text(SECRET) },
        })),
      },
    });
    expect(created.status, created.text).toBe(202);
    const path = `/api/v1/batch-executions/${created.json.id}`;
    await waitUntil("the batch's end", async () => {
      return (await this.call("GET", path)).json.completed_at !== null;
    });
    const { data } = (await this.call("GET", `${path}/items`)).json;
    return {
      id: created.json.id,
      runs: data.map(({ execution }: { execution: string }) => execution),
    };
  }

  /** Moves the clock and requests a new token, since the previous one has expired. */
  async wait(days: number): Promise<void> {
    if (vi.isFakeTimers()) {
      vi.setSystemTime(Date.now() + days * DAY_MS);
    } else {
      // The platform's own clock does not move: an alarm that is about to fire would run on the moved one.
      await waitUntil("the alarm of the last submit", () =>
        runInDurableObject(this.stub, async (_, state) => {
          const alarm = await state.storage.getAlarm();
          return alarm !== null && alarm > Date.now() + DAY_MS / 24;
        }),
      );
      vi.useFakeTimers({ now: Date.now() + days * DAY_MS, toFake: ["Date"] });
    }
    const token = await requestToken(this.#caller.clientId, this.#caller.clientSecret);
    this.#caller = { ...this.#caller, token: token.json.access_token };
  }

  /** Every key with its ETag. */
  async files(prefix = ""): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await env.FILES.list({
        prefix: `${this.id}/${prefix}`,
        ...(cursor !== undefined && { cursor }),
      });
      found.push(...page.objects.map(({ key, etag }) => `${key} ${etag}`));
      cursor = page.truncated ? page.cursor : undefined;
    } while (cursor !== undefined);
    return found.toSorted();
  }

  upload(name: string, content: string) {
    return upload(this.#caller, name, content);
  }
}

const runStub = (id: string) => env.RUN.get(env.RUN.idFromName(id));
const runApi = (id: string) => runStub(id) as unknown as RunObjectApi;

async function buildZip(tenant: Tenant, id: string): Promise<void> {
  expect((await tenant.call("POST", `/api/v1/executions/${id}/zip`)).status).toBe(202);
  await buildExport(id);
}

async function plan(code: string, days: number): Promise<void> {
  const limits = { requests_per_minute: 100_000, output_retention_days: days };
  expect((await operator("PUT", `/admin/v1/plans/${code}`, { limits })).status).toBeLessThan(300);
}

describe("a run whose outputs have expired", () => {
  it("reports it everywhere, has neither bytes nor values, and keeps its trace and events", async () => {
    const tenant = await Tenant.create();
    const other = await Tenant.create();
    await other.run();
    await tenant.upload("kept.txt", "an asset is not an output");
    const id = await tenant.run();
    const path = `/api/v1/executions/${id}`;
    await buildZip(tenant, id);
    const before = {
      run: await tenant.call("GET", path),
      result: await tenant.call("GET", `${path}/result`),
      outputs: await tenant.call("GET", `${path}/outputs`),
      trace: await tenant.call("GET", `${path}/trace`),
      events: await tenant.call("GET", `${path}/events`),
      zip: await tenant.call("GET", `${path}/zip/1/download`),
      usage: await tenant.call("GET", "/api/v1/storage/usage"),
      assets: await tenant.files("assets/"),
      others: await other.files(),
    };
    expect(before.run.json.outputs_expired_at).toBeUndefined();
    expect(before.result.json.result.by_key.long.value).toBe(LONG);
    const archive = before.zip.headers.get("location")!.slice(ORIGIN.length);
    const short = await shortAddress(id);
    for (const address of [archive, short]) {
      expect((await call("GET", address)).status, address).toBe(200);
    }

    await tenant.wait(61);
    const young = await tenant.run();
    const youngFiles = await tenant.files(`runs/${young}/`);
    expect(youngFiles).not.toEqual([]);
    // It expires in an object that is woken for it and by then has a row beside the bundle.
    await evictDurableObject(runStub(id));
    await tenant.work();

    expect(await tenant.files(`runs/${id}/`)).toEqual([]);
    expect(await tenant.files(`runs/${young}/`)).toEqual(youngFiles);
    expect(await tenant.files("assets/")).toEqual(before.assets);
    expect(await other.files()).toEqual(before.others);

    const run = await tenant.call("GET", path, {
      "if-none-match": before.run.headers.get("etag")!,
    });
    expect(run.status).toBe(200);
    const at = run.json.outputs_expired_at;
    expect(Date.parse(at)).toBeGreaterThan(Date.now() - DAY_MS);
    expect(run.json).toMatchObject({
      status: "completed",
      progress_message: "Completed; its outputs have expired",
      completed_at: before.run.json.completed_at,
      outputs_total: 2,
    });
    const list = await tenant.call("GET", "/api/v1/executions");
    expect(list.json.data.map((row: Record<string, unknown>) => row["progress_message"])).toEqual([
      "Completed",
      "Completed; its outputs have expired",
    ]);
    expect(
      list.json.data.map((row: Record<string, unknown>) => [row["id"], row["outputs_expired_at"]]),
    ).toEqual([
      [young, undefined],
      [id, at],
    ]);

    const result = await tenant.call("GET", `${path}/result`, {
      "if-none-match": before.result.headers.get("etag")!,
    });
    expect(result.status).toBe(200);
    for (const key of ["short", "long"]) {
      expect(result.json.result.by_key[key]).toMatchObject({
        state: "missing",
        value: null,
        url: null,
        items: [{ delivery: "unavailable", value: null, url: null, raw_value: null }],
      });
    }
    expect(result.json.diagnostics).toMatchObject({
      expected_output_keys: ["short", "long"],
      available_output_keys: [],
      warnings: [{ code: "OUTPUTS_EXPIRED", expired_at: at }],
    });
    const outputs = await tenant.call("GET", `${path}/outputs`);
    for (const entry of outputs.json.data) {
      expect(entry.presence).toBe("missing");
      expect(entry).not.toHaveProperty("value");
      expect(entry).not.toHaveProperty("url");
    }
    expect(outputs.json.data).toHaveLength(before.outputs.json.data.length);

    for (const address of [archive, short]) {
      expect((await call("GET", address)).status, address).toBe(404);
    }
    expect((await tenant.call("GET", `${path}/zip/status`)).json).toMatchObject({
      status: "not_requested",
      zips: [],
    });
    for (const [method, route] of [
      ["POST", "zip"],
      ["GET", "zip/1/download"],
    ] as const) {
      const response = await tenant.call(method, `${path}/${route}`);
      expect([response.status, response.json.code]).toEqual([410, "outputs_expired"]);
    }

    expect((await tenant.call("GET", `${path}/trace`)).json).toEqual(before.trace.json);
    expect((await tenant.call("GET", `${path}/events`)).text).toBe(before.events.text);
    const last = /id: (\S+)\nevent: done/.exec(before.events.text)![1]!;
    const resumed = await tenant.call("GET", `${path}/events`, { "last-event-id": last });
    expect(resumed.status).toBe(204);

    const usage = await waitUntil("the usage to go down", async () => {
      const { json } = await tenant.call("GET", "/api/v1/storage/usage");
      const found = outputsOf(json);
      return found.file_count === youngFiles.length ? found : undefined;
    });
    expect(outputsOf(before.usage.json).total_bytes).toBeGreaterThan(usage.total_bytes);
    // The run object's rows contain neither the values nor the text of the webhook.
    const rows = await runInDurableObject(runStub(id), (_, state) =>
      JSON.stringify(state.storage.sql.exec("SELECT k, v FROM part").toArray()),
    );
    expect(rows).toContain(id);
    expect(rows).not.toContain(SECRET);
  });

  it("is the same after its object was evicted", async () => {
    const tenant = await Tenant.create();
    const id = await tenant.run();
    await tenant.wait(62);
    await tenant.work();
    const path = `/api/v1/executions/${id}`;
    const read = async () => {
      const [run, result] = [
        await tenant.call("GET", path),
        await tenant.call("GET", `${path}/result`),
      ];
      return [run.text, run.headers.get("etag"), result.text, result.headers.get("etag")];
    };
    const first = await read();
    await evictDurableObject(runStub(id));
    expect(await read()).toEqual(first);
    // Another day and another call: nothing is left to do, and nothing is reported again.
    await tenant.wait(1);
    await tenant.work();
    const again = await runApi(id).expireOutputs({ v: 1, workspace_id: tenant.id });
    expect(again).toMatchObject({ ok: true, value: { state: "removed" } });
    expect(await read()).toEqual(first);
  });
});

describe("the daily job", () => {
  it("deletes nothing before its day, and uses the plan of the day", async () => {
    await plan("keeps-ten", 10);
    await plan("keeps-five", 5);
    const tenant = await Tenant.create("keeps-ten");
    const id = await tenant.run();
    const all = await tenant.files();
    await tenant.wait(9.9);
    await tenant.work();
    expect(await tenant.files()).toEqual(all);
    // A longer retention, set before the day, keeps the existing outputs …
    await plan("keeps-ten", 20);
    await tenant.wait(5);
    await tenant.work();
    expect(await tenant.files()).toEqual(all);
    expect((await tenant.call("GET", `/api/v1/executions/${id}`)).json).not.toHaveProperty(
      "outputs_expired_at",
    );
    // … and a shorter one applies to them too, on the next day.
    const moved = await operator("PUT", `/admin/v1/workspaces/${tenant.id}/plan`, {
      plan: "keeps-five",
    });
    expect(moved.status).toBeLessThan(300);
    await tenant.work();
    expect(await tenant.files()).toEqual(all);
    await tenant.wait(1);
    await tenant.work();
    expect(await tenant.files()).toEqual([]);
    expect((await tenant.call("GET", `/api/v1/executions/${id}`)).json).toHaveProperty(
      "outputs_expired_at",
    );
  });

  it("has a batch forget the outputs of its runs, also of one whose rows are damaged", async () => {
    const tenant = await Tenant.create();
    const { id, runs } = await tenant.batch(3);
    const namespace = env.BATCH as unknown as DurableObjectNamespace;
    const kept = () =>
      runInDurableObject(namespace.get(namespace.idFromName(id)), (_, { storage }) =>
        storage.sql
          .exec<{ outputs: string | null }>("SELECT outputs FROM item ORDER BY idx")
          .toArray()
          .map(({ outputs }) => outputs?.includes(SECRET) ?? false),
      );
    expect(await kept()).toEqual([true, true, true]);
    const groups = env.RUN_GROUP as unknown as DurableObjectNamespace;
    const grouped = () =>
      Promise.all(
        runs.map((run) =>
          runInDurableObject(groups.get(groups.idFromName(runGroupOf(run))), (_, { storage }) =>
            storage.sql
              .exec<{ body: string }>("SELECT body FROM run WHERE id = ?", run)
              .one()
              .body.includes(SECRET),
          ),
        ),
      );
    expect(await grouped()).toEqual([true, true, true]);
    const damaged = runStub(String(runs[1]));
    // From here on its own object has the run.
    await tenant.call("GET", `/api/v1/executions/${String(runs[1])}`);
    await runInDurableObject(damaged, (_, { storage }) => {
      storage.sql.exec("UPDATE part SET v = substr(v, 1, 40)");
    });
    await evictDurableObject(damaged);
    await tenant.wait(59);
    await tenant.work();
    expect(await kept()).toEqual([true, true, true]);
    await tenant.wait(2);
    await tenant.work();
    expect(await kept()).toEqual([false, false, false]);
    expect(await grouped()).toEqual([false, false, false]);
  });

  it("stops once nothing is kept, and starts again with the next run", async () => {
    const tenant = await Tenant.create();
    expect(await tenant.nextAtMs()).toBeNull();
    await tenant.run();
    const next = await tenant.nextAtMs();
    expect(next).toBeGreaterThan(Date.now());
    expect(next).toBeLessThanOrEqual(Date.now() + DAY_MS);
    await tenant.wait(61);
    await tenant.work();
    expect(await tenant.nextAtMs()).toBeNull();
    await tenant.run();
    expect(await tenant.nextAtMs()).toBeGreaterThan(Date.now());
  });

  it("continues after a crash in the middle of a run's files, and before the index records it", async () => {
    const tenant = await Tenant.create();
    const [large, small] = [await tenant.run(), await tenant.run()];
    for (let from = 0; from < 1_100; from += 100) {
      await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          env.FILES.put(`${tenant.id}/runs/${large}/token/${String(from + i)}.txt`, "x"),
        ),
      );
    }
    await tenant.wait(61);
    // The call that the workspace makes; then everything in memory is lost.
    const request = { v: 1, workspace_id: tenant.id } as const;
    expect(await runApi(large).expireOutputs(request)).toMatchObject({ value: { state: "more" } });
    expect(await runApi(small).expireOutputs(request)).toMatchObject({
      value: { state: "removed" },
    });
    await abortAllDurableObjects();
    const left = await tenant.files(`runs/${large}/`);
    // More than one call removes: the workspace has to call twice more.
    expect(left.length).toBeGreaterThan(500);
    expect(left.length).toBeLessThan(1_100);
    const halfway = await tenant.call("GET", `/api/v1/executions/${large}`);
    await abortAllDurableObjects();
    await tenant.work();
    expect(await tenant.files()).toEqual([]);
    const { json } = await tenant.call("GET", "/api/v1/executions");
    for (const run of json.data) {
      const own = await tenant.call("GET", `/api/v1/executions/${run.id}`);
      expect(run.outputs_expired_at).toBe(own.json.outputs_expired_at);
    }
    // Reported once, by the commit before the first byte was deleted.
    expect((await tenant.call("GET", `/api/v1/executions/${large}`)).text).toBe(halfway.text);
  });

  it("is not held up by a run that does not respond, and calls it again", async () => {
    const tenant = await Tenant.create();
    const runs = [await tenant.run(), await tenant.run(), await tenant.run()];
    // An object that does not respond, because newer code has written its state and was rolled back.
    const setVersion = async (from: number, to: number) => {
      await runInDurableObject(runStub(runs[0]!), (_, { storage }) => {
        const state = (version: number) => `"state":{"v":${String(version)},`;
        storage.sql.exec("UPDATE part SET v = replace(v, ?, ?)", state(from), state(to));
      });
      await abortAllDurableObjects();
    };
    await setVersion(1, 9);
    await tenant.wait(61);
    await tenant.work();
    expect(await tenant.files(`runs/${runs[0]!}/`)).not.toEqual([]);
    expect(await tenant.files(`runs/${runs[1]!}/`)).toEqual([]);
    expect(await tenant.files(`runs/${runs[2]!}/`)).toEqual([]);
    await setVersion(9, 1);
    await tenant.wait(1 / 24);
    await tenant.work();
    expect(await tenant.files()).toEqual([]);
  });

  it("leaves nothing of an export that is being built meanwhile", async () => {
    const tenant = await Tenant.create();
    const id = await tenant.run();
    await tenant.wait(61);
    expect((await tenant.call("POST", `/api/v1/executions/${id}/zip`)).status).toBe(202);
    const zips = zipExportOf(id);
    const claim = (await zips.claim({ v: 1 }))!;
    await tenant.work();
    // The builder was not told, so its archive arrives after everything else was deleted.
    await env.FILES.put(claim.key, "an archive");
    const told = await zips.report({
      v: 1,
      fence: claim.fence,
      progress: { kind: "completed" },
    });
    expect(told).toBe(false);
    expect(await tenant.files()).toHaveLength(1);
    await tenant.wait(1 / 24);
    await tenant.work();
    expect(await tenant.files()).toEqual([]);
    expect(await zips.claim({ v: 1 })).toBeNull();
  });
});

interface Usage {
  readonly breakdown: readonly {
    readonly category: string;
    readonly total_bytes: number;
    readonly file_count: number;
  }[];
}

function outputsOf({ breakdown }: Usage) {
  const found = breakdown.find(({ category }) => category === "outputs");
  return { total_bytes: found?.total_bytes ?? 0, file_count: found?.file_count ?? 0 };
}

/** The address of a body that is stored in a row, which a result shows only beyond its budget. */
async function shortAddress(id: string): Promise<string> {
  return await runInDurableObject(runStub(id), (_, state) => {
    const store = new RunStore(state.storage, Date.now);
    const metadata = JSON.parse(store.getText("facts")) as { workspace_id: string };
    const node = store
      .state()
      .nodes.findLastIndex((_, index) => store.cellsAt(index, [0])[0]?.body.includes(SECRET));
    return cellUrl("", {
      workspaceId: metadata.workspace_id,
      runId: id,
      token: derivedToken(String(store.getMetadata("seed")), cellTokenOf(node, 0)),
      node,
      element: 0,
      isJson: false,
    });
  });
}
