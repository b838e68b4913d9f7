/** docs/contract/batches.md#batch-input: `input/batch` in the runs of items and in submits. */
import { beforeAll, describe, expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { BatchFixture } from "./batch-fixture.ts";

const link = (node: string, port: string, to: string, toPort = "json") => ({
  from: { node, port },
  to: { node: to, port: toPort },
});

/** Shows its item, index and a column, beside another input; the column fails for a row without a price. */
const ROWS = {
  nodes: [
    {
      id: "in",
      type: "input/batch",
      label: "rows",
      parameters: {
        jsonConfig: {
          properties: [{ path: "$.price", outputPort: "price", outputType: "number" }],
        },
      },
    },
    { id: "note", type: "input/text", label: "note", parameters: { required: false } },
    { id: "item", type: "output/json", label: "item" },
    { id: "index", type: "output/json", label: "index" },
    { id: "price", type: "output/json", label: "price" },
    { id: "said", type: "output/text", label: "said" },
  ],
  connections: [
    link("in", "item", "item"),
    link("in", "index", "index"),
    link("in", "price", "price"),
    link("note", "text", "said", "text"),
  ],
};

let batches: BatchFixture;
let rows: string;

beforeAll(async () => {
  batches = new BatchFixture(await newCaller());
  rows = await publishedWorkflow(batches.caller, ROWS);
});

const api = (method: string, path: string, json?: unknown) =>
  call(method, path, { token: batches.caller.token, ...(json !== undefined && { json }) });

/** The values of an output of a run, in order. */
async function valuesOf(run: string, key: string): Promise<unknown[]> {
  const { json } = await api("GET", `/api/v1/executions/${run}/result`);
  return json.result.by_key[key].items.map(({ value }: { value: unknown }) => value);
}

async function runOf(id: string, index: number): Promise<string> {
  return (await batches.get(`/${id}/items/${String(index)}`)).json.execution;
}

describe("in the run of an item, input/batch", () => {
  test("has one element: the value under its key, else the other inputs of the item", async () => {
    const path = String((await upload(batches.caller, "n.txt", "note")).json.path);
    const note = { value: '"n"' };
    const id = await batches.create({
      workflow: rows,
      common_inputs: { note },
      on_invalid_item: "fail_item",
      items: [
        { inputs: { rows: { value: '{"price": 1.50, "all": [1, 2]}' } } },
        { inputs: { in: { value: '["a", "b"]' } } },
        {},
        { inputs: { rows: { value: "{" } } },
        { inputs: { rows: { asset_path: path } } },
        { inputs: { rows: { value: "1" }, in: { value: "2" }, note } },
      ],
    });
    expect(await batches.ended(id)).toMatchObject({ completed: 4, failed: 2 });
    const [first, second, third] = await Promise.all([0, 1, 2].map((at) => runOf(id, at)));
    expect(await valuesOf(first!, "item")).toEqual([{ price: 1.5, all: [1, 2] }]);
    expect(await valuesOf(first!, "price")).toEqual([1.5]);
    expect(await valuesOf(first!, "index")).toEqual([0]);
    expect(await valuesOf(second!, "item")).toEqual([["a", "b"]]);
    expect(await valuesOf(second!, "index")).toEqual([1]);
    expect(await valuesOf(third!, "item")).toEqual([{ note: "n" }]);
  });

  test("has the files of its item as their paths, and its common inputs", async () => {
    const files = await publishedWorkflow(batches.caller, {
      nodes: [
        { id: "in", type: "input/batch", label: "row" },
        { id: "d", type: "input/document", label: "doc", parameters: { required: false } },
        { id: "n", type: "input/number", label: "count", parameters: { required: false } },
        { id: "item", type: "output/json", label: "item" },
      ],
      connections: [link("in", "item", "item")],
    });
    const asset_path = String((await upload(batches.caller, "d.txt", "words")).json.path);
    const id = await batches.create({
      workflow: files,
      common_inputs: { count: { value: "1.50" } },
      items: [{ inputs: { doc: { asset_path } } }],
    });
    await batches.until(id, "running", ({ running }) => running === 1);
    // The runner, which is not here, would read the document.
    await expect
      .poll(async () => valuesOf(await runOf(id, 0), "item"))
      .toEqual([{ doc: { asset_path }, count: 1.5 }]);
    await batches.post(`/${id}/cancel`);
  });

  test("has the whole row of a dataset, typed, or the mapped cell", async () => {
    const csv = 'price,when,name,note\n"1.50",2024-01-31,007,n\n2,2024-02-01,,\n';
    const asset_path = String((await upload(batches.caller, "p.csv", csv)).json.path);
    const whole = await batches.create({
      workflow: rows,
      dataset: { asset_path, mapping: { note: "note" } },
    });
    expect(await batches.ended(whole)).toMatchObject({ status: "completed", completed: 2 });
    expect(await valuesOf(await runOf(whole, 0), "item")).toEqual([
      { price: 1.5, when: "2024-01-31", name: "007", note: "n" },
    ]);
    expect(await valuesOf(await runOf(whole, 1), "item")).toEqual([
      { price: 2, when: "2024-02-01", name: null, note: null },
    ]);
    expect(await valuesOf(await runOf(whole, 1), "index")).toEqual([1]);
    const cell = await batches.create({
      workflow: rows,
      dataset: { asset_path, mapping: { rows: "price" } },
    });
    await batches.ended(cell);
    expect(await valuesOf(await runOf(cell, 0), "item")).toEqual([1.5]);
  });

  test("keeps its item and its index in a retry of the run", async () => {
    const id = await batches.create({
      workflow: rows,
      items: [{}, { inputs: { rows: { value: '{"price": 3}' } } }],
    });
    await batches.ended(id);
    const source = await runOf(id, 1);
    const body = { from: "start" };
    const { status, json } = await call("POST", `/api/v1/executions/${source}/retry`, {
      token: batches.caller.token,
      json: body,
      headers: { prefer: "wait=60" },
    });
    expect([status, json.status]).toEqual([202, "completed"]);
    expect(await valuesOf(json.id, "item")).toEqual([{ price: 3 }]);
    expect(await valuesOf(json.id, "index")).toEqual([1]);
  });
});

describe("in a submit, input/batch", () => {
  test("is a list that fans out, and nothing else", async () => {
    const { status, json } = await call("POST", "/api/v1/executions", {
      token: batches.caller.token,
      json: { workflow: rows, inputs: { rows: { value: '[{"price": 1}, {"price": 2}]' } } },
      headers: { prefer: "wait=60" },
    });
    expect([status, json.status]).toEqual([202, "completed"]);
    expect(await valuesOf(json.id, "index")).toEqual([0, 1]);
    expect(await valuesOf(json.id, "price")).toEqual([1, 2]);
    for (const value of ['{"index": 4, "item": 1}', '"text"', "null"]) {
      const refused = await api("POST", "/api/v1/executions", {
        workflow: rows,
        inputs: { rows: { value } },
      });
      expect([refused.status, refused.json.code]).toEqual([400, "validation_error"]);
      expect(refused.json.errors[0]).toMatchObject({ field: "inputs.rows" });
    }
    const missing = await api("POST", "/api/v1/executions", { workflow: rows });
    expect(missing.status).toBe(400);
    const asset_path = String((await upload(batches.caller, "r.json", "[1]")).json.path);
    const filed = await api("POST", "/api/v1/executions", {
      workflow: rows,
      inputs: { rows: { asset_path } },
    });
    expect([filed.status, filed.json.code]).toEqual([400, "validation_error"]);
  });

  test("is counted by estimates, and has an example that runs in the contract", async () => {
    const { json } = await api("GET", `/api/v1/workflows/${rows}`);
    const { primary } = json.execution_contract;
    expect(primary.inputs.rows).toMatchObject({ type: "json", required: true });
    expect(JSON.parse(primary.example.inputs.rows.value)).toEqual([{ price: 1 }, { price: 1 }]);
    const paid = await publishedWorkflow(batches.caller, {
      nodes: [
        {
          id: "in",
          type: "input/batch",
          label: "rows",
          parameters: {
            jsonConfig: { properties: [{ path: "$", outputPort: "text", outputType: "text" }] },
          },
        },
        { id: "code", type: "image/code", parameters: { symbology: "qr", size: 64 } },
        { id: "out", type: "output/image", label: "out" },
      ],
      connections: [link("in", "text", "code", "text"), link("code", "image", "out", "image")],
    });
    const estimate = await api("POST", `/api/v1/workflows/${paid}/estimate`, {
      inputs: { rows: { value: '["a", "b", "c"]' } },
    });
    expect(estimate.json).toMatchObject({ estimated_milli_credits: 60, is_exact: true });
    const batch = await batches.post("/estimate", {
      workflow: paid,
      items: [{ inputs: { rows: { value: '"a"' } } }, { inputs: { rows: { value: '"b"' } } }],
    });
    expect(batch.json).toMatchObject({
      estimated_milli_credits: 40,
      is_exact: true,
      min_item_milli_credits: 20,
      max_item_milli_credits: 20,
    });
  });
});
