import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createApp } from "../../../src/api/app.ts";
import { defineEndpoint } from "../../../src/api/define-endpoint.ts";
import { idField } from "../../../src/api/id-field.ts";
import { cursorField, limitField, timeField } from "../../../src/api/query-fields.ts";
import { isJsonObject, stringifyJson } from "../../../src/lib/json/exact-json.ts";
import { AppError } from "../../../src/lib/errors/errors.ts";

const echo = defineEndpoint({
  method: "put",
  path: "/echo/{id}",
  operationId: "echo",
  summary: "Echo",
  tag: "Discovery",
  access: "public",
  request: {
    params: z.object({ id: idField("workflow") }),
    query: z.object({
      limit: limitField(),
      starting_after: cursorField,
      status: z.enum(["on", "off"]).optional(),
      after: timeField.optional(),
    }),
    headers: z.object({ "if-match": z.string().max(10).optional() }),
    body: z.strictObject({
      workflow: idField("workflow", "invalid_request").optional(),
      items: z.array(z.object({ n: z.int().min(1) })).optional(),
      either: z.union([z.string(), z.object({ deep: z.object({ x: z.string() }) })]).optional(),
      named: z.string().min(1, "Send its name.").optional(),
      map: z.record(z.string(), z.number()).optional(),
    }),
    isBodyOptional: true,
    codes: { "query.status": "invalid_status" },
  },
  responses: { 200: { description: "What was understood", body: z.unknown() } },
  errors: [],
  handle: async (_ctx, input) => ({ status: 200, body: { ...input, exactBody: undefined } }),
});
const exact = defineEndpoint({
  method: "post",
  path: "/exact",
  operationId: "exact",
  summary: "Exact numbers",
  tag: "Discovery",
  access: "public",
  request: { body: z.looseObject({ n: z.number() }) },
  responses: { 200: { description: "The body again" } },
  errors: [],
  handle: async (_ctx, { exactBody }) => {
    const body = exactBody();
    return { response: new Response(isJsonObject(body) ? stringifyJson(body) : "") };
  },
});
const crash = defineEndpoint({
  method: "get",
  path: "/crash/{how}",
  operationId: "crash",
  summary: "Crash",
  tag: "Discovery",
  access: "public",
  request: { params: z.object({ how: z.string() }) },
  responses: { 204: { description: "Never" } },
  errors: [],
  handle: (_ctx, { params }) => {
    if (params.how === "app-error") {
      throw new AppError("service_unavailable", "Later.", {
        headers: { "retry-after": "7" },
        members: { example: { a: 1 } },
      });
    }
    // oxlint-disable-next-line typescript/only-throw-error -- libraries do
    throw params.how === "text" ? "a secret text" : new TypeError("a secret: /etc/path");
  },
});

const app = createApp([echo, exact, crash]);
// oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
async function request(method: string, path: string, body?: string): Promise<any> {
  const init = {
    method,
    ...(body !== undefined && { body, headers: { "content-type": "application/json" } }),
  };
  const response = await app.request(path, init, env, createExecutionContext());
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text.startsWith("{") ? JSON.parse(text) : undefined,
  };
}
const ID = "0190f3aa000070008000000000000001";

describe("a request is parsed as a whole", () => {
  test("params, query and body report their problems together, the most specific code first", async () => {
    const response = await request(
      "PUT",
      "/echo/nope?limit=0&status=maybe&after=noon",
      `{"items":[{"n":1},{"n":0},{}],"extra":1}`,
    );
    expect(response.json.errors.map((error: { field: string }) => error.field)).toEqual([
      "id",
      "limit",
      "status",
      "after",
      "items[1].n",
      "items[2].n",
      "extra",
    ]);
    expect([response.status, response.json.code]).toEqual([400, "invalid_id"]);
    expect((await request("PUT", `/echo/${ID}?status=maybe`)).json.code).toBe("invalid_status");
    expect((await request("PUT", `/echo/${ID}?limit=101`)).json.code).toBe("validation_error");
    expect((await request("PUT", `/echo/${ID}`, `{"workflow":"x"}`)).json.code).toBe(
      "invalid_request",
    );
  });

  test("a custom rule is reported as one sentence, with the invalid value", async () => {
    const { json } = await request("PUT", `/echo/${ID}`, `{"named":"","map":[1]}`);
    expect(json.errors).toEqual([
      { field: "named", message: 'Send its name; got "".' },
      { field: "map", message: "Must be an object; got a list of 1." },
    ]);
  });

  test("a number beyond a double's range is not shown as null", async () => {
    const { json } = await request(
      "PUT",
      `/echo/${ID}`,
      `{"items":[{"n":1e999}],"map":{"a":-1e999}}`,
    );
    expect(json.errors.map((error: { message: string }) => error.message)).toEqual([
      "Must be a number; got a number beyond 1.8e308.",
      "Must be a number; got a number beyond 1.8e308.",
    ]);
  });

  test("valid input arrives in canonical form and with defaults", async () => {
    const dashed = "0190F3AA-0000-7000-8000-000000000001";
    const response = await request(
      "PUT",
      `/echo/${dashed}?limit=7&after=2026-01-31T12:00:00Z&unknown=1`,
      `{"workflow":"${ID}"}`,
    );
    expect(response.json).toMatchObject({
      params: { id: `wf_${ID}` },
      query: { limit: 7, after: Date.UTC(2026, 0, 31, 12) },
      body: { workflow: `wf_${ID}` },
    });
    expect((await request("PUT", `/echo/wf_${ID}`)).json).toMatchObject({
      query: { limit: 25 },
      body: {},
    });
  });

  test("limit accepts whole numbers from 1 to 100 and nothing that only resembles one", async () => {
    for (const limit of [
      "0",
      "101",
      "-1",
      "1.5",
      "1e1",
      "0x10",
      "",
      "%20",
      "NaN",
      "Infinity",
      "9".repeat(40),
      "5&limit=6",
    ]) {
      const response = await request("PUT", `/echo/${ID}?limit=${limit}`);
      expect([response.status, response.json.code], limit).toEqual([400, "validation_error"]);
    }
    expect((await request("PUT", `/echo/${ID}?limit=100`)).status).toBe(200);
  });

  test("a union's problem is reported for the branch that matched furthest", async () => {
    const response = await request("PUT", `/echo/${ID}`, `{"either":{"deep":{"x":5}}}`);
    expect(response.json.errors).toEqual([
      { field: "either.deep.x", message: expect.stringContaining("got 5") },
    ]);
  });

  test("of thousands of problems the first hundred are returned", async () => {
    const items = JSON.stringify({ items: Array.from({ length: 5000 }, () => ({ n: 0 })) });
    const response = await request("PUT", `/echo/${ID}`, items);
    expect(response.json.errors).toHaveLength(100);
    expect(response.json.detail).toContain("4999 more");
  });

  test("__proto__ as a key of a map never reaches a prototype", async () => {
    const response = await request(
      "PUT",
      `/echo/${ID}`,
      `{"map":{"__proto__":1,"constructor":2,"toString":3}}`,
    );
    expect(response.status).toBe(200);
    expect(({} as Record<string, unknown>)["constructor"]).toBe(Object);
    expect(response.json.body.map.constructor).toBe(2);
  });

  test("exactBody keeps every digit of a number", async () => {
    const body = `{"n":1.50,"big":12345678901234567890,"e":1e5,"neg":-0}`;
    expect((await request("POST", "/exact", body)).text).toBe(body);
  });
});

describe("an error of a handler", () => {
  test("is returned unchanged if it is an AppError, including headers and members", async () => {
    const response = await request("GET", "/crash/app-error");
    expect([response.status, response.headers.get("retry-after"), response.json.example]).toEqual([
      503,
      "7",
      { a: 1 },
    ]);
  });

  test("is internal_error, without its message, if it is any other error", async () => {
    for (const how of ["error", "text"]) {
      const response = await request("GET", `/crash/${how}`);
      expect([response.status, response.json?.code], how).toEqual([500, "internal_error"]);
      expect(response.text).not.toContain("secret");
    }
  });
});

describe("an invalid deployment", () => {
  test.each([
    [
      "EGRESS_ALLOW_LOOPBACK outside of local mode",
      { ENVIRONMENT: "production", EGRESS_ALLOW_LOOPBACK: "127.0.0.1:9" },
    ],
    ["a short JWT_SECRET", { JWT_SECRET: "short" }],
    ["no JWT_SECRET", { JWT_SECRET: undefined }],
    ["a short ADMIN_TOKEN", { ADMIN_TOKEN: "short" }],
    ["a BASE_URL that ends with a slash", { BASE_URL: "https://svc.example/" }],
    ["no database", { DB: undefined }],
  ])("returns 500 for every request with %s", async (_name, change) => {
    const broken = { ...env, ...change } as never;
    const response = await app.request(
      `/echo/${ID}`,
      { method: "PUT" },
      broken,
      createExecutionContext(),
    );
    expect(response.status).toBe(500);
    expect(response.headers.get("x-correlation-id")).not.toBeNull();
    expect(await response.json()).toMatchObject({ code: "internal_error" });
  });

  test("serves with loopback hosts named in local mode, and in production without", async () => {
    for (const change of [
      { EGRESS_ALLOW_LOOPBACK: "127.0.0.1:9" },
      { ENVIRONMENT: "production", EGRESS_ALLOW_LOOPBACK: "" },
    ]) {
      const response = await app.request(
        `/echo/${ID}`,
        { method: "PUT" },
        { ...env, ...change } as never,
        createExecutionContext(),
      );
      expect(response.status).toBe(200);
    }
  });
});
