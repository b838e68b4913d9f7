import { expect, it } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";

const DEFINITION = {
  nodes: [
    { id: "doc", type: "input/document", label: "Doc", parameters: {} },
    { id: "out", type: "output/document", label: "Out", parameters: {} },
  ],
  connections: [{ from: { node: "doc", port: "document" }, to: { node: "out", port: "document" } }],
};

it("shows the newest asset that a media input accepts, else a placeholder address with a note", async () => {
  const caller = await newCaller();
  const id = await publishedWorkflow(caller, DEFINITION);
  const primary = async () =>
    (await call("GET", `/api/v1/workflows/${id}`, { token: caller.token })).json.execution_contract
      .primary;
  const before = await primary();
  expect(before.example.inputs.doc.value).toBe('"https://example.com/document.pdf"');
  expect(before.notes.join()).toContain("placeholder");
  await upload(caller, "first.txt", "1");
  const newest = (await upload(caller, "second.txt", "2")).json.path;
  const after = await primary();
  expect(after.example.inputs).toEqual({ doc: { asset_path: newest } });
  expect(after.notes).toEqual([]);
  const run = await call("POST", "/api/v1/executions", {
    token: caller.token,
    json: after.example,
  });
  expect(run.status).toBe(202);
});

it("shows the form of an input that accepts stored files only, and a real file once there is one", async () => {
  const caller = await newCaller();
  const { token } = caller;
  const rows = (required: boolean) =>
    publishedWorkflow(caller, {
      nodes: [
        { id: "rows", type: "input/csv", label: "Rows", parameters: { required } },
        { id: "out", type: "output/json", label: "Out", parameters: {} },
      ],
      connections: [{ from: { node: "rows", port: "item" }, to: { node: "out", port: "json" } }],
    });
  const primary = async (id: string) =>
    (await call("GET", `/api/v1/workflows/${id}`, { token })).json.execution_contract.primary;
  const optional = await rows(false);
  expect((await primary(optional)).example.inputs).toEqual({});
  const required = await rows(true);
  const before = await primary(required);
  expect(before.example.inputs).toEqual({ rows: { asset_path: "path-of-your-upload.csv" } });
  expect(before.notes).toEqual([expect.stringContaining("(csv, tsv, txt). Upload one")]);
  const early = await call("POST", "/api/v1/executions", { token, json: before.example });
  expect([early.status, early.json.code]).toEqual([404, "not_found"]);
  expect(early.json.detail).toContain("inputs.rows.asset_path");
  const missing = await call("POST", "/api/v1/executions", { token, json: { workflow: required } });
  expect([missing.status, missing.json.example]).toEqual([400, before.example.inputs]);
  await upload(caller, "rows.csv", "a\n1\n");
  for (const id of [optional, required]) {
    const { example } = await primary(id);
    expect(example.inputs.rows.asset_path).toMatch(/rows\.csv$/);
    expect((await call("POST", "/api/v1/executions", { token, json: example })).status).toBe(202);
  }
});
