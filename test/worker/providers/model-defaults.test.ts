/** docs/contract/models.md#defaults: the default models that an operator chooses for a workspace. */
import { expect, test } from "vitest";
import { call, type Caller, newCaller, newWorkspace, operator } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { TaskRunner } from "../executions/task-runner.ts";

const NOBODY = "ws_0190f3aa000070008000000000000001";
const model = (slug: string) => ({
  model: slug,
  capabilities: ["text_generation"],
  cost_unit: "per_1k_tokens",
  input_milli_credits_per_1k: 1,
  output_milli_credits_per_1k: 1,
});

const defaultsOf = (workspaceId: string) => `/admin/v1/workspaces/${workspaceId}/model-defaults`;
const putProvider = (workspaceId: string, json: object) =>
  operator("PUT", `/admin/v1/workspaces/${workspaceId}/providers/mine`, {
    kind: "openai_compatible",
    base_url: "https://models.example.com/v1",
    ...json,
  });

/** A caller whose workspace has the models `first` and `second` for texts. */
async function callerWithModels(): Promise<Caller> {
  const caller = await newCaller();
  const models = [model("first"), model("second")];
  expect((await putProvider(caller.workspaceId, { models })).status).toBe(200);
  return caller;
}

async function effective({ token }: Caller): Promise<readonly string[]> {
  const { json } = await call("GET", "/api/v1/node-types/ai/text_generation/models", { token });
  const { default_model, default_source } = json.capabilities[0];
  return [default_model, default_source];
}

test("a workspace's default is that of its callers as long as the model is available, and of no other workspace", async () => {
  const [caller, other] = [await callerWithModels(), await callerWithModels()];
  const base = defaultsOf(caller.workspaceId);
  expect(await effective(caller)).toEqual(["first", "system"]);
  const chosen = await operator("PUT", `${base}/text_generation`, { model: "second" });
  expect([chosen.status, chosen.json]).toEqual([
    200,
    { capability: "text_generation", model: "second" },
  ]);
  expect(await effective(caller)).toEqual(["second", "workspace_override"]);
  expect(await effective(other)).toEqual(["first", "system"]);
  expect((await operator("GET", defaultsOf(other.workspaceId))).json.total_count).toBe(0);
  const listed = await call("GET", "/api/v1/models?capability=text_generation", caller);
  expect(
    listed.json.data
      .filter(({ is_default }: { is_default: boolean }) => is_default)
      .map((each: { model: string }) => each.model),
  ).toEqual(["second"]);
  // Without the model the system's default applies again, and the choice is kept.
  await putProvider(caller.workspaceId, { models: [model("first")] });
  expect(await effective(caller)).toEqual(["first", "system"]);
  await putProvider(caller.workspaceId, { models: [model("first"), model("second")] });
  expect(await effective(caller)).toEqual(["second", "workspace_override"]);
  await operator("PUT", `${base}/text_generation`, { model: "sample-text" });
  expect(await effective(caller)).toEqual(["sample-text", "workspace_override"]);
  for (let times = 0; times < 2; times++) {
    expect((await operator("DELETE", `${base}/text_generation`)).status).toBe(204);
    expect(await effective(caller)).toEqual(["first", "system"]);
  }
});

test("the list has the workspace's own defaults in the order of the capabilities", async () => {
  const base = defaultsOf(await newWorkspace());
  await operator("PUT", `${base}/text_generation`, { model: "sample-text" });
  await operator("PUT", `${base}/image_edit`, { model: "sample-image" });
  const edit = { capability: "image_edit", model: "sample-image" };
  const text = { capability: "text_generation", model: "sample-text" };
  expect((await operator("GET", base)).json).toEqual({
    data: [edit, text],
    has_more: false,
    next_cursor: null,
    total_count: 2,
  });
  const first = await operator("GET", `${base}?limit=1`);
  expect(first.json).toMatchObject({ data: [edit], has_more: true, next_cursor: "image_edit" });
  const second = await operator("GET", `${base}?limit=1&starting_after=image_edit`);
  expect(second.json).toMatchObject({ data: [text], has_more: false });
  for (const [query, code] of [
    ["limit=0", "validation_error"],
    ["starting_after=text_to_image", "invalid_request"],
  ]) {
    const { status, json } = await operator("GET", `${base}?${query}`);
    expect([status, json.code], query).toEqual([400, code]);
  }
});

test("an unknown capability or workspace is 404; a model that lacks the capability or is not available is 400", async () => {
  const { workspaceId } = await callerWithModels();
  const base = defaultsOf(workspaceId);
  const put = (capability: string, json: unknown) => operator("PUT", `${base}/${capability}`, json);
  for (const [capability, json, field] of [
    ["text_generation", { model: "gpt-4.1-mini" }, "model"],
    ["text_generation", { model: "third" }, "model"],
    ["text_to_image", { model: "first" }, "model"],
    ["text_generation", {}, "model"],
    ["text_generation", { model: null }, "model"],
    ["text_generation", { model: "x".repeat(81) }, "model"],
    ["text_generation", { model: "first", more: 1 }, "more"],
  ] as const) {
    const reply = await put(capability, json);
    expect([reply.status, reply.json.code, reply.json.errors[0].field], reply.text).toEqual([
      400,
      "validation_error",
      field,
    ]);
  }
  expect((await operator("GET", base)).json.total_count).toBe(0);
  const body = { model: "first" };
  for (const [method, path, json, status, code] of [
    ["PUT", `${base}/telepathy`, body, 404, "not_found"],
    ["DELETE", `${base}/telepathy`, undefined, 404, "not_found"],
    ["PUT", `${defaultsOf(NOBODY)}/text_generation`, body, 404, "not_found"],
    ["DELETE", `${defaultsOf(NOBODY)}/text_generation`, undefined, 404, "not_found"],
    ["GET", defaultsOf(NOBODY), undefined, 404, "not_found"],
    ["PUT", `${defaultsOf("run_1")}/text_generation`, body, 400, "invalid_id"],
    ["DELETE", `${defaultsOf("run_1")}/text_generation`, undefined, 400, "invalid_id"],
    ["GET", defaultsOf("run_1"), undefined, 400, "invalid_id"],
  ] as const) {
    const reply = await operator(method, path, json);
    expect([reply.status, reply.json.code], `${method} ${path}`).toEqual([status, code]);
  }
  const { token } = await newCaller({ workspaceId });
  for (const [method, path] of [
    ["GET", base],
    ["PUT", `${base}/text_generation`],
    ["DELETE", `${base}/text_generation`],
  ] as const) {
    const json = method === "PUT" ? body : undefined;
    expect([401, 403]).toContain((await call(method, path, { token, json })).status);
  }
});

test("a run keeps the model of its submit when the default changes", async () => {
  const caller = await callerWithModels();
  const { token, workspaceId } = caller;
  const choose = (slug: string) =>
    operator("PUT", `${defaultsOf(workspaceId)}/text_generation`, { model: slug });
  await choose("second");
  const workflow = await publishedWorkflow(caller, {
    nodes: [
      { id: "prompt", type: "input/text", label: "prompt" },
      { id: "write", type: "ai/text_generation" },
      { id: "text", type: "output/text" },
    ],
    connections: [
      { from: { node: "prompt", port: "text" }, to: { node: "write", port: "prompt" } },
      { from: { node: "write", port: "text" }, to: { node: "text", port: "text" } },
    ],
  });
  const submit = async () => {
    const inputs = { prompt: { value: '"a"' } };
    const { status, json } = await call("POST", "/api/v1/executions", {
      token,
      json: { workflow, inputs },
    });
    expect(status).toBe(202);
    return json.id as string;
  };
  const asked = async (run: string) => {
    const { references } = await new TaskRunner(run).claimed();
    return JSON.stringify(references?.["write"]?.map(({ content }) => content));
  };
  const before = await submit();
  await choose("first");
  const after = await submit();
  expect(await asked(before)).toContain('"model":"second"');
  expect(await asked(after)).toContain('"model":"first"');
});
