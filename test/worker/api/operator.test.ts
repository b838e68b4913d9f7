import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { createApp } from "../../../src/api/app.ts";
import { defineEndpoint } from "../../../src/api/define-endpoint.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { PERMISSIONS, SCOPES } from "../../../src/contracts/workspaces/access.ts";
import { readBillingPlan } from "../../../src/domain/billing-plans/workspace-billing-plans.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import {
  ADMIN_TOKEN,
  call,
  newCaller,
  newWorkspace,
  operator,
  requestToken,
} from "../../support/api-caller.ts";

const probeEndpoint = defineEndpoint({
  method: "get",
  path: "/probe",
  operationId: "probe",
  summary: "Probe",
  tag: "Discovery",
  access: { scope: null, permission: null },
  responses: { 204: { description: "Reached" } },
  errors: [],
  handle: () => ({ status: 204 }),
});

const ctx = () => createContext(env, "test", "http://svc.test", () => {});

describe("the operator", () => {
  test("creates an organization, a workspace and a key that works, all on plan dev", async () => {
    const organization = await operator("POST", "/admin/v1/organizations", { name: " Acme " });
    expect(organization.json).toMatchObject({
      id: expect.stringMatching(/^org_[0-9a-f]{32}$/),
      name: "Acme",
      plan: "dev",
    });
    const workspace = await operator("POST", "/admin/v1/workspaces", {
      organization_id: organization.json.id,
      name: "Main",
    });
    expect(workspace.json).toMatchObject({
      id: expect.stringMatching(/^ws_[0-9a-f]{32}$/),
      organization_id: organization.json.id,
      plan: "dev",
    });
    const key = await operator("POST", "/admin/v1/api-keys", {
      workspace_id: workspace.json.id,
      name: "All",
    });
    expect(key.json).toMatchObject({
      scopes: [...SCOPES],
      permissions: [...PERMISSIONS],
      is_agent: false,
      expires_at: null,
    });
    expect(key.headers.get("cache-control")).toBe("no-store");
    expect((await requestToken(key.json.client_id, key.json.client_secret)).status).toBe(200);
  });

  test("receives an error for resources that do not exist", async () => {
    const id = "0".repeat(32);
    expect(
      (await operator("POST", "/admin/v1/workspaces", { organization_id: `org_${id}`, name: "x" }))
        .status,
    ).toBe(404);
    expect(
      (await operator("POST", "/admin/v1/api-keys", { workspace_id: `ws_${id}`, name: "x" }))
        .status,
    ).toBe(404);
    expect((await operator("DELETE", `/admin/v1/api-keys/key_${id}`)).status).toBe(404);
    expect(
      (await operator("PUT", `/admin/v1/workspaces/ws_${id}/plan`, { plan: "dev" })).status,
    ).toBe(404);
    const workspaceId = await newWorkspace();
    expect(
      (await operator("PUT", `/admin/v1/workspaces/${workspaceId}/plan`, { plan: "none" })).status,
    ).toBe(404);
    const plan = await operator("POST", "/admin/v1/organizations", { name: "x", plan: "none" });
    expect([plan.status, plan.json.errors[0].field]).toEqual([400, "plan"]);
  });

  test("restricts a key to scopes, permissions and a time; unknown ones are rejected by name", async () => {
    const workspace_id = await newWorkspace();
    const base = { workspace_id, name: "x" };
    const response = await operator("POST", "/admin/v1/api-keys", {
      ...base,
      scopes: ["assets:read", "assets:fly"],
      permissions: ["ws:all"],
      expires_at: "tomorrow",
    });
    expect([response.status, response.json.code]).toEqual([400, "validation_error"]);
    expect(response.json.errors.map((error: { field: string }) => error.field)).toEqual([
      "scopes[1]",
      "permissions[0]",
      "expires_at",
    ]);
    const past = await operator("POST", "/admin/v1/api-keys", {
      ...base,
      expires_at: "2020-01-01T00:00:00Z",
    });
    expect([past.status, past.json.errors[0].field]).toEqual([400, "expires_at"]);
    const soon = await operator("POST", "/admin/v1/api-keys", {
      ...base,
      expires_at: "2999-01-01T02:00:00+02:00",
    });
    expect(soon.json.expires_at).toBe("2999-01-01T00:00:00.000Z");
  });

  test("creates no more workspaces than the organization's plan allows", async () => {
    await operator("PUT", "/admin/v1/plans/one-workspace", { limits: { max_workspaces: 1 } });
    const organization = await operator("POST", "/admin/v1/organizations", {
      name: "Small",
      plan: "one-workspace",
    });
    const make = () =>
      operator("POST", "/admin/v1/workspaces", {
        organization_id: organization.json.id,
        name: "Main",
      });
    expect((await make()).status).toBe(201);
    const second = await make();
    expect([second.status, second.json.code]).toEqual([402, "plan_limit_exceeded"]);
  });

  test("revokes a key permanently: its tokens stop working here at once, and no new ones are issued", async () => {
    const caller = await newCaller();
    const probe = () => call("GET", "/probe", { token: caller.token });
    const revoke = () => operator("DELETE", `/admin/v1/api-keys/${caller.clientId}`);
    const app = createApp([probeEndpoint]);
    const ask = () =>
      app.request(
        "/probe",
        { headers: { authorization: `Bearer ${caller.token}` } },
        env,
        createExecutionContext(),
      );
    expect((await ask()).status).toBe(204);
    expect([(await revoke()).status, (await revoke()).status]).toEqual([204, 204]);
    expect((await ask()).status).toBe(401);
    expect((await requestToken(caller.clientId, caller.clientSecret)).status).toBe(401);
    expect((await probe()).status).toBe(404);
  });

  test("sets a plan's limits, and its workspaces follow; an omitted limit has its default", async () => {
    const put = await operator("PUT", "/admin/v1/plans/small", {
      limits: { max_concurrent_executions: 2, max_storage_bytes: null },
    });
    expect([put.status, put.json]).toEqual([
      200,
      {
        code: "small",
        name: "small",
        limits: expect.objectContaining({
          max_concurrent_executions: 2,
          max_storage_bytes: null,
          requests_per_minute: 60,
          output_retention_days: 60,
        }),
      },
    ]);
    const workspaceId = await newWorkspace();
    expect((await readBillingPlan(ctx(), workspaceId)).limits).toMatchObject({
      max_credits_per_month: 1_000_000,
      requests_per_minute: 100_000,
      max_concurrent_executions: 256,
      max_storage_bytes: 10 * 1024 ** 3,
      output_retention_days: 60,
    });
    const moved = await operator("PUT", `/admin/v1/workspaces/${workspaceId}/plan`, {
      plan: "small",
    });
    expect(moved.json.plan).toBe("small");
    expect((await readBillingPlan(ctx(), workspaceId)).code).toBe("small");
    await operator("PUT", "/admin/v1/plans/small", { limits: { max_concurrent_executions: 3 } });
    expect((await readBillingPlan(ctx(), workspaceId)).limits.max_concurrent_executions).toBe(3);
  });

  test("cannot set an invalid plan", async () => {
    for (const limits of [
      { max_concurrent_executions: 0 },
      { max_credits_per_month: -1 },
      { max_rockets: 1 },
      { output_retention_days: 1.5 },
      null,
      [],
    ]) {
      const response = await operator("PUT", "/admin/v1/plans/odd", { limits });
      expect([response.status, response.json.code], JSON.stringify(limits)).toEqual([
        400,
        "validation_error",
      ]);
    }
    expect((await operator("PUT", "/admin/v1/plans/A%20B", { limits: {} })).status).toBe(400);
  });

  test("is hidden completely while no ADMIN_TOKEN is set", async () => {
    const app = createApp(ENDPOINTS);
    for (const ADMIN of [undefined, ""]) {
      const off = { ...env, ADMIN_TOKEN: ADMIN };
      for (const [method, path] of [
        ["POST", "/admin/v1/organizations"],
        ["GET", "/admin/v1/organizations"],
        ["PUT", "/admin/v1/plans/x"],
        ["GET", "/admin/v1/none"],
      ] as const) {
        for (const authorization of [`Bearer ${ADMIN_TOKEN}`, "Bearer ", ""]) {
          const response = await app.request(
            path,
            { method, headers: { authorization } },
            off as never,
            createExecutionContext(),
          );
          expect(response.status, `${method} ${path}`).toBe(404);
        }
      }
    }
  });
});
