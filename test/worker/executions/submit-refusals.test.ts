/** Refusals that concern the workflow itself, by a submit and an estimate of the same body (docs/contract/problems.md#codes, docs/contract/workflows.md#life). */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { workspaceObject } from "../../../src/storage/objects/workspace-object.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { ECHO_DEFINITION, publishedWorkflow } from "../../support/published-workflow.ts";

const caller = await newCaller();
const { token } = caller;
const inputs = { words: { value: '"hello"' } };

/** Sends the body to submit and to estimate, which must agree. */
async function refusals(workflow: string, more: object = {}): Promise<[number, string][]> {
  const answers = [
    await call("POST", "/api/v1/executions", { token, json: { workflow, inputs, ...more } }),
    await call("POST", `/api/v1/workflows/${workflow}/estimate`, {
      token,
      json: { inputs, ...more },
    }),
  ];
  return answers.map(({ status, json }) => [status, json.code]);
}

test("a workflow that is not published", async () => {
  const draft = await call("POST", "/api/v1/workflows", {
    token,
    json: { name: "Draft", definition: ECHO_DEFINITION },
  });
  const expected = [400, "workflow_not_published"];
  expect(await refusals(draft.json.id)).toEqual([expected, expected]);
  const archived = await publishedWorkflow(caller);
  await call("POST", `/api/v1/workflows/${archived}/archive`, { token });
  expect(await refusals(archived)).toEqual([expected, expected]);
});

test("a version out of range, naming the range", async () => {
  const workflow = await publishedWorkflow(caller);
  const expected = [400, "invalid_version"];
  expect(await refusals(workflow, { version: 2 })).toEqual([expected, expected]);
  const { json } = await call("POST", `/api/v1/workflows/${workflow}/estimate`, {
    token,
    json: { inputs, version: 2 },
  });
  expect(json.detail).toContain("1 to 1");
});

test("a version whose definition is missing", async () => {
  const workflow = await publishedWorkflow(caller);
  // As if its row were lost: the workspace object has a version 2, D1 does not.
  await workspaceObject({ env }, caller.workspaceId).setWorkflowPointer({
    workflow_id: workflow,
    name: "Test",
    status: "published",
    version: 2,
    seq: 1_000,
  });
  const expected = [404, "version_not_available"];
  expect(await refusals(workflow)).toEqual([expected, expected]);
});

test("a folder that does not exist, for a new workflow", async () => {
  const { status, json } = await call("POST", "/api/v1/workflows", {
    token,
    json: { name: "Lost", folder_id: "fld_0190f3aa000070008000000000000001" },
  });
  expect([status, json.code]).toEqual([404, "not_found"]);
});

test("a media address that resolves into a private network, naming each input with it", async () => {
  const workflow = await publishedWorkflow(caller, {
    nodes: [
      { id: "first", type: "input/image" },
      { id: "second", type: "input/image" },
      { id: "third", type: "input/image" },
      { id: "out", type: "output/image" },
    ],
    connections: [
      { from: { node: "first", port: "image" }, to: { node: "out", port: "image" } },
      { from: { node: "second", port: "image" }, to: { node: "out", port: "image" } },
      { from: { node: "third", port: "image" }, to: { node: "out", port: "image" } },
    ].slice(0, 1),
  });
  const asked: string[] = [];
  const RESOLVER = {
    fetch: (address: string) => {
      const name = new URL(address).searchParams.get("name") ?? "";
      asked.push(name);
      return Promise.resolve(
        Response.json([name === "inside.example.com" ? "10.0.0.7" : "1.1.1.1"]),
      );
    },
  } as unknown as Fetcher;
  const image = (host: string) => ({ value: JSON.stringify(`https://${host}/a.png`) });
  const given = {
    first: image("inside.example.com"),
    second: image("www.example.com"),
    third: image("inside.example.com"),
  };
  for (const path of ["/api/v1/executions", `/api/v1/workflows/${workflow}/estimate`]) {
    const { status, json } = await call("POST", path, {
      token,
      json: { workflow, inputs: given },
      env: { RESOLVER },
    });
    expect([status, json.code], path).toEqual([400, "validation_error"]);
    expect(json.errors.map(({ field }: { field: string }) => field).toSorted()).toEqual([
      "inputs.first.value",
      "inputs.third.value",
    ]);
    expect(json.detail).toContain("resolves to an address that is not public");
  }
  expect(new Set(asked)).toEqual(new Set(["inside.example.com", "www.example.com"]));
  expect(asked).toHaveLength(4);
});
