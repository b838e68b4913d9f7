import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { repairWorkflowPointers } from "../../../src/domain/workflows/sync-workflow-pointer.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { newId } from "../../../src/platform/ids.ts";
import { workspaceObject } from "../../../src/storage/objects/workspace-object.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { greeting, greetingWith } from "../../support/sample-definitions.ts";
import { HOME_DB } from "../../support/home-database.ts";

const { token, workspaceId, organizationId } = await newCaller();
const api = (method: string, path: string, json?: unknown, headers?: Record<string, string>) =>
  call(method, `/api/v1${path}`, {
    token,
    ...(json === undefined ? {} : { json }),
    ...(headers === undefined ? {} : { headers }),
  });
const object = workspaceObject({ env }, workspaceId);

async function published(): Promise<string> {
  const { json } = await api("POST", "/workflows", { name: "Greeting", definition: greeting });
  const response = await api("POST", `/workflows/${json.id}/publish`);
  expect(response.status, response.text).toBe(200);
  return json.id;
}

/** The state after a crash between the commit in D1 and the call to the object: the row is newer than the object. */
async function archiveAndCrash(id: string): Promise<void> {
  await HOME_DB.prepare(
    "UPDATE workflows SET status = 'archived', pointer_seq = pointer_seq + 1, updated_at_ms = 0 WHERE id = ?1",
  )
    .bind(id)
    .run();
}

async function admitRun(workflowId: string) {
  const pointer = await object.getWorkflowPointer(workflowId);
  const runId = newId("run", Date.now());
  const outcome = await object.admit({
    v: 1,
    start: {
      v: 1,
      run_id: runId,
      workspace_id: workspaceId,
      organization_id: organizationId,
      correlation_id: "test",
      workflow_id: workflowId,
      workflow_name: "Greeting",
      workflow_version: pointer?.version ?? 0,
      interface_id: null,
      inputs: [],
      parameter_overrides: [],
      output_node_ids: null,
      admission_limits: {},
      prepaid: [],
      time_limit_ms: 86_400_000,
      created_at_ms: Date.now(),
    },
    is_pinned: false,
    exact_liability_milli_credits: 0,
    monthly_milli_credits: 1_000_000,
    max_concurrent_executions: 256,
    idempotency: null,
  });
  expect(outcome).toMatchObject({ ok: true, value: { kind: "admitted" } });
  return runId;
}

describe("the workspace object", () => {
  test("knows name, status and version after every change", async () => {
    const id = await published();
    const known = () => object.getWorkflowPointer(id);
    expect(await known()).toMatchObject({ name: "Greeting", status: "published", version: 1 });
    await api("PATCH", `/workflows/${id}`, { name: "Renamed" });
    expect(await known()).toMatchObject({ name: "Renamed", status: "published", version: 1 });
    await api("POST", `/workflows/${id}/revert`);
    expect(await known()).toMatchObject({ status: "draft", version: 1 });
    await api("PUT", `/workflows/${id}/definition`, greetingWith({ label: "X" }), {
      "if-match": "*",
    });
    await api("POST", `/workflows/${id}/publish`);
    expect(await known()).toMatchObject({ status: "published", version: 2 });
    await api("POST", `/workflows/${id}/archive`);
    expect(await known()).toMatchObject({ status: "archived", version: 2 });
    await api("DELETE", `/workflows/${id}`);
    expect(await known()).toBeNull();
  });

  test("has the newest state after concurrent changes", async () => {
    const id = await published();
    await Promise.all([
      ...Array.from({ length: 4 }, (_, index) =>
        api("PATCH", `/workflows/${id}`, { name: `N${index}` }),
      ),
      api("POST", `/workflows/${id}/revert`),
      api("POST", `/workflows/${id}/publish`),
    ]);
    const { json } = await api("GET", `/workflows/${id}`);
    const { name, status, version } = json;
    expect(await object.getWorkflowPointer(id)).toMatchObject({ name, status, version });
  });

  test("receives a change that a crash kept from it when the workflow or the list is read", async () => {
    for (const path of ["detail", "list"]) {
      const id = await published();
      await archiveAndCrash(id);
      expect((await object.getWorkflowPointer(id))?.status).toBe("published");
      await api("GET", path === "detail" ? `/workflows/${id}` : "/workflows?status=archived");
      await expect.poll(async () => (await object.getWorkflowPointer(id))?.status).toBe("archived");
    }
  });

  test("receives it once from the sweep without a read", async () => {
    const id = await published();
    await archiveAndCrash(id);
    const ctx = createContext(env, "test", "", () => undefined);
    expect(await repairWorkflowPointers(ctx)).toBe(1);
    expect((await object.getWorkflowPointer(id))?.status).toBe("archived");
    expect(await repairWorkflowPointers(ctx)).toBe(0);
  });
});

describe("deleting", () => {
  test("is 409 executions_in_progress while a run is live, and changes nothing", async () => {
    const id = await published();
    const runId = await admitRun(id);
    const refused = await api("DELETE", `/workflows/${id}`);
    expect([refused.status, refused.json.code]).toEqual([409, "executions_in_progress"]);
    expect((await api("GET", `/workflows/${id}`)).json).toMatchObject({
      status: "published",
      version: 1,
    });
    expect(await object.getWorkflowPointer(id)).not.toBeNull();
    await object.close({
      v: 1,
      run_id: runId,
      status: "cancelled",
      progress: 100,
      settled_milli_credits: 0,
      error_code: null,
      error_message: null,
      started_at_ms: null,
      completed_at_ms: Date.now(),
    });
    expect((await api("DELETE", `/workflows/${id}`)).status).toBe(204);
    // The runs of the workflow stay readable.
    expect(await object.getRun(runId)).toMatchObject({
      workflow_id: id,
      workflow_name: "Greeting",
    });
  });

  test("that crashed after the object removed the workflow is finished by the sweep", async () => {
    const id = await published();
    await HOME_DB.prepare(
      "UPDATE workflows SET delete_requested_at_ms = 1, pointer_seq = pointer_seq + 1, updated_at_ms = 0 WHERE id = ?1",
    )
      .bind(id)
      .run();
    expect(await object.removeWorkflow(id)).toEqual({ kind: "removed" });
    expect(await repairWorkflowPointers(createContext(env, "test", "", () => undefined))).toBe(1);
    expect((await api("GET", `/workflows/${id}`)).status).toBe(404);
    expect(await object.getWorkflowPointer(id)).toBeNull();
  });

  test("that is in progress is left alone, and found again if it crashes", async () => {
    const id = await published();
    const note = (ms: number) =>
      HOME_DB.prepare(
        "UPDATE workflows SET delete_requested_at_ms = ?2, pointer_seq = pointer_seq + 1 WHERE id = ?1",
      )
        .bind(id, ms)
        .run();
    await note(Date.now());
    await api("GET", `/workflows/${id}`);
    await HOME_DB.prepare("UPDATE workflows SET updated_at_ms = 0 WHERE id = ?1").bind(id).run();
    const sweep = () => repairWorkflowPointers(createContext(env, "test", "", () => undefined));
    expect(await sweep()).toBe(1);
    expect((await api("GET", `/workflows/${id}`)).status).toBe(200);
    await HOME_DB.prepare("UPDATE workflows SET delete_requested_at_ms = 1 WHERE id = ?1")
      .bind(id)
      .run();
    expect(await sweep()).toBe(1);
    expect((await api("GET", `/workflows/${id}`)).status).toBe(404);
  });

  test("that crashed before the object was called is withdrawn if a run has started since", async () => {
    const id = await published();
    await HOME_DB.prepare(
      "UPDATE workflows SET delete_requested_at_ms = 1, pointer_seq = pointer_seq + 1, updated_at_ms = 0 WHERE id = ?1",
    )
      .bind(id)
      .run();
    await admitRun(id);
    expect(await repairWorkflowPointers(createContext(env, "test", "", () => undefined))).toBe(1);
    expect((await api("GET", `/workflows/${id}`)).json).toMatchObject({ status: "published" });
    expect(await repairWorkflowPointers(createContext(env, "test", "", () => undefined))).toBe(0);
    expect(await object.getWorkflowPointer(id)).toMatchObject({ status: "published", version: 1 });
  });

  test("ends submits with workflow_not_found, although this isolate has cached the workflow", async () => {
    const id = await published();
    const body = { workflow: id, inputs: { name: { value: '"Ada"' } } };
    const { json } = await api("POST", "/executions", body);
    const status = async () => (await api("GET", `/executions/${json.id}`)).json.status;
    await expect.poll(status).toBe("completed");
    await expect.poll(async () => (await api("DELETE", `/workflows/${id}`)).status).toBe(204);
    const after = await api("POST", "/executions", body);
    expect([after.status, after.json.code]).toEqual([404, "workflow_not_found"]);
    expect(await status()).toBe("completed");
  });

  test("removes the workflow, its versions and its name", async () => {
    const id = await published();
    expect((await api("DELETE", `/workflows/${id}`)).status).toBe(204);
    for (const path of ["", "/definition", "/versions", "?version=1"]) {
      const { status, json } = await api("GET", `/workflows/${id}${path}`);
      expect([path, status, json.code]).toEqual([path, 404, "not_found"]);
    }
    expect((await api("DELETE", `/workflows/${id}`)).status).toBe(404);
    const left = await HOME_DB.prepare("SELECT name, definition, tags FROM workflows WHERE id = ?1")
      .bind(id)
      .first();
    expect(left).toEqual({ name: "", definition: "", tags: "[]" });
    const versions = await HOME_DB.prepare(
      "SELECT count(*) AS n FROM workflow_versions WHERE workflow_id = ?1",
    )
      .bind(id)
      .first();
    expect(versions).toEqual({ n: 0 });
  });
});
