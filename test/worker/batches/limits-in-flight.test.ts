/** docs/contract/batches.md#limits, #pacing and #creation: what ends or slows a batch, and what its creation refuses. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { workspaceObject } from "../../../src/storage/objects/workspace-object.ts";
import { call, newCaller, operator } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";
import { BRANCHED_CODES, DEFERRED_CODES } from "../../support/paid-definitions.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { CODED_DEFINITION, textsInput } from "../executions/coded-workflow.ts";
import { BatchFixture, byItems, QUOTIENT, wordItems } from "./batch-fixture.ts";

describe("max_failed_items", () => {
  test("ends the acceptance of items once more have failed", async () => {
    const batches = new BatchFixture(await newCaller());
    const workflow = await publishedWorkflow(batches.caller, QUOTIENT);
    const items = byItems(0, 1, 0, 0, 1, 1);
    const body = { workflow, items, max_concurrency: 1, max_failed_items: 1 };
    const id = await batches.create(body);
    expect(await batches.ended(id)).toMatchObject({
      status: "partial_success",
      completed: 1,
      failed: 2,
      cancelled: 3,
      error_code: "BATCH_FAILURE_LIMIT",
      error_message: expect.stringContaining("max_failed_items"),
    });
    expect((await batches.runs(id)).total_count).toBe(3);
    const { json } = await batches.get(`/${id}/items/0`);
    expect(json).toMatchObject({ status: "failed", error_code: "CALC_DIVISION_BY_ZERO" });
    const all = await batches.create({ workflow, items, max_concurrency: 1, max_failed_items: 3 });
    expect(await batches.ended(all)).toMatchObject({ completed: 3, failed: 3, error_code: null });
  });
});

describe("a batch whose items' costs are not exact", () => {
  const yes = (count: number) =>
    Array.from({ length: count }, () => ({ inputs: { text: { value: '"yes"' } } }));

  test("fails each item that meets too small a balance, without a run", async () => {
    const batches = await BatchFixture.onPlan({ max_credits_per_month: 0 });
    const workflow = await publishedWorkflow(batches.caller, BRANCHED_CODES);
    const id = await batches.create({ workflow, items: yes(2) });
    expect(await batches.ended(id)).toMatchObject({ status: "failed", failed: 2, credits_used: 0 });
    expect((await batches.runs(id)).total_count).toBe(0);
    const { json } = await batches.get(`/${id}/items/1`);
    expect(json).toMatchObject({
      status: "failed",
      error_code: "insufficient_credits",
      execution: null,
      executions: [],
      attempt: 0,
    });
  });

  test("stops at the item that could cost more than is left of its credits", async () => {
    const batches = new BatchFixture(await newCaller());
    const workflow = await publishedWorkflow(batches.caller, BRANCHED_CODES);
    const body = { workflow, items: yes(3), max_total_milli_credits: 19 };
    const id = await batches.create(body);
    expect(await batches.ended(id)).toMatchObject({
      status: "failed",
      cancelled: 3,
      credits_used: 0,
      error_code: "BATCH_CREDIT_LIMIT",
    });
    expect((await batches.runs(id)).total_count).toBe(0);
  });
});

describe("an item whose fan-out is known only in its run", () => {
  test("counts with the most that its bounds allow", async () => {
    const batches = new BatchFixture(await newCaller());
    const workflow = await publishedWorkflow(batches.caller, DEFERRED_CODES);
    const item = { inputs: { data: { value: '{"rows": []}' } } };
    for (const [limits, max, error_code] of [
      [{}, 199_999, "BATCH_CREDIT_LIMIT"],
      [{}, 200_000, null],
      [{ max_iterations_per_node: 3 }, 59, "BATCH_CREDIT_LIMIT"],
      [{ max_iterations_per_node: 3 }, 60, null],
      [{ max_admitted_milli_credits: 40 }, 39, "BATCH_CREDIT_LIMIT"],
      [{ max_admitted_milli_credits: 40 }, 40, null],
    ] as const) {
      const body = { workflow, items: [item], admission_limits: limits };
      const id = await batches.create({ ...body, max_total_milli_credits: max });
      const ended = await batches.ended(id);
      expect([limits, max, ended.error_code, ended.completed]).toEqual([
        limits,
        max,
        error_code,
        error_code === null ? 1 : 0,
      ]);
    }
  });
});

describe("the slots of a plan", () => {
  test("are left by a quarter to single runs, and change with the plan", async () => {
    const batches = await BatchFixture.onPlan({ max_concurrent_executions: 4 });
    const { token, workspaceId } = batches.caller;
    const workflow = await publishedWorkflow(batches.caller, CODED_DEFINITION);
    const items = Array.from({ length: 9 }, () => ({ inputs: textsInput(["one"]) }));
    const id = await batches.create({ workflow, items });
    const full = await batches.until(id, "full", ({ running }) => running === 3);
    expect(full).toMatchObject({ max_concurrency: 3, pending: 6 });
    const json = { workflow, inputs: textsInput(["single"]) };
    const single = await call("POST", "/api/v1/executions", { token, json });
    await waitUntil("the single run to have a slot", async () => {
      const { json: run } = await call("GET", `/api/v1/executions/${single.json.id}`, { token });
      return run.status === "running";
    });
    expect((await batches.get(`/${id}`)).json.running).toBe(3);
    const code = `p-${crypto.randomUUID().slice(0, 8)}`;
    const limits = { requests_per_minute: 100_000, max_concurrent_executions: 8 };
    await operator("PUT", `/admin/v1/plans/${code}`, { limits });
    await operator("PUT", `/admin/v1/workspaces/${workspaceId}/plan`, { plan: code });
    await batches.until(id, "on the larger plan", ({ running }) => running === 6);
    await batches.post(`/${id}/cancel`);
    expect(await batches.ended(id)).toMatchObject({ status: "cancelled", cancelled: 9 });
  });

  test("are shared by the batches that have work", async () => {
    const batches = await BatchFixture.onPlan({ max_concurrent_executions: 6 });
    const workflow = await publishedWorkflow(batches.caller, CODED_DEFINITION);
    const items = Array.from({ length: 9 }, () => ({ inputs: textsInput(["one"]) }));
    const first = await batches.create({ workflow, items });
    await batches.until(first, "full", ({ running }) => running === 4);
    const second = await batches.create({ workflow, items });
    const { data } = await batches.runs(first);
    for (const { id } of data.slice(0, 2)) {
      const { token } = batches.caller;
      await call("POST", `/api/v1/executions/${id}/cancel`, { token });
    }
    await batches.until(second, "served", ({ running }) => running === 2);
    const other = await batches.until(first, "told", ({ cancelled }) => cancelled === 2);
    expect(other).toMatchObject({ running: 2, pending: 5 });
    await Promise.all([first, second].map((id) => batches.post(`/${id}/cancel`)));
    await Promise.all([first, second].map((id) => batches.ended(id)));
  });
});

describe("a creation is refused", () => {
  test("for another workspace's file, as an item's fault", async () => {
    const other = await newCaller();
    const uploaded = await upload(other, "secret.csv", "a\n1\n");
    expect(uploaded.status).toBe(201);
    const batches = new BatchFixture(await newCaller());
    const workflow = await publishedWorkflow(batches.caller, {
      nodes: [
        { id: "file", type: "input/csv", label: "File", parameters: { required: true } },
        { id: "out", type: "output/json", label: "Out", parameters: {} },
      ],
      connections: [{ from: { node: "file", port: "item" }, to: { node: "out", port: "json" } }],
    });
    const items = [{ inputs: { file: { asset_path: uploaded.json.path } } }];
    const refused = await batches.post("", { workflow, items });
    expect([refused.status, refused.json.code]).toEqual([400, "validation_error"]);
    expect(refused.json.errors).toEqual([
      {
        field: "items[0].inputs.file.asset_path",
        message: expect.stringMatching(/^the asset .* belongs to another workspace/),
      },
    ]);
  });

  test("if the definition of its version is missing", async () => {
    const batches = new BatchFixture(await newCaller());
    const workflow = await publishedWorkflow(batches.caller);
    // As if its row were lost: the workspace object has a version 2, D1 does not.
    await workspaceObject({ env }, batches.caller.workspaceId).setWorkflowPointer({
      workflow_id: workflow,
      name: "Test",
      status: "published",
      version: 2,
      seq: 1_000,
    });
    const refused = await batches.post("", { workflow, items: wordItems(1) });
    expect([refused.status, refused.json.code]).toEqual([404, "version_not_available"]);
  });

  test("if its workflow is not published, or an agent's item needs a bound", async () => {
    const batches = new BatchFixture(await newCaller());
    const { token } = batches.caller;
    const workflow = await publishedWorkflow(batches.caller);
    await call("POST", `/api/v1/workflows/${workflow}/archive`, { token });
    const refused = await batches.post("", { workflow, items: wordItems(1) });
    expect([refused.status, refused.json.code]).toEqual([400, "workflow_not_published"]);
    const deferred = await publishedWorkflow(batches.caller, DEFERRED_CODES);
    const body = { workflow: deferred, items: [{ inputs: { data: { value: '{"rows":[]}' } } }] };
    const unbound = await batches.post("", body, { "x-client-kind": "agent" });
    expect([unbound.status, unbound.json.code]).toEqual([400, "validation_error"]);
    const bound = { ...body, admission_limits: { max_iterations_per_node: 5 } };
    expect((await batches.post("", bound, { "x-client-kind": "agent" })).status).toBe(202);
  });
});
