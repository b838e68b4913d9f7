/** Requirements of HTTP itself, on the routes that they apply to. */
import { beforeAll, describe, expect, test } from "vitest";
import manifest from "../../../package.json";
import type { Endpoint } from "../../../src/api/define-endpoint.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { type Reply, call, newCaller } from "../../support/api-caller.ts";
import { newRouteTokens, type RouteTokens, tokenOf } from "../../support/embeds/route-tokens.ts";
import { upload } from "../../support/asset-form.ts";
import { expectWithin } from "../../support/expect-within.ts";

const NOBODYS = "0190f3aa000070008000000000000001";
const strict = ENDPOINTS.filter(({ path }) => /^\/(?:api\/v1|admin\/v1)\//.test(path));

let tokens: RouteTokens;
let token: string;

beforeAll(async () => {
  tokens = await newRouteTokens();
  ({ token } = tokens);
});

function send(endpoint: Endpoint, query: string, headers: Record<string, string> = {}) {
  const path = endpoint.path.replace("{zip_id}", "1").replaceAll(/\{\w+\+?\}/g, NOBODYS);
  return call(endpoint.method.toUpperCase(), path + query, {
    token: tokenOf(endpoint, tokens),
    headers: { "idempotency-key": `http-${endpoint.operationId}`, ...headers },
    ...(endpoint.request.body !== undefined && { json: {} }),
  });
}

describe("an unknown query parameter", () => {
  test("is 400 on every route of the API and of the operator, with the parameter's name", async () => {
    expect(strict.length).toBeGreaterThan(60);
    for (const endpoint of strict) {
      const { status, json } = await send(endpoint, "?no_such=1");
      expect(status, endpoint.operationId).toBe(400);
      expect(
        json.errors.map(({ field }: { field: string }) => field),
        endpoint.operationId,
      ).toContain("no_such");
    }
  });

  test("gets a suggestion of the most similar known parameter, or a list of all, or the note that there are none", async () => {
    const near = await call("GET", "/api/v1/workflows?limt=5", { token });
    expect(near.json).toMatchObject({
      status: 400,
      code: "validation_error",
      errors: [{ field: "limt", message: 'Unknown query parameter. Did you mean "limit"?' }],
    });
    const far = await call("GET", "/api/v1/workflows?color=red&__proto__=1", { token });
    expect(far.json.errors).toEqual([
      {
        field: "color",
        message: "Unknown query parameter. Allowed: limit, starting_after, name, tag, status.",
      },
      {
        field: "__proto__",
        message: "Unknown query parameter. Allowed: limit, starting_after, name, tag, status.",
      },
    ]);
    const none = await call("GET", "/api/v1/plan?color=red", { token });
    expect(none.json.errors[0].message).toBe(
      "Unknown query parameter. The route has no query parameters.",
    );
  });

  test("is ignored by pages, documents and file addresses", async () => {
    for (const path of ["/docs", "/docs/errors", "/health", "/swagger/public-v1/swagger.json"]) {
      expect((await call("GET", `${path}?utm_source=mail`)).status, path).toBe(200);
    }
    const { url } = await storedFile("plain.txt", "some text");
    expect((await call("GET", `${url}?utm_source=mail`)).status).toBe(200);
  });
});

describe("an unknown field of a body", () => {
  test("gets a suggestion of the most similar known field, or a list of all, at any depth", async () => {
    const post = async (path: string, json: unknown) =>
      (await call("POST", path, { token, json })).json.errors;
    expect(await post("/api/v1/workflows", { name: "a", folder: null, tag: [] })).toEqual([
      {
        field: "folder",
        message: "Unknown field. Allowed: name, description, tags, folder_id, definition.",
      },
      { field: "tag", message: 'Unknown field. Did you mean "tags"?' },
    ]);
    const workflow = `wf_${NOBODYS}`;
    const limits = { max_iteration_per_node: 5 };
    expect(await post("/api/v1/executions", { workflow, admission_limits: limits })).toEqual([
      {
        field: "admission_limits.max_iteration_per_node",
        message: 'Unknown field. Did you mean "max_iterations_per_node"?',
      },
    ]);
    // Of many unknown fields, only those that are reported are compared with the known ones.
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [`descriptions_of_nothing_${i}`, 1]),
    );
    await expectWithin(1_000, async () => {
      expect(await post("/api/v1/workflows", { name: "a", ...many })).toHaveLength(100);
    });
    const rowMapping = { columns: [{ sourceColumn: "n", outputPort: "n", outputTypes: "text" }] };
    const nodes = [
      { id: "rows", type: "enumerate/data_rows", positon: {}, parameters: { rowMapping } },
    ];
    const { json } = await call("POST", "/api/v1/workflows/validate", {
      token,
      json: { definition: { nodes, connection: [] } },
    });
    expect(
      json.errors.flatMap(({ field, suggestion }: Record<string, string>) =>
        /outputTypes|positon|connection/.test(field ?? "") ? [[field, suggestion]] : [],
      ),
    ).toEqual([
      ["connection", 'Did you mean "connections"?'],
      ["nodes[0].positon", 'Did you mean "position"?'],
      ["nodes[0].parameters.rowMapping.columns[0].outputTypes", 'Did you mean "outputType"?'],
    ]);
  });
});

describe("a parameter that takes one value", () => {
  test("is rejected with the number of times that it was sent", async () => {
    const { status, json } = await call("GET", "/api/v1/workflows?limit=1&limit=2&tag=a&tag=b", {
      token,
    });
    expect([status, json.errors]).toEqual([
      400,
      [
        { field: "limit", message: "Must be sent once, and was sent 2 times." },
        { field: "tag", message: "Must be sent once, and was sent 2 times." },
      ],
    ]);
  });
});

describe("a date in a filter", () => {
  test("may be a day, which means its midnight in UTC", async () => {
    for (const query of [
      "created_after=2026-01-31",
      "created_before=2026-01-31T00:00:00%2B02:00",
    ]) {
      expect((await call("GET", `/api/v1/executions?${query}`, { token })).status, query).toBe(200);
    }
    for (const query of [
      "created_after=2026-02-30",
      "created_before=31.01.2026",
      "created_after=",
    ]) {
      const { status, json } = await call("GET", `/api/v1/executions?${query}`, { token });
      expect([status, json.errors[0].message], query).toEqual([
        400,
        expect.stringMatching(/^Must be a date like 2026-01-31, or an ISO 8601 time/),
      ]);
    }
  });
});

describe("messages", () => {
  /** Words of messages of the schema library and of the JSON parser. */
  const FOREIGN =
    /expected|received|Invalid input|Too (?:big|small)|Unexpected|Unrecognized|Invalid option/;

  test("for invalid bodies and queries are the service's own text", async () => {
    const wrong = [1, "x", null, [], {}, [{}], true, -1, "", "x".repeat(5000)];
    let seen = 0;
    for (const endpoint of ENDPOINTS.filter(({ request }) => request.body !== undefined)) {
      const known = Object.keys((endpoint.request.body as { shape?: object }).shape ?? {});
      for (const value of wrong) {
        const { text } = await call(
          endpoint.method.toUpperCase(),
          endpoint.path.replaceAll(/\{\w+\+?\}/g, NOBODYS),
          {
            token: tokenOf(endpoint, tokens),
            headers: { "idempotency-key": "words-of-our-own" },
            json: Object.fromEntries(known.map((name) => [name, value])),
          },
        );
        seen += text.includes("errors") ? 1 : 0;
        expect(text.replaceAll(/"(?:received|expected)":/g, ""), endpoint.operationId).not.toMatch(
          FOREIGN,
        );
      }
    }
    expect(seen).toBeGreaterThan(100);
  });

  test("of a wrong id, of a key too short and of a name with a slash are sentences", async () => {
    const upload = await call("GET", "/api/v1/assets/uploads/upl_x", { token });
    expect(upload.json.detail).toMatch(/^upload_id: "upl_x" is not an upload id\. Send it/);
    const headers = { "idempotency-key": "1" };
    const key = await call("POST", "/api/v1/workflows", { token, headers, json: { name: "a" } });
    expect(key.json.detail).toMatch(/has 1 character; it must have 8 to 255/);
    const folder = await call("POST", "/api/v1/workflow-folders", { token, json: { name: "a/b" } });
    expect(folder.json.detail).toMatch(/^name: Must not contain "\/".*path\.$/);
  });

  test("for a body that is not JSON contain the position of the error", async () => {
    const post = async (body: string) => {
      const headers = { "content-type": "application/json" };
      return (await call("POST", "/api/v1/workflows", { token, headers, body })).json.detail;
    };
    expect(await post('{\n  "name": "a",\n  name: 1}')).toBe(
      "The body is not valid JSON from line 3, column 3 on.",
    );
    expect(await post('{"name":')).toBe(
      "The body is not valid JSON: it ends before its last value does.",
    );
  });
});

describe("a list of workflows", () => {
  test("is filtered by a part of the name, ignoring case", async () => {
    const caller = await newCaller();
    for (const name of ["Zürich Cards", "Basel cards", "Posters"]) {
      await call("POST", "/api/v1/workflows", { token: caller.token, json: { name } });
    }
    const names = async (query: string) => {
      const { json } = await call("GET", `/api/v1/workflows?status=draft&${query}`, {
        token: caller.token,
      });
      return [json.total_count, json.data.map((item: { name: string }) => item.name)];
    };
    expect(await names("name=CARDS")).toEqual([2, ["Basel cards", "Zürich Cards"]]);
    expect(await names(`name=${encodeURIComponent("ZÜRICH")}`)).toEqual([1, ["Zürich Cards"]]);
    expect(await names("name=%25")).toEqual([0, []]);
    expect(await names("name=cards&limit=1")).toEqual([2, ["Basel cards"]]);
  });
});

describe("a body with a Content-Encoding", () => {
  test("is 415 on every route with a body, and names the accepted encoding", async () => {
    const takers = ENDPOINTS.filter(
      ({ path, request, rawBody }) =>
        path.startsWith("/a") && (request.body !== undefined || rawBody !== undefined),
    );
    expect(takers.length).toBeGreaterThan(20);
    for (const endpoint of takers) {
      const path = endpoint.path.replaceAll(/\{\w+\+?\}/g, NOBODYS);
      const { status, headers, json } = await call(endpoint.method.toUpperCase(), path, {
        token: tokenOf(endpoint, tokens),
        headers: { "content-encoding": "gzip", "content-type": "application/json" },
        body: new Uint8Array([31, 139, 8, 0]),
      });
      expect([status, json.code, headers.get("accept-encoding")], endpoint.operationId).toEqual([
        415,
        "unsupported_media_type",
        "identity",
      ]);
    }
  });

  test("of identity is read", async () => {
    const headers = { "content-encoding": "identity" };
    const { status } = await call("POST", "/api/v1/workflows", {
      token,
      headers,
      json: { name: "Plain" },
    });
    expect(status).toBe(201);
  });
});

describe("GET /health", () => {
  test("returns 200 without a token, with the version of package.json", async () => {
    const { status, json, headers } = await call("GET", "/health");
    expect([status, json]).toEqual([200, { status: "ok", version: manifest.version }]);
    expect(headers.get("cache-control")).toBe("no-store");
    const head = await call("HEAD", "/health");
    expect([head.status, head.text]).toEqual([200, ""]);
  });
});

describe("a trailing slash", () => {
  test("at the end of a known path is 308 to the path without it, query kept", async () => {
    for (const [method, path, target] of [
      ["GET", "/api/v1/workflows/?limit=1", "/api/v1/workflows?limit=1"],
      ["POST", "/api/v1/executions/", "/api/v1/executions"],
      ["GET", "/docs/", "/docs"],
      ["GET", "/health/", "/health"],
      ["DELETE", `/api/v1/workflows/wf_${NOBODYS}/`, `/api/v1/workflows/wf_${NOBODYS}`],
    ] as const) {
      const { status, headers } = await call(method, path);
      expect([status, headers.get("location")], path).toEqual([308, target]);
    }
  });

  test("anywhere else is 404, and operator paths stay hidden if there is no operator", async () => {
    for (const path of ["/no-such/", "//evil.example/", "/api/v1/workflows//", "/"]) {
      expect((await call("GET", path)).status, path).not.toBe(308);
    }
    const hidden = await call("POST", "/admin/v1/workspaces/", { env: { ADMIN_TOKEN: "" } });
    expect(hidden.status).toBe(404);
  });
});

describe("every answer", () => {
  test("has nosniff, and one to an authenticated caller must not be cached by others", async () => {
    for (const endpoint of ENDPOINTS) {
      const { headers, status } = await send(endpoint, "");
      expect(headers.get("x-content-type-options"), endpoint.operationId).toBe("nosniff");
      if (endpoint.access !== "public") {
        expect(headers.get("cache-control"), `${endpoint.operationId} ${status}`).toMatch(
          /\b(?:no-store|private)\b/,
        );
      }
    }
    for (const path of ["/docs", "/no-such", "/docs/", "/docs/assets/docs.css"]) {
      const { headers } = await call("GET", path);
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
    }
    const list = await call("GET", "/api/v1/workflows", { token });
    expect(list.headers.get("cache-control")).toBe("no-store");
  });
});

describe("a token", () => {
  test("is accepted in its one spelling only", async () => {
    const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = ALPHABET.indexOf(token.at(-1)!);
    // 32 bytes leave two bits of the last of 43 characters unused: the other three spell the same bytes.
    const others = [1, 2, 3].map((bits) => token.slice(0, -1) + ALPHABET[(last & ~3) | bits]);
    expect((await call("GET", "/api/v1/plan", { token })).status).toBe(200);
    for (const other of [...others, `${token}=`, token.replaceAll("-", "+").replaceAll("_", "/")]) {
      const { status } = await call("GET", "/api/v1/plan", { token: other });
      expect([status, other === token], other).toEqual(
        other === token ? [200, true] : [401, false],
      );
    }
  });
});

describe("a file's address", () => {
  test("may be read by a page of any origin, as its preflight response states", async () => {
    const { url } = await storedFile("plain.txt", "some text");
    const open = {
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "Content-Length, Content-Range, ETag",
    };
    const origin = { origin: "https://page.example" };
    for (const response of [
      await call("GET", url, { headers: origin }),
      await call("GET", url, { headers: { ...origin, range: "bytes=0-3" } }),
      await call("HEAD", url, { headers: origin }),
      await call("GET", `${url}.gone`, { headers: origin }),
    ]) {
      expect(headersOf(response, open)).toEqual(open);
    }
    const asked = await call("OPTIONS", url, {
      headers: {
        ...origin,
        "access-control-request-method": "GET",
        "access-control-request-headers": "range",
      },
    });
    expect(asked.status).toBe(204);
    expect(headersOf(asked, open)).toEqual(open);
    expect(asked.headers.get("access-control-allow-methods")).toBe("GET, HEAD, OPTIONS");
    expect(asked.headers.get("access-control-allow-headers")).toMatch(/\bRange\b/);
  });

  test("is the only one: the API sends no such header and serves no preflight", async () => {
    const headers = { origin: "https://page.example", "access-control-request-method": "GET" };
    for (const path of ["/api/v1/workflows", "/api/v1/auth/token", "/health", "/docs"]) {
      for (const method of ["GET", "OPTIONS"]) {
        const response = await call(method, path, { token, headers });
        const names = [...response.headers.keys()].filter((name) =>
          name.startsWith("access-control"),
        );
        expect(names, `${method} ${path}`).toEqual([]);
      }
      expect((await call("OPTIONS", path, { headers })).status, path).toBe(405);
    }
  });

  test("evaluates conditions in the order of RFC 9110", async () => {
    const { url } = await storedFile("plain.txt", "some text");
    const first = await call("GET", url);
    const etag = first.headers.get("etag")!;
    const modified = first.headers.get("last-modified")!;
    expect(Math.abs(Date.parse(modified) - Date.now())).toBeLessThan(60_000);
    const before = new Date(Date.parse(modified) - 1000).toUTCString();
    const later = new Date(Date.parse(modified) + 1000).toUTCString();
    for (const [status, headers] of [
      [200, { "if-match": etag }],
      [200, { "if-match": `"other", ${etag}` }],
      [200, { "if-match": "*" }],
      [412, { "if-match": '"other"' }],
      [412, { "if-match": `W/${etag}` }],
      [200, { "if-unmodified-since": modified }],
      [200, { "if-unmodified-since": later }],
      [412, { "if-unmodified-since": before }],
      // An entity tag takes precedence over a date.
      [200, { "if-match": etag, "if-unmodified-since": before }],
      [304, { "if-none-match": etag }],
      [304, { "if-modified-since": modified }],
      [304, { "if-modified-since": later }],
      [200, { "if-modified-since": before }],
      [200, { "if-none-match": '"other"', "if-modified-since": modified }],
      [412, { "if-match": '"other"', "if-none-match": etag }],
      // An invalid date is ignored.
      [200, { "if-unmodified-since": "yesterday" }],
      [200, { "if-modified-since": "2026-01-31" }],
      [206, { range: "bytes=0-3", "if-range": etag }],
      [206, { range: "bytes=0-3", "if-range": modified }],
      [200, { range: "bytes=0-3", "if-range": before }],
      [412, { range: "bytes=0-3", "if-match": '"other"' }],
    ] as const) {
      for (const method of ["GET", "HEAD"]) {
        const response = await call(method, url, { headers });
        const expected = method === "HEAD" && status === 206 ? 200 : status;
        expect(response.status, `${method} ${JSON.stringify(headers)}`).toBe(expected);
      }
    }
  });

  test("returns the whole file's length to HEAD, whatever range is requested", async () => {
    const { url } = await storedFile("plain.txt", "some text");
    for (const range of ["bytes=0-3", "bytes=100-", "bytes=-2"]) {
      const { status, headers } = await call("HEAD", url, { headers: { range } });
      expect([status, headers.get("content-length"), headers.get("content-range")]).toEqual([
        200,
        "9",
        null,
      ]);
    }
  });

  test("returns a download with its own name, and with an ASCII name without accents", async () => {
    const { url, path } = await storedFile("Preisliste-März.txt", "some text");
    expect(path.endsWith("/Preisliste-Marz.txt")).toBe(true);
    const { headers } = await call("GET", url);
    expect(headers.get("content-disposition")).toBe(
      `inline; filename="Preisliste-Marz.txt"; filename*=UTF-8''Preisliste-M%C3%A4rz.txt`,
    );
  });
});

function headersOf(response: Reply, wanted: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, response.headers.get(name)]));
}

/** Returns an asset and its address without the origin. */
async function storedFile(name: string, text: string): Promise<{ url: string; path: string }> {
  const stored = await upload({ token }, name, text);
  const address = await call(
    "GET",
    `/api/v1/assets/download-url?path=${encodeURIComponent(stored.json.path)}`,
    { token },
  );
  return { url: new URL(address.json.url).pathname, path: stored.json.path };
}
