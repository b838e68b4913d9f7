/** Runs under code that differs from the code that started them: the data stored with the run decides. */
import { env } from "cloudflare:workers";
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { RunMetadata } from "../../../durable-objects/run/live-run.ts";
import { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import { CACHE_LIMITS } from "../../../src/domain/cache-limits.ts";
import { compileVersion } from "../../../src/domain/workflows/versions/compiled-versions.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { activeEndpoint } from "../../support/active-endpoint.ts";
import { buildExport, zipExportOf } from "../../support/build-export.ts";
import { readZip } from "../../support/read-zip.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { WorkspaceFixture } from "../workspace/workspace-fixture.ts";
import { CODES, definitionJson, drawn, report, RunFixture } from "./run-fixture.ts";

const STEPS = definitionJson({
  nodes: [
    { id: "name", type: "input/text", label: "Name" },
    {
      id: "hello",
      type: "text/template",
      parameters: { template: "Hello [who]", placeholders: [{ inputPort: "who" }] },
    },
    { id: "greeting", type: "output/text", label: "Greeting", parameters: { key: "greeting" } },
  ],
  links: ["name.text > hello.who", "hello.text > greeting.text"],
});

const held = (run: RunFixture) =>
  new WorkspaceFixture(run.workspaceId).api
    .balance(null)
    .then((balance) => balance.reserved_milli_credits);

/** Rewrites the stored data of a run as other code would find it, and evicts the object. */
async function deploy(
  run: RunFixture,
  change: (kept: {
    facts: Record<string, unknown>;
    definition: { nodes: { type: string }[] };
  }) => void,
): Promise<void> {
  await runInDurableObject(run.stub, (_object, { storage }) => {
    const store = new RunStore(storage, Date.now);
    const kept = {
      facts: JSON.parse(store.getText("facts")) as Record<string, unknown>,
      definition: JSON.parse(store.getText("definition")) as { nodes: { type: string }[] },
    };
    change(kept);
    for (const [name, value] of Object.entries(kept)) {
      store.putText(name, JSON.stringify(value));
    }
  });
  await evictDurableObject(run.stub);
}

type StoredMetadata = { kept_plan?: { fingerprint: string; outline: unknown } };

const otherPlan = ({ facts: metadata }: { facts: StoredMetadata }) => {
  metadata.kept_plan = { ...metadata.kept_plan!, fingerprint: "of another plan" };
};
/** A version as large as the whole cache, which displaces all others. */
function forgetCompiledVersions(): void {
  const { charsMax, each } = CACHE_LIMITS.definitions;
  const text = JSON.stringify({ nodes: [] }).padEnd(charsMax - each);
  compileVersion({ workspaceId: "ws_other", workflowId: "wf_other", version: 1 }, text);
}

/** The definition names a type that this code does not have, and its plan is not cached. */
const goneNode = (kept: {
  facts: Record<string, unknown>;
  definition: { nodes: { type: string }[] };
}) => {
  forgetCompiledVersions();
  kept.definition.nodes[1]!.type = "utility/gone";
};

const filesOf = async (run: RunFixture) =>
  (await env.FILES.list({ prefix: `${run.workspaceId}/` })).objects.map(({ key }) => key);

/** A run of CODES whose first codes are drawn and stored, as many as `drawnRows`. */
async function drawnRun(rows: readonly string[], drawnRows = rows.length): Promise<RunFixture> {
  const run = new RunFixture();
  await run.start(CODES, { rows });
  const { tasks } = await run.claim();
  expect(tasks).toHaveLength(rows.length);
  const done = tasks.slice(0, drawnRows);
  for (const [at, task] of done.entries()) {
    await env.FILES.put(`${task.file_prefix}code.png`, String(at));
  }
  await run.api.report({ v: 1, reports: done.map((task) => report(task, drawn("code.png"))) });
  return run;
}

describe.each([
  { what: "whose plan is another now", change: otherPlan },
  { what: "whose definition does not compile any more", change: goneNode },
])("a live run $what", ({ change }) => {
  it("ends with DEFINITION_INCOMPATIBLE, is charged for finished work, and keeps its outputs", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a", "b", "c"] });
    const { tasks } = await run.claim();
    await run.api.report({ v: 1, reports: [report(tasks[0]!, drawn("a.png"))] });
    await waitUntil("the charge", async () => (await run.read()).credits_used === 0.02);
    await deploy(run, change);
    expect(await run.ended()).toMatchObject({
      status: "partial_success",
      error_code: "DEFINITION_INCOMPATIBLE",
      credits_used: 0.02,
      outputs_total: 4,
    });
    await waitUntil("the refund", async () => (await held(run)) === 0);
    const { result } = await run.result();
    expect(result).toMatchObject({
      by_key: { pictures: { state: "present", items: [{ delivery: "asset" }, {}, {}] } },
    });
    const trace = unwrap(await run.api.readTrace(run.request));
    expect(trace.nodes.map(({ node_id, state }) => [node_id, state])).toEqual([
      ["rows", "completed"],
      ["code", "cancelled"],
      ["checks", "cancelled"],
      ["pictures", "cancelled"],
      ["report", "cancelled"],
    ]);
    const late = await run.api.report({ v: 1, reports: [report(tasks[1]!, drawn("late.png"))] });
    expect(late.cancel).toBe(true);
    expect((await run.read()).credits_used).toBe(0.02);
  });

  it("is woken by its alarm alone, releases its slot and reports its end", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a"] });
    const { endpoint } = await activeEndpoint(run.workspaceId);
    await run.claim();
    await deploy(run, change);
    await runDurableObjectAlarm(run.stub);
    await waitUntil("the delivery", async () => {
      const page = { v: 1, limit: 10, below_id: null, status: null, event_type: null } as const;
      return (await endpoint.listDeliveries({ ...page, execution: run.runId })).total === 1;
    });
    expect(await held(run)).toBe(0);
    expect(await run.read()).toMatchObject({ status: "failed", credits_used: 0 });
  });

  it("that was being cancelled is cancelled", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a"] });
    await run.claim();
    unwrap(await run.api.cancel(run.request));
    await deploy(run, change);
    expect(await run.ended()).toMatchObject({ status: "cancelled", error_code: null });
  });

  it("that waits for a slot ends without starting", async () => {
    const run = new RunFixture();
    await run.start(STEPS, { name: "Ann" }, { is_held: true });
    await deploy(run, change);
    await run.api.promote({ v: 1 });
    expect(await run.ended()).toMatchObject({
      status: "failed",
      error_code: "DEFINITION_INCOMPATIBLE",
      credits_used: 0,
    });
  });

  it("ends, and its outputs expire with their bytes", async () => {
    const run = await drawnRun(["a", "b"], 1);
    await waitUntil("the charge", async () => (await run.read()).credits_used === 0.02);
    await deploy(run, change);
    const ended = await run.ended();
    expect([ended.error_code, (await filesOf(run)).length]).toEqual(["DEFINITION_INCOMPATIBLE", 1]);
    const request = { v: 1, workspace_id: run.workspaceId } as const;
    const expiry = await waitUntil("the end to be reported", async () => {
      const asked = await run.api.expireOutputs(request);
      return asked.ok ? asked : undefined;
    });
    expect(expiry).toMatchObject({ value: { state: "removed" } });
    expect(await filesOf(run)).toEqual([]);
    await evictDurableObject(run.stub);
    expect(await run.read()).toMatchObject({
      status: "partial_success",
      error_code: "DEFINITION_INCOMPATIBLE",
      credits_used: 0.02,
      outputs_expired_at: expect.any(String),
    });
    const { result, diagnostics } = await run.result();
    expect(diagnostics).toMatchObject({ warnings: [{ code: "OUTPUTS_EXPIRED" }] });
    expect(JSON.stringify(result)).not.toContain("/files/");
  });

  it("that had ended is exported as a ZIP that is requested afterwards", async () => {
    const run = await drawnRun(["a", "b"]);
    const { completed_at } = await run.ended();
    await deploy(run, change);
    const zips = zipExportOf(run.runId);
    const asked = await zips.request({
      v: 1,
      run_id: run.runId,
      workspace_id: run.workspaceId,
      workflow_name: "Test",
      run_completed_at_ms: Date.parse(completed_at!),
    });
    expect([asked.existed, asked.status.status]).toEqual([false, "building"]);
    await buildExport(run.runId);
    const key = await zips.archiveKey({ v: 1, workspace_id: run.workspaceId, zip_id: 1 });
    const archive = await env.FILES.get(key!);
    const files = readZip(new Uint8Array(await archive!.arrayBuffer()));
    const utf8 = new TextDecoder();
    expect(Object.fromEntries([...files].map(([name, b]) => [name, utf8.decode(b)]))).toEqual({
      "pictures/0.png": "0",
      "pictures/1.png": "1",
      "report.json": '[{"check":{"of":"code.png"}},{"check":{"of":"code.png"}}]',
    });
  });

  it("that had ended reads as before, byte for byte", async () => {
    const run = new RunFixture();
    await run.start(STEPS, { name: "Ann" });
    const read = async () => ({
      execution: await run.ended(),
      result: await run.result(),
      trace: unwrap(await run.api.readTrace(run.request)),
      iterations: unwrap(
        await run.api.readIterations({
          ...run.request,
          node_id: "hello",
          page_size: 10,
          after: null,
          states: null,
        }),
      ),
    });
    const before = await read();
    expect(before.execution.outputs).toMatchObject([{ value: "Hello Ann" }]);
    await deploy(run, change);
    expect(await read()).toEqual(before);
  });
});

it("a run continues at the prices of its admission, whatever the current prices", async () => {
  const run = new RunFixture();
  await run.start(
    CODES,
    { rows: ["a", "b"] },
    {
      unit_costs: [{ node_id: "code", milli_credits: 7 }],
    },
  );
  const { tasks } = await run.claim();
  await run.api.report({ v: 1, reports: [report(tasks[0]!, drawn("a.png"))] });
  await waitUntil("the charge", async () => (await run.read()).credits_used === 0.007);
  await evictDurableObject(run.stub);
  await run.api.report({ v: 1, reports: [report(tasks[1]!, drawn("b.png"))] });
  expect(await run.ended()).toMatchObject({ status: "completed", credits_used: 0.014 });
});

it("a run from before outlines were stored continues, and stores one from then on", async () => {
  const run = new RunFixture();
  await run.start(CODES, { rows: ["a"] });
  const { tasks } = await run.claim();
  await deploy(run, ({ facts: metadata }) => {
    delete metadata["kept_plan"];
  });
  await run.api.report({ v: 1, reports: [report(tasks[0]!, drawn("a.png"))] });
  expect(await run.ended()).toMatchObject({ status: "completed", credits_used: 0.02 });
  const metadata = await runInDurableObject(
    run.stub,
    (_object, { storage }) =>
      JSON.parse(new RunStore(storage, Date.now).getText("facts")) as RunMetadata,
  );
  expect(metadata.kept_plan?.fingerprint).toMatch(/^[\w-]{43}$/);
});

it("a start from before a deploy ends as incompatible, once, and releases its reservation", async () => {
  const run = new RunFixture();
  const gone = JSON.stringify({ nodes: [{ id: "a", type: "utility/gone" }], connections: [] });
  await run.start(gone, {});
  expect(await run.ended()).toMatchObject({
    status: "failed",
    error_code: "DEFINITION_INCOMPATIBLE",
    outputs: [],
  });
  await waitUntil("the refund", async () => (await held(run)) === 0);
});
