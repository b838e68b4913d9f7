/** Suites that every route passes, walked from the list so that a new route cannot be forgotten. */
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { PERMISSIONS, SCOPES } from "../../../src/contracts/workspaces/access.ts";
import type { Endpoint } from "../../../src/api/define-endpoint.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { type Caller, call, newCaller, newWorkspace } from "../../support/api-caller.ts";

type Tenant = Extract<Endpoint["access"], object>;

const tenantRoutes = ENDPOINTS.flatMap((endpoint) =>
  typeof endpoint.access === "string" ? [] : [{ endpoint, access: endpoint.access as Tenant }],
);
const operatorRoutes = ENDPOINTS.filter((endpoint) => endpoint.access === "operator");

/** A path that is well-formed whatever its parameters mean. */
function pathOf(endpoint: Endpoint): string {
  return endpoint.path.replaceAll(/\{\w+\+?\}/g, "0190f3aa000070008000000000000001");
}

function send(endpoint: Endpoint, token?: string, headers: Record<string, string> = {}) {
  return call(endpoint.method.toUpperCase(), pathOf(endpoint), {
    headers,
    ...(token !== undefined && { token }),
    ...(endpoint.request.body !== undefined && { json: {} }),
  });
}

describe("a tenant route", () => {
  const callers = new Map<string, Caller>();

  beforeAll(async () => {
    const workspaceId = await newWorkspace();
    const needed = new Set(
      tenantRoutes.map(({ access }) => JSON.stringify([access.scope, access.permission])),
    );
    for (const pair of needed) {
      const [scope, permission] = JSON.parse(pair);
      const without = SCOPES.filter((name) => name !== scope);
      const forbidden = PERMISSIONS.filter((name) => name !== permission);
      callers.set(
        `${pair} scope`,
        await newCaller({ workspaceId, scopes: without, permissions: PERMISSIONS }),
      );
      callers.set(
        `${pair} permission`,
        await newCaller({ workspaceId, scopes: SCOPES, permissions: forbidden }),
      );
    }
  });

  test("returns 401 without a token, and for a header without one", async () => {
    for (const { endpoint } of tenantRoutes) {
      const answers = [
        await send(endpoint),
        await send(endpoint, "x.y.z"),
        await send(endpoint, undefined, { authorization: "Bearer" }),
        await send(endpoint, undefined, { authorization: "Basic YTpi" }),
        await send(endpoint, undefined, { authorization: `Bearer ${"x".repeat(10_000)}` }),
      ];
      for (const response of answers) {
        expect([response.status, response.json?.code], endpoint.operationId).toEqual([
          401,
          "unauthorized",
        ]);
        expect(response.headers.get("www-authenticate")).toMatch(/^Bearer /);
      }
    }
  });

  test("returns 403 insufficient_scope with the missing scope, before it reads the request", async () => {
    for (const { endpoint, access } of tenantRoutes) {
      for (const kind of ["scope", "permission"] as const) {
        const name = access[kind];
        if (name === null) {
          continue;
        }
        const pair = JSON.stringify([access.scope, access.permission]);
        const caller = callers.get(`${pair} ${kind}`);
        const response = await send(endpoint, caller?.token);
        expect([response.status, response.json?.code], endpoint.operationId).toEqual([
          403,
          "insufficient_scope",
        ]);
        expect(response.json.detail).toContain(name);
      }
    }
  });
});

test("reads of batches, schedules and the cache need the rights of reading runs, and changes those of starting them", () => {
  const own = tenantRoutes.filter(({ endpoint: { path } }) =>
    /^\/api\/v1\/(?:batch-executions|schedules|cache|executions\/\{\w+\}\/(?:retry|diff))\b/.test(
      path,
    ),
  );
  expect(own.length).toBeGreaterThan(20);
  for (const { endpoint, access } of own) {
    const { method, path, operationId, request } = endpoint;
    const isRead = method === "get" || /\/(?:preview|estimate|exports)$/.test(path);
    expect([access.scope, access.permission], operationId).toEqual(
      isRead
        ? ["executions:read", "ws:executions:read"]
        : ["executions:write", "ws:executions:create"],
    );
    if (method === "post") {
      const headers = request.headers instanceof z.ZodObject ? request.headers.shape : {};
      const makesNothing = /\/(?:preview|estimate)$/.test(path);
      expect(Object.hasOwn(headers, "idempotency-key"), operationId).toBe(!makesNothing);
    }
  }
});

describe("an operator route", () => {
  test("returns 401 without the operator's token, and for a tenant's", async () => {
    expect(operatorRoutes.length).toBeGreaterThan(0);
    const tenant = await newCaller();
    for (const endpoint of operatorRoutes) {
      for (const token of [
        undefined,
        tenant.token,
        "the-operator-token-of-the-testsX",
        "the-operator",
      ]) {
        const response = await send(endpoint, token);
        expect([response.status, response.json?.code], endpoint.operationId).toEqual([
          401,
          "unauthorized",
        ]);
      }
    }
  });
});

describe("every route", () => {
  test("has the prefix of its kind, and is declared once", () => {
    const seen = new Set<string>();
    for (const { access, path, method, operationId } of ENDPOINTS) {
      if (access === "operator") {
        expect(path).toMatch(/^\/admin\/v1\//);
      } else if (typeof access === "object") {
        expect(path).toMatch(/^\/api\/v1\//);
      } else {
        expect(path, "a public route below a prefix of others").not.toMatch(/^\/admin\//);
      }
      expect(seen.has(`${method} ${path}`) || seen.has(operationId), operationId).toBe(false);
      seen.add(`${method} ${path}`).add(operationId);
    }
  });
});
