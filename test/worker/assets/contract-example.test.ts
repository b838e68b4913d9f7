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

it("shows the newest asset that a media input takes, else a placeholder address with a note", async () => {
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
