/** What requests about runs ask D1 (docs/decisions/organization-access.md). */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { changeAccess, forgetCallers } from "../../../src/domain/access/access-facts.ts";
import { forgetBillingPlans } from "../../../src/domain/billing-plans/workspace-billing-plans.ts";
import { CACHE_LIMITS } from "../../../src/domain/cache-limits.ts";
import { compileVersion } from "../../../src/domain/workflows/versions/compiled-versions.ts";
import { upsertBillingPlan } from "../../../src/storage/d1/billing-plan-store.ts";
import { planAccessObject } from "../../../src/storage/objects/organization-access-object.ts";
import type { Env } from "../../../src/platform/env.ts";
import worker from "../../../src/worker.ts";
import { WorkflowVersions } from "../../../src/storage/d1/workflow-versions.ts";
import { call, type Caller, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { ECHO_DEFINITION, publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { HOME_DB, withHome } from "../../support/home-database.ts";

const log = { info: () => {}, error: () => {}, with: () => log };
let caller: Caller;
let workflow: string;

beforeAll(async () => {
  caller = await newCaller();
  workflow = await publishedWorkflow(caller);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Records the statements for D1 of this isolate and of all objects, from now on. */
function recordStatements(): () => readonly string[] {
  // The class is the same for each object, whose bindings are instances of their own.
  const spy = vi.spyOn(Object.getPrototypeOf(env.DB) as D1Database, "prepare");
  return () => spy.mock.calls.map(([text]) => text);
}

/** Empties the caches of this isolate, as if it had served no request. */
function coolDown(): void {
  forgetCallers();
  forgetBillingPlans();
  for (let i = 0; i < 5; i++) {
    const others = { workspaceId: "ws_other", workflowId: String(i), version: 1 };
    const room = " ".repeat(CACHE_LIMITS.definitions.charsMax / 4);
    compileVersion(others, JSON.stringify(ECHO_DEFINITION) + room);
  }
}

/** Submits a run, polls it to its end and reads its result. Returns the statuses of the answers. */
async function aRun(): Promise<readonly number[]> {
  const statuses: number[] = [];
  const ask = async (method: string, path: string, json?: unknown) => {
    const request = new Request<unknown, IncomingRequestCfProperties>(ORIGIN + path, {
      method,
      headers: {
        authorization: `Bearer ${caller.token}`,
        "content-type": "application/json",
        prefer: "wait=10",
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const execution = createExecutionContext();
    const response = await worker.fetch(request, env, execution);
    statuses.push(response.status);
    // The test reads its own answers.
    const body = (await response.json()) as { readonly id: string };
    await waitOnExecutionContext(execution);
    return body;
  };
  const { id } = await ask("POST", "/api/v1/executions", {
    workflow,
    inputs: { in: { value: '"x"' } },
  });
  await ask("GET", `/api/v1/executions/${id}`);
  await ask("GET", `/api/v1/executions/${id}/result`);
  return statuses;
}

it("a submit, a poll and a result ask D1 nothing, in a cold isolate and in a warm one", async () => {
  coolDown();
  expect(await aRun()).toEqual([202, 200, 200]);
  const asked = recordStatements();
  coolDown();
  expect(await aRun()).toEqual([202, 200, 200]);
  expect(asked()).toEqual([]);
  expect(await aRun()).toEqual([202, 200, 200]);
  expect(asked()).toEqual([]);
});

/** Runs a batch to its end and reads an item. Returns the statuses of the answers. */
async function aBatch(items: number): Promise<readonly number[]> {
  const { token } = caller;
  const made = await call("POST", "/api/v1/batch-executions", {
    token,
    json: {
      workflow,
      items: Array.from({ length: items }, () => ({ inputs: { in: { value: '"x"' } } })),
    },
  });
  const path = `/api/v1/batch-executions/${made.json.id as string}`;
  await waitUntil("the end of the batch", async () => {
    const { json } = await call("GET", path, { token });
    return json.status === "completed";
  });
  const item = await call("GET", `${path}/items/0`, { token });
  return [made.status, item.status];
}

it("a batch and its items ask D1 nothing, in a cold isolate and in a warm one", async () => {
  coolDown();
  expect(await aBatch(2)).toEqual([202, 200]);
  const asked = recordStatements();
  coolDown();
  expect(await aBatch(3)).toEqual([202, 200]);
  expect(await aBatch(20)).toEqual([202, 200]);
  expect(asked()).toEqual([]);
});

it("an isolate that has asked no plan yet follows one that another isolate has changed", async () => {
  const { json: before } = await call("GET", "/api/v1/plan", { token: caller.token });
  const limits = { ...before.limits, max_workflows: 4711 };
  const plan = { name: "Changed", limits };
  const change = () => upsertBillingPlan(env, { code: "dev", ...plan }, Date.now());
  await changeAccess({ log }, planAccessObject(env, "dev"), "dev", change);
  coolDown();
  const { json: after } = await call("GET", "/api/v1/plan", { token: caller.token });
  expect(after.limits).toEqual(limits);
});

it("a copy of a definition ends with its workflow, also one that is made while it is deleted", async () => {
  const id = await publishedWorkflow(caller);
  const copies = async () => {
    const prefix = `workspaces/${caller.workspaceId}/workflows/${id}/`;
    return (await env.FILES.list({ prefix })).objects.map(({ key }) => key.slice(prefix.length));
  };
  const made: Promise<void>[] = [];
  const read = (db: D1Database) =>
    new WorkflowVersions({ ...env, ...withHome(db) }, caller.workspaceId).readShared(
      id,
      1,
      (copied) => made.push(copied),
    );
  const stored = await read(HOME_DB);
  expect(stored?.text).toContain("nodes");
  await Promise.all(made);
  expect(await copies()).toEqual(["definitions/version-1.json"]);
  expect(await read({} as D1Database)).toEqual(stored);
  // Another workspace does not find it.
  const stranger = await newCaller();
  const others = new WorkflowVersions(env, stranger.workspaceId);
  expect(await others.readShared(id, 1, (copied) => made.push(copied))).toBeUndefined();

  const { token } = caller;
  expect((await call("DELETE", `/api/v1/workflows/${id}`, { token })).status).toBe(204);
  await vi.waitUntil(async () => (await copies()).length === 0);

  // A read that began before the delete: its copy is made when the row has gone.
  const late = await publishedWorkflow(caller);
  const row = { definition: "{}", definition_key: null, template_pins: null };
  const versions = new WorkflowVersions(
    {
      FILES: env.FILES,
      ...withHome({
        prepare: (text: string) => ({
          bind: (...values: unknown[]) => ({
            first: async () =>
              text.includes("template_pins")
                ? row
                : await HOME_DB.prepare(text)
                    .bind(...values)
                    .first(),
          }),
        }),
      }),
    },
    caller.workspaceId,
  );
  expect((await call("DELETE", `/api/v1/workflows/${late}`, { token })).status).toBe(204);
  await versions.readShared(late, 1, (copied) => made.push(copied));
  await Promise.all(made);
  const prefix = `workspaces/${caller.workspaceId}/workflows/${late}/`;
  expect((await env.FILES.list({ prefix })).objects).toEqual([]);
});

/** An access object that cannot be reached at some entries. */
function unreachable(...entries: readonly string[]): Env["ORGANIZATION_ACCESS"] {
  return {
    idFromName: () => ({}),
    get: () =>
      Object.fromEntries(
        ["read", "readPlan", "changing", "changed"].map((entry) => [
          entry,
          () =>
            entries.includes(entry) ? Promise.reject(new Error("overloaded")) : Promise.resolve(),
        ]),
      ),
  } as unknown as Env["ORGANIZATION_ACCESS"];
}

it("an access object that cannot be reached stops no request", async () => {
  coolDown();
  const asked = recordStatements();
  const { status, json } = await call("GET", "/api/v1/plan", {
    token: caller.token,
    env: { ORGANIZATION_ACCESS: unreachable("read", "readPlan") },
  });
  expect(status).toBe(200);
  expect(json.limits.max_workflows).toBe(4711);
  expect(asked().some((text) => text.includes("FROM api_keys WHERE id"))).toBe(true);
  expect(asked().some((text) => text.includes("FROM plans WHERE code"))).toBe(true);
  coolDown();
});

it("a change that cannot be announced is not written; one whose end cannot is", async () => {
  const write = vi.fn<() => Promise<string>>().mockResolvedValue("written");
  const change = (...entries: readonly string[]) => {
    const access = { ORGANIZATION_ACCESS: unreachable(...entries) };
    return changeAccess({ log }, planAccessObject(access, "dev"), "dev", write);
  };
  await expect(change("changing")).rejects.toThrow("overloaded");
  expect(write).not.toHaveBeenCalled();
  expect(await change("changed")).toBe("written");
});
