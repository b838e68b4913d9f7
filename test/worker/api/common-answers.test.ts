/** What every route of a kind answers alike, walked from the app's own list. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Endpoint } from "../../../src/api/define-endpoint.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { ADMIN_TOKEN, type Answer, call, newCaller, operator } from "../../support/api-caller.ts";

const BODY_TOO_LARGE = `{"a":"${"x".repeat(4 * 1024 * 1024)}"}`;

const tenantRoutes = ENDPOINTS.filter(({ access }) => typeof access === "object");
const jsonRoutes = ENDPOINTS.filter(
  ({ access, request }) => access !== "public" && request.body !== undefined,
);

let token: string;

beforeAll(async () => {
  ({ token } = await newCaller());
});

/** A well-formed id that nothing has, of whatever kind. */
const NOBODYS = "0190f3aa000070008000000000000001";

function pathOf(path: string, id = NOBODYS): string {
  return path.replace("{zip_id}", "1").replaceAll(/\{\w+\+?\}/g, id);
}

function send(
  endpoint: Endpoint,
  options: { id?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { method, path, access, request } = endpoint;
  const body = options.body ?? (request.body === undefined ? undefined : "{}");
  return call(method.toUpperCase(), pathOf(path, options.id), {
    token: access === "operator" ? ADMIN_TOKEN : token,
    headers: {
      "idempotency-key": `common-${endpoint.operationId}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(body !== undefined && { body }),
  });
}

describe("a route that takes JSON", () => {
  test("answers 400 invalid_request to what is no JSON object", async () => {
    for (const endpoint of jsonRoutes) {
      for (const body of ['{"a":', "[]", "null", "\u00ff".repeat(3)]) {
        const { status, json } = await send(endpoint, { body });
        expect([status, json.code], endpoint.operationId).toEqual([400, "invalid_request"]);
      }
    }
  });

  test("answers 415 to another type, and 413 past 4 MiB", async () => {
    for (const endpoint of jsonRoutes) {
      const typed = await send(endpoint, { headers: { "content-type": "text/plain" }, body: "{}" });
      expect([typed.status, typed.json.code], endpoint.operationId).toEqual([
        415,
        "unsupported_media_type",
      ]);
      const large = await send(endpoint, { body: BODY_TOO_LARGE });
      expect([large.status, large.json.code], endpoint.operationId).toEqual([
        413,
        "payload_too_large",
      ]);
    }
  });

  test("answers 400 to a member it does not know, naming it", async () => {
    const strict = jsonRoutes.filter(({ operationId }) => operationId !== "putWorkflowDefinition");
    for (const endpoint of strict) {
      const { status, text } = await send(endpoint, { body: '{"no_such_member":1}' });
      expect([400, 404], endpoint.operationId).toContain(status);
      expect(text, endpoint.operationId).toMatch(/no_such_member|There is no/);
    }
  });
});

describe("a route with an id in its path", () => {
  const withId = ENDPOINTS.filter(
    ({ path, access, errors }) =>
      access !== "public" && /\{\w*id\}/.test(path) && errors.includes("invalid_id"),
  );

  test("answers 400 invalid_id to what is no id", async () => {
    expect(withId.length).toBeGreaterThan(20);
    for (const endpoint of withId) {
      const { status, json } = await send(endpoint, { id: "zzz" });
      expect([status, json.code], endpoint.operationId).toEqual([400, "invalid_id"]);
    }
  });

  test("answers 404, or says what the body lacks, where there is no such thing", async () => {
    for (const endpoint of withId) {
      const { status, json } = await send(endpoint);
      const isBodyFirst = endpoint.request.body !== undefined || status === 428;
      expect(
        isBodyFirst ? [400, 404, 412, 428] : [404],
        `${endpoint.operationId} ${json?.code}`,
      ).toContain(status);
    }
  });
});

test("a workspace whose plan has no API access gets 402 on every route with a scope", async () => {
  await operator("PUT", "/admin/v1/plans/no-api", {
    limits: { api_access: false, requests_per_minute: 100_000 },
  });
  const caller = await newCaller();
  const moved = await operator("PUT", `/admin/v1/workspaces/${caller.workspaceId}/plan`, {
    plan: "no-api",
  });
  expect(moved.status).toBe(200);
  for (const endpoint of tenantRoutes) {
    if (typeof endpoint.access === "object" && endpoint.access.scope !== null) {
      const { status, json } = await call(endpoint.method.toUpperCase(), pathOf(endpoint.path), {
        token: caller.token,
      });
      expect([status, json?.code], endpoint.operationId).toEqual([402, "plan_limit_exceeded"]);
    }
  }
});
