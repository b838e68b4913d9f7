/** docs/contract/batches.md#retry and the event that each attempt of a batch ends with. */
import { beforeAll, describe, expect, test } from "vitest";
import { activeEndpoint } from "../../support/active-endpoint.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { parseEvents } from "../../support/read-events.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { CODED_DEFINITION, textsInput } from "../executions/coded-workflow.ts";
import { BATCHES, BatchFixture, byItems, QUOTIENT, wordItems } from "./batch-fixture.ts";

let batches: BatchFixture;
let quotient: string;
let echo: string;

beforeAll(async () => {
  batches = new BatchFixture(await newCaller());
  quotient = await publishedWorkflow(batches.caller, QUOTIENT);
  echo = await publishedWorkflow(batches.caller);
});

/** A batch with two failed items and one that completed. */
async function failedBatch(): Promise<string> {
  const id = await batches.create({ workflow: quotient, items: byItems(0, 1, 0) });
  expect(await batches.ended(id)).toMatchObject({ status: "partial_success", failed: 2 });
  return id;
}

describe("a retry", () => {
  test("submits the failed items again, and leaves the others", async () => {
    const id = await failedBatch();
    const retried = await batches.post(`/${id}/retry`);
    expect(retried.status, retried.text).toBe(202);
    expect(retried.json).toMatchObject({ attempt: 2, status: "running", completed_at: null });
    expect(await batches.ended(id)).toMatchObject({
      status: "partial_success",
      attempt: 2,
      completed: 1,
      failed: 2,
    });
    const { data } = (await batches.get(`/${id}/items`)).json;
    expect(data).toMatchObject([
      { attempt: 2, status: "failed", error_code: "CALC_DIVISION_BY_ZERO" },
      { attempt: 1, status: "completed" },
      { attempt: 2, status: "failed" },
    ]);
    expect(data.map((item: { executions: string[] }) => item.executions.length)).toEqual([2, 1, 2]);
    expect(data[0].execution).toBe(data[0].executions[1]);
    const runs = await batches.runs(id);
    expect(runs.total_count).toBe(5);
    const known = data.flatMap((item: { executions: string[] }) => item.executions);
    const ids = runs.data.map((run: { id: string }) => run.id);
    expect(ids.toSorted()).toEqual(known.toSorted());
    expect((await batches.get("?status=running")).json.data).toEqual([]);
  });

  test("begins with the first event of its own after the ends of other items", async () => {
    const id = await failedBatch();
    await batches.post(`/${id}/retry`);
    await batches.ended(id);
    const events = parseEvents((await batches.get(`/${id}/events`)).text).filter(
      ({ event }) => event !== "progress",
    );
    const items = events.flatMap(({ event, data }) => (event === "item" ? [data.index] : []));
    expect(new Map(items.map((index) => [index, true])).size).toBe(3);
    expect(items).toHaveLength(3);
    expect(events.filter(({ event }) => event === "done")).toHaveLength(1);
    expect(events.at(-1)?.event).toBe("done");
  });

  test("runs cancelled items, also of a batch that was never started", async () => {
    const id = await batches.create({ workflow: echo, start: false, items: wordItems(2) });
    await batches.post(`/${id}/cancel`);
    const { json } = await batches.post(`/${id}/retry`, {}, { prefer: "wait=60" });
    expect(json).toMatchObject({ status: "completed", attempt: 1, cancel_requested_at: null });
    const live = await publishedWorkflow(batches.caller, CODED_DEFINITION);
    const cut = await batches.create({
      workflow: live,
      items: [{ inputs: textsInput(["live"]) }],
    });
    await batches.until(cut, "live", ({ running }) => running === 1);
    await batches.post(`/${cut}/cancel`);
    await batches.ended(cut);
    await batches.post(`/${cut}/retry`);
    await batches.until(cut, "live again", ({ running }) => running === 1);
    await batches.post(`/${cut}/cancel`);
    expect(await batches.ended(cut)).toMatchObject({ status: "cancelled", attempt: 2 });
  });

  test("takes items that completed in part only if it is asked to", async () => {
    const workflow = await publishedWorkflow(batches.caller, {
      nodes: [
        { id: "by", type: "enumerate/range", parameters: { start: 0, end: 1 } },
        { id: "divide", type: "utility/calculate", parameters: { expression: "1 / b" } },
        { id: "out", type: "output/json", label: "Out" },
      ],
      connections: [
        { from: { node: "by", port: "value" }, to: { node: "divide", port: "b" } },
        { from: { node: "divide", port: "result" }, to: { node: "out", port: "json" } },
      ],
    });
    const id = await batches.create({ workflow, items: [{}] });
    expect(await batches.ended(id)).toMatchObject({ status: "completed", partial_success: 1 });
    const refused = await batches.post(`/${id}/retry`);
    expect([refused.status, refused.json.code]).toEqual([422, "no_failed_items"]);
    const body = { include_partial: true, from: "failure" };
    expect((await batches.post(`/${id}/retry`, body)).status).toBe(202);
    expect(await batches.ended(id)).toMatchObject({ status: "completed", attempt: 2 });
  });

  test("of nothing but invalid items ends at once, as they stay failed", async () => {
    const items = [{ inputs: { by: { value: '"x"' } } }, ...byItems(1)];
    const body = { workflow: quotient, on_invalid_item: "fail_item", items };
    const id = await batches.create(body);
    await batches.ended(id);
    const { json } = await batches.post(`/${id}/retry`, {}, { prefer: "wait=60" });
    expect(json).toMatchObject({ status: "partial_success", attempt: 2, failed: 1 });
    expect((await batches.runs(id)).total_count).toBe(1);
    const events = parseEvents((await batches.get(`/${id}/events`)).text);
    expect(events.at(-1)?.event).toBe("done");
  });

  test("is made once for a key, and refused for another body", async () => {
    const id = await failedBatch();
    const headers = { "idempotency-key": crypto.randomUUID() };
    for (const replayed of [null, "true"]) {
      const retried = await batches.post(`/${id}/retry`, {}, headers);
      expect([retried.status, retried.headers.get("idempotency-replayed")]).toEqual([
        202,
        replayed,
      ]);
      expect(await batches.ended(id)).toMatchObject({ attempt: 2 });
    }
    const other = await batches.post(`/${id}/retry`, { include_partial: true }, headers);
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
    const short = { "idempotency-key": "short" };
    const refused = await batches.post(`/${id}/retry`, {}, short);
    expect([refused.status, refused.json.code]).toEqual([400, "invalid_idempotency_key"]);
  });

  test("needs a batch that has ended, and a workflow that exists", async () => {
    const waiting = await batches.create({ workflow: echo, start: false, items: wordItems(1) });
    const early = await batches.post(`/${waiting}/retry`);
    expect([early.status, early.json.code]).toEqual([422, "invalid_state"]);
    const { token } = batches.caller;
    const workflow = await publishedWorkflow(batches.caller);
    const id = await batches.create({ workflow, start: false, items: wordItems(1) });
    await batches.post(`/${id}/cancel`);
    const deleted = await call("DELETE", `/api/v1/workflows/${workflow}`, { token });
    expect(deleted.status).toBe(204);
    const refused = await batches.post(`/${id}/retry`);
    expect([refused.status, refused.json.code]).toEqual([404, "workflow_not_found"]);
    expect((await batches.get(`/${id}`)).json).toMatchObject({ status: "cancelled", attempt: 0 });
    expect((await batches.get("?status=running")).json.total_count).toBe(0);
  });

  test("takes no other body", async () => {
    const id = await failedBatch();
    const path = `${BATCHES}/${id}/retry`;
    const { token } = batches.caller;
    const unknown = await batches.post(`/${id}/retry`, { versions: 1 });
    expect([unknown.status, unknown.json.code]).toEqual([400, "validation_error"]);
    for (const [type, body, code] of [
      ["application/json", "{", "invalid_request"],
      ["text/plain", "{}", "unsupported_media_type"],
      ["application/json", `{"from":"${"x".repeat(5 * 1024 * 1024)}"}`, "payload_too_large"],
    ] as const) {
      const refused = await call("POST", path, { token, headers: { "content-type": type }, body });
      expect(refused.json.code).toBe(code);
    }
    expect((await batches.get(`/${id}`)).json.attempt).toBe(1);
  });
});

test("each attempt that ends is an event for the endpoints that subscribe to it", async () => {
  const own = new BatchFixture(await newCaller());
  const type = "com.svc.batch.finished.v1";
  const { endpoint } = await activeEndpoint(own.caller.workspaceId, [type]);
  const { endpoint: other } = await activeEndpoint(own.caller.workspaceId);
  const workflow = await publishedWorkflow(own.caller, QUOTIENT);
  const id = await own.create({ workflow, items: byItems(0, 1), client_reference: "of mine" });
  const filter = { v: 1, limit: 10, below_id: null, status: null, execution: null } as const;
  for (const attempt of [1, 2]) {
    const batch = await own.ended(id);
    await waitUntil("the event", async () => {
      const { total } = await endpoint.listDeliveries({ ...filter, event_type: type });
      return total === attempt;
    });
    const [sent] = await endpoint.claim({ v: 1, max: 1 });
    const event = JSON.parse(sent?.body ?? "");
    const { id: batch_id, ...fields } = batch;
    expect(event).toMatchObject({ type, subject: id, time: batch.completed_at });
    expect(event.data).toEqual({
      batch_id,
      ...fields,
      batch_url: `https://svc.test/api/v1/batch-executions/${id}`,
      items_url: `https://svc.test/api/v1/batch-executions/${id}/items`,
    });
    expect(event.data).toMatchObject({ attempt, client_reference: "of mine" });
    if (attempt === 1) {
      await own.post(`/${id}/retry`);
    }
  }
  const { rows } = await other.listDeliveries({ ...filter, event_type: null });
  const types = rows.map(({ event_type }) => event_type);
  expect(types).toContain("com.svc.execution.finished.v1");
  expect(types).not.toContain(type);
});
