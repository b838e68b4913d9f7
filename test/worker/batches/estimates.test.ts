/** docs/contract/batches.md#estimate. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";
import { CODES, DEFERRED_CODES } from "../../support/paid-definitions.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { workspaceObject } from "../../../src/storage/objects/workspace-object.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { RetryCaller, work } from "../executions/retry-caller.ts";
import { BATCHES, BatchFixture, byItems, QUOTIENT } from "./batch-fixture.ts";

let batches: BatchFixture;

beforeAll(async () => {
  batches = new BatchFixture(await newCaller());
});

const rowsInput = (key: string, ...rows: string[]) => ({
  inputs: { [key]: { value: JSON.stringify(rows) } },
});

test("an estimate sums the items that are valid, and makes nothing", async () => {
  const workflow = await publishedWorkflow(batches.caller, CODES);
  const { status, json } = await batches.post("/estimate", {
    workflow,
    on_invalid_item: "fail_item",
    items: [
      rowsInput("rows", "a"),
      rowsInput("rows", "b", "c", "d"),
      { inputs: { rows: { value: "not JSON" } } },
    ],
  });
  expect([status, json]).toEqual([
    200,
    {
      estimated_milli_credits: 80,
      estimated_credits: 0.08,
      is_exact: true,
      total_items: 3,
      invalid_items: 1,
      min_item_milli_credits: 20,
      max_item_milli_credits: 60,
      balance_milli_credits: expect.any(Number),
      sufficient: true,
      warnings: [],
    },
  ]);
  expect((await batches.get("")).json.total_count).toBe(0);
});

test("an exact estimate is what a batch without failures is charged, of items and of a dataset", async () => {
  const own = await RetryCaller.make();
  const mine = new BatchFixture(own.caller);
  const csv = 'rows\n"[""a"",""b""]"\nnone\n"[""c""]"\n';
  const asset_path = String((await upload(own.caller, "rows.csv", csv)).json.path);
  const items = [rowsInput("rows", "a", "b", "c"), {}, rowsInput("rows", "d")];
  const cases = [
    [{ items, common_inputs: rowsInput("rows", "e", "f").inputs }, [3, 2, 1]],
    [{ dataset: { asset_path, mapping: { rows: "rows" } } }, [2, 0, 1]],
  ] as const;
  let settled = 0;
  for (const [source, codes] of cases) {
    const body = { workflow: own.codes, ...source };
    const { json: estimate } = await mine.post("/estimate", body);
    const charge = 20 * codes.reduce<number>((sum, count) => sum + count, 0);
    expect(estimate).toMatchObject({ is_exact: true, estimated_milli_credits: charge });
    const id = await mine.create(body);
    await mine.until(id, "running", ({ pending }) => pending === 0);
    const { data } = (await mine.get(`/${id}/items`)).json;
    for (const [index, count] of codes.entries()) {
      if (count > 0) {
        await work(data[index].execution, count);
      }
    }
    const ended = await mine.ended(id);
    expect(Math.round(ended.credits_used * 1000)).toBe(charge);
    settled += charge;
    await waitUntil("the settlements", async () => {
      const entries = (await own.ledger()).filter(({ kind }) => kind === "settle");
      return entries.reduce((sum, entry) => sum + Math.abs(entry.milli_credits), 0) === settled;
    });
  }
});

test("an estimate names why it is not exact, once for each node", async () => {
  const workflow = await publishedWorkflow(batches.caller, DEFERRED_CODES);
  const item = { inputs: { data: { value: '{"rows": ["a", "b"]}' } } };
  const { json } = await batches.post("/estimate", { workflow, items: [item, item] });
  expect(json).toMatchObject({ is_exact: false, estimated_milli_credits: 40, total_items: 2 });
  expect(json.warnings).toMatchObject([{ code: "RESOLVED_AT_RUN_TIME", node_id: "codes" }]);
});

test("an estimate is not exact where the cache may have results, and a batch is then charged less", async () => {
  const own = await RetryCaller.make();
  const mine = new BatchFixture(own.caller);
  const body = { workflow: own.codes, items: [rowsInput("rows", "a", "a")] };
  const cached = { ...body, cache: { mode: "read" } };
  const ceiling = {
    is_exact: false,
    estimated_milli_credits: 40,
    warnings: [{ code: "COST_IS_A_CEILING", node_id: "codes" }],
  };
  expect((await mine.post("/estimate", cached)).json).toMatchObject(ceiling);
  const { json: single } = await call("POST", `/api/v1/workflows/${own.codes}/estimate`, {
    token: own.caller.token,
    json: { inputs: body.items[0]?.inputs, cache: cached.cache },
  });
  expect(single).toMatchObject({ ...ceiling, reserve_milli_credits: 40 });
  for (const cache of [undefined, { mode: "off" }]) {
    const { json } = await mine.post("/estimate", { ...body, ...(cache && { cache }) });
    expect(json).toMatchObject({ is_exact: true, estimated_milli_credits: 40, warnings: [] });
  }
  const id = await mine.create(cached);
  await mine.until(id, "running", ({ pending }) => pending === 0);
  const { data } = (await mine.get(`/${id}/items`)).json;
  // Of equal elements one is worked out, and the other takes its result.
  await work(data[0].execution, 1);
  expect(await mine.ended(id)).toMatchObject({ status: "completed", credits_used: 0.02 });
});

test("an estimate counts the rows of a dataset, and reports a balance that is too small", async () => {
  const poor = await BatchFixture.onPlan({ max_credits_per_month: 1 });
  const workflow = await publishedWorkflow(poor.caller, CODES);
  const line = JSON.stringify(JSON.stringify(["x"]));
  const csv = `rows\n${`${line.replaceAll('\\"', '""')}\n`.repeat(60)}`;
  const asset_path = String((await upload(poor.caller, "rows.csv", csv)).json.path);
  const body = { workflow, dataset: { asset_path, mapping: { rows: "rows" } } };
  const { json } = await poor.post("/estimate", body);
  expect(json).toMatchObject({
    estimated_milli_credits: 1_200,
    balance_milli_credits: 1_000,
    sufficient: false,
    warnings: [{ code: "INSUFFICIENT_CREDITS", milli_credits: 1_200, limit: 1_000 }],
  });
  expect((await poor.post("", body)).status).toBe(402);
});

test("an estimate refuses what a creation refuses", async () => {
  const { token, workspaceId } = batches.caller;
  const workflow = await publishedWorkflow(batches.caller, QUOTIENT);
  const archived = await publishedWorkflow(batches.caller, QUOTIENT);
  await call("POST", `/api/v1/workflows/${archived}/archive`, { token });
  const lost = await publishedWorkflow(batches.caller, QUOTIENT);
  // As if its row were lost: the workspace object has a version 2, D1 does not.
  await workspaceObject({ env }, workspaceId).setWorkflowPointer({
    workflow_id: lost,
    name: "Test",
    status: "published",
    version: 2,
    seq: 1_000,
  });
  const items = byItems(1);
  const cases = [
    [{ workflow, items: [] }, 400, "validation_error"],
    [{ workflow, items: [{ inputs: {} }] }, 400, "validation_error"],
    [{ items }, 400, "invalid_request"],
    [{ workflow: `wf_${"0".repeat(32)}`, items }, 404, "workflow_not_found"],
    [{ workflow: archived, items }, 400, "workflow_not_published"],
    [{ workflow, version: 9, items }, 400, "invalid_version"],
    [{ workflow: lost, items }, 404, "version_not_available"],
  ] as const;
  for (const [body, status, code] of cases) {
    const refused = await batches.post("/estimate", body);
    expect([refused.status, refused.json.code], JSON.stringify(body)).toEqual([status, code]);
  }
  for (const [type, body, code] of [
    ["text/plain", "{}", "unsupported_media_type"],
    ["application/json", `{"items":["${"x".repeat(16 * 1024 * 1024)}"]}`, "payload_too_large"],
  ] as const) {
    const headers = { "content-type": type };
    const refused = await call("POST", `${BATCHES}/estimate`, { token, headers, body });
    expect(refused.json.code).toBe(code);
  }
});

test("the inputs of all items have a limit, which common inputs count towards for each item", async () => {
  const workflow = await publishedWorkflow(batches.caller);
  const words = { value: JSON.stringify("x".repeat(4_000_000)) };
  const body = {
    workflow,
    common_inputs: { words },
    items: Array.from({ length: 34 }, () => ({})),
  };
  const refused = await batches.post("/estimate", body);
  expect([refused.status, refused.json.code]).toEqual([413, "payload_too_large"]);
  expect(refused.json.detail).toContain("134217728 characters");
  const fewer = await batches.post("/estimate", { ...body, items: body.items.slice(1) });
  expect(fewer.json).toMatchObject({ total_items: 33, invalid_items: 0 });
});
