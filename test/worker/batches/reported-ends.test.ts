/** Ends of items' runs, which the batch reports for those that end within their starts (docs/decisions/batch-items.md). */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { WorkspaceEffects } from "../../../durable-objects/workspace/workspace-effects.ts";
import { WorkspaceObject } from "../../../durable-objects/workspace/workspace-object.ts";
import type {
  AdmitBatchReply,
  AdmitBatchRequest,
} from "../../../src/contracts/workspaces/admission.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { activeEndpoint } from "../../support/active-endpoint.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { BatchFixture, byItems, QUOTIENT, wordItems } from "./batch-fixture.ts";

const ITEMS = 24;

afterEach(() => {
  vi.restoreAllMocks();
});

test("reach the workspace several at a time, with the next items", async () => {
  const batches = new BatchFixture(await newCaller());
  const workflow = await publishedWorkflow(batches.caller);
  const close = vi.spyOn(WorkspaceObject.prototype, "close");
  // On a busy machine the workspace repeats a start, and the run then reports its end itself.
  vi.spyOn(WorkspaceEffects.prototype, "sendStart").mockResolvedValue(true);
  const admit = vi.spyOn(WorkspaceObject.prototype, "admitBatch");
  const id = await batches.create({ workflow, items: wordItems(ITEMS) });
  expect(await batches.ended(id)).toMatchObject({ status: "completed", completed: ITEMS });
  const told = admit.mock.calls.map(([{ ends = [] }]) => ends.length);
  expect(told.reduce((sum, count) => sum + count, 0)).toBe(ITEMS);
  // At least four at a time, but for the last ones.
  expect(told.filter((count) => count > 0).length).toBeLessThanOrEqual(ITEMS / 4 + 4);
  expect(close).not.toHaveBeenCalled();
  expect((await batches.runs(id)).total_count).toBe(ITEMS);
});

test("are reported by their runs if the batch's report is lost", async () => {
  const batches = new BatchFixture(await newCaller());
  const workflow = await publishedWorkflow(batches.caller, QUOTIENT);
  const report = Reflect.get(WorkspaceObject.prototype, "admitBatch") as (
    this: WorkspaceObject,
    request: AdmitBatchRequest,
  ) => Promise<AdmitBatchReply>;
  const lost: string[] = [];
  vi.spyOn(WorkspaceObject.prototype, "admitBatch").mockImplementation(function (
    this: WorkspaceObject,
    request,
  ) {
    const { ends = [] } = request;
    if (lost.length === 0 && ends.length > 0) {
      lost.push(...ends.map(({ run_id: run }) => run));
      throw new Error("the call was lost");
    }
    return report.call(this, request);
  });
  const id = await batches.create({ workflow, items: byItems(0, ...Array(ITEMS - 1).fill(2)) });
  expect(await batches.ended(id)).toMatchObject({
    status: "partial_success",
    completed: ITEMS - 1,
    failed: 1,
  });
  expect(lost.length).toBeGreaterThan(0);
  const { data } = await batches.runs(id);
  expect(data).toHaveLength(ITEMS);
  expect(data.map(({ id: run }: { id: string }) => run)).toEqual(expect.arrayContaining(lost));
  const { json: items } = await batches.get(`/${id}/items?limit=100`);
  expect(items.data[0]).toMatchObject({ error_code: "CALC_DIVISION_BY_ZERO", status: "failed" });
  expect(
    new Set(items.data.map(({ executions }: { executions: string[] }) => executions.length)),
  ).toEqual(new Set([1]));
});

test("are events for webhook endpoints, one for each run", async () => {
  const batches = new BatchFixture(await newCaller());
  const workflow = await publishedWorkflow(batches.caller);
  const { endpoint } = await activeEndpoint(batches.caller.workspaceId);
  const id = await batches.create({ workflow, items: wordItems(ITEMS) });
  await batches.ended(id);
  const type = "com.svc.execution.finished.v1";
  const filter = { v: 1, below_id: null, status: null, execution: null } as const;
  const rows = await waitUntil("the events", async () => {
    const found = await endpoint.listDeliveries({ ...filter, limit: 100, event_type: type });
    return found.total >= ITEMS && found.rows;
  });
  const { data } = await batches.runs(id);
  const runs: string[] = data.map(({ id: run }: { id: string }) => run);
  expect(rows).toHaveLength(ITEMS);
  expect(new Set(rows.map(({ execution }) => execution))).toEqual(new Set(runs));
  const sent = await endpoint.claim({ v: 1, max: ITEMS });
  expect(sent.length).toBeGreaterThan(0);
  for (const { body } of sent) {
    const event = JSON.parse(body).data;
    const run = data.find(({ id: one }: { id: string }) => one === event.execution_id);
    const { client_reference, batch_index, is_draft, reused_iterations } = run;
    expect(client_reference).toBe(`row ${String(batch_index)}`);
    expect(event).toMatchObject({
      client_reference,
      batch: id,
      batch_index,
      is_draft,
      reused_iterations,
    });
    expect(event).not.toHaveProperty("retry_of");
  }
});

test("do not reach a webhook endpoint that is made later, though the runs are read then", async () => {
  const batches = new BatchFixture(await newCaller());
  const { token } = batches.caller;
  const workflow = await publishedWorkflow(batches.caller);
  const items = wordItems(2);
  const id = await batches.create({ workflow, items });
  await batches.ended(id);
  const single = await call("POST", "/api/v1/executions", {
    token,
    json: { workflow, inputs: items[0]!.inputs },
    headers: { prefer: "wait=10" },
  });
  const object = env.RUN.get(env.RUN.idFromName(single.json.id));
  await evictDurableObject(object);
  const { endpoint } = await activeEndpoint(batches.caller.workspaceId);
  const close = vi.spyOn(WorkspaceObject.prototype, "close");
  const { data } = await batches.runs(id);
  for (const run of [single.json.id, ...data.map((row: { id: string }) => row.id)]) {
    expect((await call("GET", `/api/v1/executions/${run}`, { token })).status).toBe(200);
  }
  await waitUntil("the runs to report their ends again", () =>
    Promise.resolve(close.mock.settledResults.length === 3),
  );
  const filter = { v: 1, below_id: null, status: null, execution: null } as const;
  const type = "com.svc.execution.finished.v1";
  expect((await endpoint.listDeliveries({ ...filter, limit: 100, event_type: type })).total).toBe(
    0,
  );
  const fresh = await call("POST", "/api/v1/executions", {
    token,
    json: { workflow, inputs: items[0]!.inputs },
    headers: { prefer: "wait=10" },
  });
  const rows = await waitUntil("the event of a later run", async () => {
    const found = await endpoint.listDeliveries({ ...filter, limit: 100, event_type: type });
    return found.total > 0 && found.rows;
  });
  expect(rows.map(({ execution }) => execution)).toEqual([fresh.json.id]);
});
