import { describe, expect, test } from "vitest";
import { buildOpenApi } from "../../../src/api/docs/build-openapi.ts";
import recorded from "../../../src/api/docs/recorded-examples.json" with { type: "json" };
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { compileSchema } from "../../../src/expressions/json-schema.ts";
import { ERRORS } from "../../../src/lib/errors/errors.ts";
import { type JsonValue, parseJson } from "../../../src/lib/json/exact-json.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- the tests walk a JSON document
type Json = any;
const document = buildOpenApi(ENDPOINTS, "https://svc.example", recorded) as Json;
const documented = ENDPOINTS.filter((endpoint) => endpoint.isUndocumented !== true);

describe("the OpenAPI document", () => {
  test("states for every success which correlation ids are not echoed", () => {
    for (const { path, method, responses } of documented) {
      const shown = document.paths[path.replaceAll("+}", "}")][method].responses;
      for (const status of Object.keys(responses)) {
        const { description } = shown[status].headers["X-Correlation-ID"];
        expect(description).toMatch(/200 characters of printable ASCII.*new UUID/);
      }
    }
  });

  test("lists every route and no others", () => {
    const listed = Object.entries<object>(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(listed.toSorted()).toEqual(
      documented.map(({ method, path }) => `${method} ${path.replaceAll("+}", "}")}`).toSorted(),
    );
  });

  test("has the responses of every route, and its errors as problem documents with their codes", () => {
    for (const endpoint of documented) {
      const { responses, security, summary } =
        document.paths[endpoint.path.replaceAll("+}", "}")][endpoint.method];
      expect(summary.length).toBeGreaterThan(3);
      for (const status of Object.keys(endpoint.responses)) {
        expect(
          responses[status]?.description.length,
          `${endpoint.operationId} ${status}`,
        ).toBeGreaterThan(0);
      }
      const codes = Object.entries<Json>(responses).flatMap(([status, { content }]) => {
        const schema = content?.["application/problem+json"]?.schema;
        const named: (keyof typeof ERRORS)[] = schema?.allOf?.[1].properties.code.enum ?? [];
        const own = endpoint.errorStatuses ?? {};
        // Publishing has its own 422 for a definition, and 400 for an unknown query parameter.
        const isUsual = (code: keyof typeof ERRORS) =>
          String(own[code] ?? ERRORS[code].status) === status ||
          (code === "validation_error" && status === "400");
        expect(named.filter((code) => !isUsual(code))).toEqual([]);
        return named;
      });
      expect(codes).toEqual(expect.arrayContaining([...endpoint.errors]));
      expect(responses.default.content["application/problem+json"].schema.$ref).toMatch(/Problem$/);
      if (typeof endpoint.access === "object") {
        const { scope, permission } = endpoint.access;
        expect(security).toEqual([{ bearer: [] }, { oauth2: scope === null ? [] : [scope] }]);
        expect(codes).toContain("unauthorized");
        expect(codes.includes("insufficient_scope")).toBe(scope !== null || permission !== null);
      }
    }
  });

  test("states for every counted route its rate limit and when to retry", () => {
    const named = [
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
      "RateLimit",
      "RateLimit-Policy",
    ];
    for (const { path, method, access, errors } of documented) {
      const { responses } = document.paths[path.replaceAll("+}", "}")][method];
      const isCounted =
        typeof access === "object" ||
        access.startsWith("embed:") ||
        errors.includes("too_many_requests");
      expect([path, responses["429"] !== undefined]).toEqual([path, isCounted]);
      for (const [status, { headers = {} }] of Object.entries<Json>(responses)) {
        const listed = Object.keys(headers);
        expect(named.every((name) => listed.includes(name))).toBe(isCounted);
        expect(listed.includes("Retry-After")).toBe(status === "429" || status === "503");
      }
    }
  });

  test("describes request bodies from the schemas that parse them", () => {
    const { requestBody } = document.paths["/admin/v1/api-keys"].post;
    const { properties, required, additionalProperties } =
      requestBody.content["application/json"].schema;
    expect(Object.keys(properties)).toEqual([
      "workspace_id",
      "name",
      "scopes",
      "permissions",
      "expires_at",
      "is_agent",
    ]);
    expect([required, additionalProperties]).toEqual([["workspace_id", "name"], false]);
    const form = document.paths["/api/v1/auth/token"].post;
    expect(form.requestBody.content["application/x-www-form-urlencoded"].schema.required).toEqual([
      "grant_type",
    ]);
    expect(form.security).toEqual([{ client: [] }]);
  });

  test("refers only to schemas that it contains", () => {
    const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name,
    );
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
    expect(JSON.stringify(document)).not.toContain("$defs");
  });

  test("authenticates with client credentials, and describes every event and operation", () => {
    const { oauth2 } = document.components.securitySchemes;
    expect(oauth2.flows.clientCredentials).toMatchObject({
      tokenUrl: "https://svc.example/api/v1/auth/token",
      scopes: { "executions:write": "Change executions." },
    });
    expect(Object.keys(document.webhooks)).toEqual([
      "com.svc.execution.finished.v1",
      "com.svc.batch.finished.v1",
      "com.svc.webhook.test.v1",
    ]);
    for (const { post } of Object.values<Json>(document.webhooks)) {
      const [media] = Object.values<Json>(post.requestBody.content);
      expect(media.schema.$ref).toMatch(/Event$/);
    }
    for (const { operationId, summary, description = "" } of documented) {
      expect(description.length, operationId).toBeGreaterThan(20);
      expect(description, operationId).not.toBe(`${summary}.`);
      expect(summary, operationId).toMatch(/^[A-Z].{3,70}[^.]$/);
    }
  });

  test("has for every body an example that fits its own schema", async () => {
    const without: string[] = [];
    const wrong: unknown[] = [];
    const hold = async (name: string, media: Json) => {
      const { schema, example } = media;
      if (example === undefined) {
        without.push(name);
        return;
      }
      const check = await compileSchema(within(schema) as JsonValue);
      wrong.push(...check(parseJson(JSON.stringify(example))).map((found) => ({ name, ...found })));
    };
    for (const { operationId, requestBody, responses } of operations()) {
      if (requestBody !== undefined) {
        const [media] = Object.values<Json>(requestBody.content);
        await hold(`${operationId} request`, media);
      }
      const answers = Object.entries<Json>(responses).filter(
        ([status, { content }]) => status < "3" && content !== undefined,
      );
      const shown = answers.find(([, { content }]) => exampleIn(content) !== undefined);
      const [status, { content }] = shown ?? answers[0] ?? ["", {}];
      if (content !== undefined && !("application/octet-stream" in content)) {
        await hold(`${operationId} ${status}`, Object.values<Json>(content)[0]);
      }
    }
    expect(without).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test("rejects an example that does not fit", async () => {
    const { schema, example } =
      document.paths["/api/v1/executions/{id}"].get.responses["200"].content["application/json"];
    const check = await compileSchema(within(schema) as JsonValue);
    const fits = (changed: object) => check(parseJson(JSON.stringify({ ...example, ...changed })));
    expect(fits({})).toEqual([]);
    expect(fits({ status: "done" })).not.toEqual([]);
    expect(fits({ outputs: [{}] })).not.toEqual([]);
  });

  test("contains no secret, address or id of the machine on which its examples were recorded", () => {
    const text = JSON.stringify(document);
    expect(text).not.toMatch(/127\.0\.0\.1|localhost:\d|eyJ[\w-]{20}|whsec_[A-Za-z0-9+/]{20}/);
    expect(text).not.toMatch(/(?:run|ws|wf|key|org|whe|whd|evt|upl)_01(?!90f3a2)[0-9a-f]{30}/);
  });

  test("declares every time as date-time, and alternatives of two members as oneOf", () => {
    const wrong: string[] = [];
    walk(document, "", (schema, at) => {
      for (const [name, property] of Object.entries<Json>(schema.properties ?? {})) {
        const text = JSON.stringify(property);
        if (/_at$|^at$/.test(name) && !text.includes('"date-time"')) {
          wrong.push(`${at}.${name}`);
        }
      }
    });
    expect(wrong).toEqual([]);
    const { inputs } = document.components.schemas.SubmitExecution.properties;
    expect(inputs.additionalProperties.oneOf.map(({ required }: Json) => required)).toEqual([
      ["value"],
      ["asset_path"],
    ]);
  });

  test("says what every field of every response and event is", () => {
    const named = new Set<string>();
    const without: string[] = [];
    let count = 0;
    const read = (schema: Json, at: string) =>
      walk(schema, at, ({ $ref, properties = {} }, place) => {
        const name = /^#\/components\/schemas\/(.+)$/.exec(String($ref))?.[1];
        if (name !== undefined && !named.has(name)) {
          named.add(name);
          read(document.components.schemas[name], name);
        }
        for (const [field, { description = "" }] of Object.entries<Json>(properties)) {
          count += 1;
          if (!/^[A-Z`0-9].{6,}[.`]$/.test(description)) {
            without.push(`${place}.${field}: ${description}`);
          }
        }
      });
    for (const { operationId, requestBody, responses } of operations()) {
      const bodies = Object.entries<Json>(responses).flatMap(([status, { content = {} }]) =>
        // Each error is a Problem, of which its operation only lists the codes.
        status < "3" ? Object.values<Json>(content) : [],
      );
      const events = operationId.endsWith("Event") ? Object.values<Json>(requestBody.content) : [];
      for (const { schema } of [...bodies, ...events]) {
        read(schema, operationId);
      }
    }
    read(document.components.schemas.Problem, "Problem");
    expect(without).toEqual([]);
    expect(count).toBeGreaterThan(400);
  });

  test("names every object schema that is used in more than one place", () => {
    const places = new Map<string, string[]>();
    walk(document, "", (schema, at) => {
      const isNamed = /^\.components\.schemas\.[^.]+$/.test(at);
      if (Object.keys(schema.properties ?? {}).length > 1 && !isNamed) {
        const { description: _words, ...shape } = schema;
        const text = JSON.stringify(shape);
        places.set(text, [...(places.get(text) ?? []), at]);
      }
    });
    expect([...places.values()].filter((found) => found.length > 1)).toEqual([]);
    for (const name of ["Execution", "ExecutionListItem", "RawOutput", "AdmissionLimits"]) {
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
  });
});

/** Every operation of the document, including those of events. */
function operations(): Json[] {
  return [document.paths, document.webhooks].flatMap((items) =>
    Object.values<Json>(items).flatMap((item) => Object.values<Json>(item)),
  );
}

function exampleIn(content: Json): unknown {
  return Object.values<Json>(content)[0]?.example;
}

/** A schema with its referenced components, by their path in the document. */
function within(schema: Json): Json {
  const schemas: Record<string, Json> = {};
  const gather = (value: Json): void => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(
      /"#\/components\/schemas\/([^"]+)"/g,
    )) {
      if (schemas[name] === undefined) {
        schemas[name] = document.components.schemas[name];
        gather(schemas[name]);
      }
    }
  };
  gather(schema);
  return { ...schema, components: { schemas } };
}

/** Calls `visit` for every object below a value, with the path to it. */
function walk(value: Json, at: string, visit: (schema: Json, at: string) => void): void {
  if (typeof value !== "object" || value === null) {
    return;
  }
  if (!Array.isArray(value)) {
    visit(value, at);
  }
  for (const [key, inner] of Object.entries<Json>(value)) {
    walk(inner, `${at}.${key}`, visit);
  }
}
