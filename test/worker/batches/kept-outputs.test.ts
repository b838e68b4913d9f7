/** Short outputs that a batch keeps with its items (docs/decisions/exports.md): exports are the same without them. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { BatchObject } from "../../../durable-objects/batch/batch-object.ts";
import { RunObject } from "../../../durable-objects/run/run-object.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { HOSTILE_TEXTS } from "../../support/batch-exports/hostile-texts.ts";
import { activeEndpoint } from "../../support/active-endpoint.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { RetryCaller } from "../executions/retry-caller.ts";
import { byItems, QUOTIENT, wordItems } from "./batch-fixture.ts";
import { ExportFixture, text } from "./export-fixture.ts";

const FORMATS = [
  { format: "csv" },
  { format: "csv", raw: true, inputs: true },
  { format: "json" },
  { format: "ndjson", inputs: true },
  { format: "xlsx" },
  { format: "zip" },
] as const;

/** A text, a quotient that may fail, and JSON that may be absent. */
const MIXED = {
  nodes: [
    { id: "in", type: "input/text", label: "Words", parameters: { required: true } },
    { id: "by", type: "input/number", label: "By", parameters: { required: true } },
    { id: "data", type: "input/json_value", label: "Data", parameters: { required: false } },
    { id: "divide", type: "utility/calculate", parameters: { expression: "6 / a" } },
    { id: "said", type: "output/text", parameters: { key: "said" } },
    { id: "part", type: "output/json", parameters: { key: 'a "part", =1' } },
    { id: "given", type: "output/json", parameters: { key: "given" } },
  ],
  connections: [
    { from: { node: "in", port: "text" }, to: { node: "said", port: "text" } },
    { from: { node: "by", port: "number" }, to: { node: "divide", port: "a" } },
    { from: { node: "divide", port: "result" }, to: { node: "part", port: "json" } },
    { from: { node: "data", port: "json" }, to: { node: "given", port: "json" } },
  ],
};

let batches: ExportFixture;
let quotient: string;
let echo: string;

beforeAll(async () => {
  batches = new ExportFixture(await newCaller());
  quotient = await publishedWorkflow(batches.caller, QUOTIENT);
  echo = await publishedWorkflow(batches.caller);
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function inBatch<T>(id: string, work: (sql: SqlStorage) => T): Promise<T> {
  const namespace = env.BATCH as unknown as DurableObjectNamespace;
  const stub = namespace.get(namespace.idFromName(id));
  return await runInDurableObject(stub, (_object, { storage }) => work(storage.sql));
}

/** What the batch keeps of each item. */
const keptOf = (id: string) =>
  inBatch(id, (sql) =>
    sql
      .exec<{ outputs: string | null }>("SELECT outputs FROM item ORDER BY idx")
      .toArray()
      .map(({ outputs }) => outputs),
  );

const isKept = async (id: string) => (await keptOf(id)).map((outputs) => outputs !== null);

function runIdOf(object: unknown): string {
  const { ctx } = object as { readonly ctx: DurableObjectState };
  return ctx.id.name ?? "";
}

/** All formats of a batch, and the runs that were asked for them. */
async function allFormats(id: string): Promise<{ files: Uint8Array[]; asked: Set<string> }> {
  const entries = vi.spyOn(RunObject.prototype, "exportEntries");
  const files: Uint8Array[] = [];
  for (const body of FORMATS) {
    // The other options have the export built again.
    await batches.exported(id, { ...body, inputs: !("inputs" in body) });
    await batches.exported(id, body);
    files.push(await batches.download(id, body.format));
  }
  const asked = entries.mock.contexts.map((object) => runIdOf(object));
  entries.mockRestore();
  return { files, asked: new Set(asked) };
}

describe("short outputs of items", () => {
  test("give the same bytes in each format as the runs do, of which none is asked", async () => {
    const workflow = await publishedWorkflow(batches.caller, MIXED);
    // A submit refuses half of a surrogate pair.
    const short = HOSTILE_TEXTS.filter((each) => each.length < 500 && each.isWellFormed());
    const texts = [...short, "", "word"];
    const words = (said: string) => ({ words: { value: JSON.stringify(said) } });
    const items = [
      ...texts.map((each, at) => ({
        inputs: {
          ...words(each),
          by: { value: String(at % 4) },
          ...(at % 3 === 0 && { data: { value: `{"n":1.50,"said":${JSON.stringify(each)}}` } }),
        },
      })),
      { inputs: { ...words("long ".repeat(300)), by: { value: "1" } } },
      // Stored as a file of the run.
      { inputs: { ...words("long ".repeat(20_000)), by: { value: "1" } } },
    ];
    const id = await batches.endedBatch({ workflow, items });
    const kept = await isKept(id);
    expect(kept).toEqual([...texts.map(() => true), false, false]);
    const runs = await batches.runsOf(id);
    const withKept = await allFormats(id);
    expect([...withKept.asked].toSorted()).toEqual(runs.slice(-2).toSorted());
    await inBatch(id, (sql) => sql.exec("UPDATE item SET outputs = NULL"));
    const without = await allFormats(id);
    expect(without.asked.size).toBe(items.length);
    for (const [at, bytes] of withKept.files.entries()) {
      expect(Buffer.compare(bytes, without.files[at]!), JSON.stringify(FORMATS[at])).toBe(0);
    }
    expect(text(withKept.files[2])).toContain('{"n":1.50,"said":');
  });

  test("are kept of failed runs too, and shown by no list of items", async () => {
    const id = await batches.endedBatch({ workflow: quotient, items: byItems(0, 4) });
    expect(await isKept(id)).toEqual([true, true]);
    const { data } = (await batches.get(`/${id}/items`)).json;
    expect(data.map((item: object) => "outputs" in item)).toEqual([false, false]);
    await batches.exported(id, { format: "json" });
    const rows = JSON.parse(text(await batches.download(id, "json")));
    expect(rows.map(({ outputs }: { outputs: unknown }) => outputs)).toEqual([
      { out: null },
      { out: 0.25 },
    ]);
  });

  test("are those of the last attempt, and of no attempt that has not ended", async () => {
    const mine = await RetryCaller.make();
    const own = new ExportFixture(mine.caller);
    const workflow = await publishedWorkflow(mine.caller, QUOTIENT);
    const body = { workflow, items: byItems(0, 4) };
    const [id, other] = [await own.endedBatch(body), await own.endedBatch(body)];
    const [failed, completed] = await keptOf(id);
    expect([failed, completed].map((outputs) => outputs?.includes('"text"'))).toEqual([
      false,
      true,
    ]);
    const nodes = QUOTIENT.nodes.map((node) =>
      node.id === "divide" ? { ...node, parameters: { expression: "1 / (b + 1)" } } : node,
    );
    await mine.edit(workflow, { ...QUOTIENT, nodes });
    const { token } = mine.caller;
    await call("POST", `/api/v1/workflows/${workflow}/publish`, { token });
    await own.post(`/${other}/retry`, { version: "latest" });
    expect(await own.ended(other)).toMatchObject({ status: "completed", attempt: 2 });
    expect((await keptOf(other))[0]).toContain('"text":"1"');
    const start = vi.spyOn(RunObject.prototype, "startOfBatch");
    start.mockRejectedValue(new Error("the start was lost"));
    await own.post(`/${id}/retry`, { version: "latest" });
    await waitUntil("the start to be lost", () => Promise.resolve(start.mock.calls.length > 0));
    start.mockRestore();
    expect(await keptOf(id)).toEqual([null, completed]);
    expect(await own.ended(id)).toMatchObject({ status: "completed", attempt: 2 });
    // The workspace has repeated the start, and the run has reported its end itself.
    expect(await keptOf(id)).toEqual([null, completed]);
    for (const batch of [id, other]) {
      await own.exported(batch, { format: "csv" });
      expect(text(await own.download(batch, "csv"))).toMatch(/,,,1\r\n.*,,,0\.25\r\n$/s);
    }
  });

  test("are forgotten before those of their run expire, of that run alone", async () => {
    const id = await batches.endedBatch({ workflow: echo, items: wordItems(3) });
    const [first, second] = await batches.runsOf(id);
    const forget = vi.spyOn(BatchObject.prototype, "forgetOutputs");
    forget.mockRejectedValueOnce(new Error("the batch is away"));
    const stub = env.RUN.get(env.RUN.idFromName(String(second)));
    const request = { v: 1, workspace_id: batches.caller.workspaceId } as const;
    const failed = await stub.expireOutputs(request).then(() => "no error", String);
    expect(failed).toContain("the batch is away");
    // Nothing has expired: the run has its outputs yet.
    const asked = { ...request, base_url: "", if_none_match: null, wait_ms: 0 };
    const read = await stub.read(asked);
    expect(read.ok && read.value.execution?.outputs[0]).toMatchObject({ presence: "present" });
    await batches.expire(String(second));
    expect(await isKept(id)).toEqual([true, false, true]);
    await batches.post(`/${id}/exports`, { format: "csv" });
    expect((await batches.endedExport(id, "csv")).error_message).toContain(String(second));
    await batches.expire(String(first));
    const gone = await batches.post(`/${id}/exports`, { format: "ndjson" });
    expect([gone.status, gone.json.code]).toEqual([410, "outputs_expired"]);
    expect(JSON.stringify(await keptOf(id))).not.toContain("word 0");
  });

  test("are forgotten for no other workspace and no other run", async () => {
    const id = await batches.endedBatch({ workflow: echo, items: wordItems(2) });
    const [first, second] = await batches.runsOf(id);
    const stub = env.BATCH.get(env.BATCH.idFromName(id));
    const { workspaceId: workspace_id } = batches.caller;
    for (const asked of [
      { workspace_id: "ws_other", run_id: String(first), index: 0 },
      { workspace_id, run_id: String(second), index: 0 },
      { workspace_id, run_id: `run_${"0".repeat(32)}`, index: null },
    ]) {
      await stub.forgetOutputs({ v: 1, ...asked });
    }
    expect(await isKept(id)).toEqual([true, true]);
  });

  test("are kept of runs that report their ends themselves, as webhook endpoints hear of them", async () => {
    const own = new ExportFixture(await newCaller());
    const workflow = await publishedWorkflow(own.caller);
    await activeEndpoint(own.caller.workspaceId);
    const start = vi.spyOn(RunObject.prototype, "startOfHeardBatch");
    const id = await own.endedBatch({ workflow, items: wordItems(40) });
    const told = await Promise.all(start.mock.results.map(({ value }) => value));
    expect(told.length).toBeGreaterThan(0);
    // An end that comes before the outputs of its run leaves them with it.
    const kept = await keptOf(id);
    expect(told.filter(({ value }) => kept.includes(value)).length).toBeGreaterThan(0);
    await own.exported(id, { format: "csv" });
    expect(text(await own.download(id, "csv"))).toContain(",,,word 39\r\n");
  });
});
