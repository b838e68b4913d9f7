/** Responses that all routes of a kind share, tested on every route of the app's list. */
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { Endpoint } from "../../../src/api/define-endpoint.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { ADMIN_TOKEN, type Reply, call, newCaller, operator } from "../../support/api-caller.ts";
import { newRouteTokens, type RouteTokens, tokenOf } from "../../support/embeds/route-tokens.ts";

const BODY_TOO_LARGE = `{"a":"${"x".repeat(4 * 1024 * 1024)}"}`;

const tenantRoutes = ENDPOINTS.filter(({ access }) => typeof access === "object");
const jsonRoutes = ENDPOINTS.filter(
  ({ access, request }) => access !== "public" && request.body !== undefined,
);

let tokens: RouteTokens;
let token: string;
let workspaceId: string;

beforeAll(async () => {
  tokens = await newRouteTokens();
  ({ token, workspaceId } = tokens);
});

/** A well-formed id, of any kind, that no resource has. */
const NOBODYS = "0190f3aa000070008000000000000001";

function pathOf(path: string, id = NOBODYS): string {
  return path
    .replace("{zip_id}", "1")
    .replace("{format}", "csv")
    .replace("{jti}", `emb_${id}`)
    .replaceAll(/\{\w+\+?\}/g, id);
}

function send(
  endpoint: Endpoint,
  options: { id?: string; query?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply> {
  const { method, path, request } = endpoint;
  const body = options.body ?? (request.body === undefined ? undefined : "{}");
  return call(method.toUpperCase(), pathOf(path, options.id) + (options.query ?? ""), {
    token: tokenOf(endpoint, tokens),
    headers: {
      "idempotency-key": `common-${endpoint.operationId}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(body !== undefined && { body }),
  });
}

describe("a route that accepts JSON", () => {
  test("returns 400 invalid_request for a body that is not a JSON object", async () => {
    for (const endpoint of jsonRoutes) {
      for (const body of ['{"a":', "[]", "null", "\u00ff".repeat(3)]) {
        const { status, json } = await send(endpoint, { body });
        expect([status, json.code], endpoint.operationId).toEqual([400, "invalid_request"]);
      }
    }
  });

  test("returns 415 for another type, and 413 for more than 4 MiB", async () => {
    for (const endpoint of jsonRoutes) {
      const typed = await send(endpoint, { headers: { "content-type": "text/plain" }, body: "{}" });
      expect([typed.status, typed.json.code], endpoint.operationId).toEqual([
        415,
        "unsupported_media_type",
      ]);
      if (endpoint.request.bodyLimit !== undefined) {
        continue; // a limit of its own, which its own tests meet
      }
      const large = await send(endpoint, { body: BODY_TOO_LARGE });
      expect([large.status, large.json.code], endpoint.operationId).toEqual([
        413,
        "payload_too_large",
      ]);
    }
  });

  test("returns 400 with the name of an unknown member", async () => {
    // What an edit of a document names is checked with the document, once what the route itself needs is given.
    const checkedLater = ["putWorkflowDefinition", "createDesignElement", "createDesignSampleSet"];
    const strict = jsonRoutes.filter(({ operationId }) => !checkedLater.includes(operationId));
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

  test("returns 400 invalid_id for a malformed id", async () => {
    expect(withId.length).toBeGreaterThan(20);
    for (const endpoint of withId) {
      const { status, json } = await send(endpoint, { id: "zzz" });
      expect([status, json.code], endpoint.operationId).toEqual([400, "invalid_id"]);
    }
  });

  test("returns 404 for an unknown id, or the fields missing from the body", async () => {
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

describe("a route with a query", () => {
  /** Parameters that are not listed accept any text, several times. */
  const fields = ENDPOINTS.filter(({ access }) => access !== "public").flatMap((endpoint) =>
    endpoint.request.query instanceof z.ZodObject
      ? Object.entries<z.ZodType>(endpoint.request.query.shape)
          .filter(([, field]) => !field.safeParse(["1", "2"]).success)
          .map(([name]) => ({ endpoint, name }))
      : [],
  );

  test("returns 400 for a repeated parameter, with the code of its field", async () => {
    expect(fields.length).toBeGreaterThan(20);
    for (const { endpoint, name } of fields) {
      const code = endpoint.request.codes?.[`query.${name}`] ?? "validation_error";
      const response = await send(endpoint, { query: `?${name}=1&${name}=2` });
      expect([response.status, response.json.code], `${endpoint.operationId} ${name}`).toEqual([
        400,
        code,
      ]);
    }
  });

  test("returns 400 validation_error for an invalid limit, and invalid_request for an invalid cursor", async () => {
    const limited = fields.filter(({ name }) => name === "limit");
    expect(limited.length).toBeGreaterThan(8);
    for (const { endpoint } of limited) {
      for (const limit of ["0", "-1", "1001", "1e1", "", "9".repeat(400)]) {
        const { status, json } = await send(endpoint, { query: `?limit=${limit}` });
        expect([status, json.code], endpoint.operationId).toEqual([400, "validation_error"]);
      }
    }
    const cursors = fields.filter(
      ({ name, endpoint: { path } }) =>
        name === "starting_after" &&
        (!/\{(?:\w*id|model|a|b)\}/.test(path) || path.startsWith("/admin/")),
    );
    expect(cursors.length).toBeGreaterThan(5);
    for (const { endpoint } of cursors) {
      const id = endpoint.access === "operator" ? workspaceId : "root";
      const { status, json } = await send(endpoint, { id, query: "?starting_after=zzz" });
      expect([status, json.code], endpoint.operationId).toEqual([400, "invalid_request"]);
    }
  });
});

test("a change that requires an Idempotency-Key returns 400 without one, and for one of the wrong length", async () => {
  const keyed = ENDPOINTS.filter(({ errors }) => errors.includes("missing_idempotency_key"));
  expect(keyed.length).toBeGreaterThan(8);
  for (const endpoint of keyed) {
    for (const [key, code] of [
      [undefined, "missing_idempotency_key"],
      ["k".repeat(7), "invalid_idempotency_key"],
      ["k".repeat(256), "invalid_idempotency_key"],
    ] as const) {
      const { status, json } = await call(endpoint.method.toUpperCase(), pathOf(endpoint.path), {
        token,
        headers: key === undefined ? {} : { "idempotency-key": key },
        ...(endpoint.request.body !== undefined && { json: {} }),
      });
      expect([status, json.code], endpoint.operationId).toEqual([400, code]);
    }
  }
});

test("a malformed id in a body or a query is 400 invalid_id", async () => {
  for (const [method, path, json] of [
    ["POST", "/admin/v1/workspaces", { organization_id: "zzz", name: "Test" }],
    ["POST", "/admin/v1/api-keys", { workspace_id: "zzz", name: "Test" }],
    [
      "POST",
      "/admin/v1/credit-grants",
      { workspace_id: "zzz", milli_credits: 1, idempotency_key: "a key of mine" },
    ],
    ["GET", "/api/v1/webhooks/deliveries?endpoint_id=zzz", undefined],
    ["GET", "/api/v1/webhooks/deliveries?execution=zzz", undefined],
    ["GET", "/api/v1/webhooks/activity?endpoint_id=zzz", undefined],
    [
      "POST",
      "/api/v1/webhooks/endpoints",
      {
        name: "Test",
        url: "https://receiver.example/",
        workflow_scope: "selected",
        workflow_ids: ["zzz"],
        event_types: ["com.svc.execution.finished.v1"],
      },
    ],
  ] as const) {
    const response = await call(method, path, {
      token: path.startsWith("/admin/") ? ADMIN_TOKEN : token,
      headers: { "idempotency-key": "an id that is none" },
      ...(json !== undefined && { json }),
    });
    expect([response.status, response.json.code], path).toEqual([400, "invalid_id"]);
  }
});

test("operator routes return 404 if no operator token is set", async () => {
  const routes = ENDPOINTS.filter(({ access }) => access === "operator");
  expect(routes.length).toBeGreaterThan(5);
  for (const endpoint of routes) {
    const { status, json } = await call(endpoint.method.toUpperCase(), pathOf(endpoint.path), {
      token: ADMIN_TOKEN,
      env: { ADMIN_TOKEN: "" },
    });
    expect([status, json.code], endpoint.operationId).toEqual([404, "not_found"]);
  }
});

test("a workspace whose plan has no API access receives 402 on every route with a scope", async () => {
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
