import { describe, expect, test } from "vitest";
import { ADMIN_TOKEN, type Reply, call, ORIGIN } from "../../support/api-caller.ts";

const PATH = "/admin/v1/organizations";

function post(body: BodyInit, type: string | null = "application/json") {
  return call("POST", PATH, {
    token: ADMIN_TOKEN,
    headers: type === null ? {} : { "content-type": type },
    body,
  });
}

/** Every field of docs/contract/problems.md#format, and a `type` whose page exists. */
async function expectProblem(response: Reply, status: number, code: string, instance = PATH) {
  expect([response.status, response.json?.code]).toEqual([status, code]);
  expect(response.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  expect(response.json).toMatchObject({
    type: `${ORIGIN}/docs/public-api/errors/${code.replaceAll("_", "-")}`,
    status,
    instance,
    request_id: response.headers.get("x-correlation-id"),
  });
  expect(response.json.title).toMatch(/^[A-Z]/);
  expect(response.json.detail.length).toBeGreaterThan(10);
  const page = await call("GET", response.json.type.slice(ORIGIN.length));
  expect([page.status, page.headers.get("content-type")]).toEqual([
    200,
    "text/html; charset=utf-8",
  ]);
  expect(page.text).toContain(code);
}

describe("every failure is a problem document", () => {
  test("an unknown route is 404 not_found", async () => {
    await expectProblem(await call("GET", "/nowhere"), 404, "not_found", "/nowhere");
    await expectProblem(await call("POST", "/api/v1/nowhere"), 404, "not_found", "/api/v1/nowhere");
    await expectProblem(await call("GET", "/%ff%00"), 404, "not_found", "/%ff%00");
  });

  test("a known path with another method is 405 with Allow", async () => {
    const response = await call("GET", PATH);
    await expectProblem(response, 405, "method_not_allowed");
    expect(response.headers.get("allow")).toBe("POST");
    const key = await call("POST", `/admin/v1/api-keys/key_1`);
    expect([key.status, key.headers.get("allow")]).toEqual([405, "DELETE"]);
    const page = await call("DELETE", "/docs");
    expect([page.status, page.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("HEAD returns the status and headers of GET without a body", async () => {
    const found = await call("HEAD", "/docs");
    expect([found.status, found.text]).toEqual([200, ""]);
    const missing = await call("HEAD", "/nowhere");
    expect([missing.status, missing.text]).toEqual([404, ""]);
  });

  test.each([
    ["cut short", "{"],
    ["not JSON", "hello"],
    ["NaN", `{"name": NaN}`],
    ["single quotes", "{'name': 'x'}"],
    ["a trailing comma", `{"name": "x",}`],
    ["two documents", `{"name":"x"}{"name":"y"}`],
    ["only white space", "  \n"],
    ["an array", `[{"name":"x"}]`],
    ["a string", `"name"`],
    ["null", "null"],
    ["a number", "1e999"],
    ["101 levels of objects", `${`{"a":`.repeat(101)}1${"}".repeat(101)}`],
    ["a million open brackets", "[".repeat(1_000_000)],
    ["bytes that are not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])("a body that is %s is 400 invalid_request", async (_name, body) => {
    await expectProblem(await post(body), 400, "invalid_request");
  });

  test("an empty body is 400 invalid_request", async () => {
    await expectProblem(await call("POST", PATH, { token: ADMIN_TOKEN }), 400, "invalid_request");
    await expectProblem(await post(""), 400, "invalid_request");
  });

  test("a body over 4 MiB is 413 at once, with and without a declared length", async () => {
    const big = `{"name":"${"x".repeat(10 * 1024 * 1024)}"}`;
    await expectProblem(await post(big), 413, "payload_too_large");
    const chunk = new Uint8Array(1024 * 1024).fill(0x20);
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(chunk);
      },
    });
    await expectProblem(await post(endless), 413, "payload_too_large");
    expect(sent).toBeLessThan(80);
  });

  test("a body of another type is 415, and JSON under its other names is read", async () => {
    const body = `{"name":"x"}`;
    for (const type of [
      "text/plain",
      "application/xml",
      "application/jsonp",
      "json",
      "application/json; charset=utf-16",
      "multipart/form-data; boundary=x",
    ]) {
      await expectProblem(await post(body, type), 415, "unsupported_media_type");
    }
    // A string body would set a Content-Type of its own.
    await expectProblem(
      await post(new TextEncoder().encode(body), null),
      415,
      "unsupported_media_type",
    );
    for (const type of [
      "application/json",
      "APPLICATION/JSON",
      "application/json; charset=UTF-8",
      "application/json;charset=utf-8",
      "application/vnd.api+json",
    ]) {
      expect((await post(body, type)).status, type).toBe(201);
    }
  });

  test("several field errors are returned at once, each with its path and rule", async () => {
    const response = await post(`{"name": 5, "plan": "Not A Plan", "extra": 1, "constructor": 2}`);
    await expectProblem(response, 400, "validation_error");
    const fields = response.json.errors.map((error: { field: string }) => error.field);
    expect(fields.toSorted()).toEqual(["constructor", "extra", "name", "plan"]);
    expect(
      response.json.errors.find((error: { field: string }) => error.field === "name").message,
    ).toContain("5");
  });

  test("prototype keys are plain data: unknown fields, and nothing is polluted", async () => {
    const response = await post(`{"name":"x","__proto__":{"polluted":true},"hasOwnProperty":1}`);
    await expectProblem(response, 400, "validation_error");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("half a surrogate pair, control characters and huge names are refused", async () => {
    for (const name of [
      String.raw`"\ud800"`,
      String.raw`"a\u0000b"`,
      `"   "`,
      `"${"n".repeat(201)}"`,
      "null",
      "[]",
    ]) {
      await expectProblem(await post(`{"name":${name}}`), 400, "validation_error");
    }
    const whole = await post(String.raw`{"name":"\ud83d\ude00"}`);
    expect([whole.status, whole.json.name]).toEqual([201, "😀"]);
  });

  test("a malformed id is 400 invalid_id", async () => {
    for (const id of [
      "x",
      "wf_0190f3aa0000700080000000000000aa",
      "key_",
      "key_zz",
      "%E2%98%83",
      "..%2f",
    ]) {
      const response = await call("DELETE", `/admin/v1/api-keys/${id}`, { token: ADMIN_TOKEN });
      await expectProblem(response, 400, "invalid_id", `/admin/v1/api-keys/${id}`);
    }
  });
});

describe("X-Correlation-ID", () => {
  test("is echoed on success and on failure, and is the problem's request_id", async () => {
    const headers = { "x-correlation-id": "order 17/b" };
    expect((await call("GET", "/docs/errors", { headers })).headers.get("x-correlation-id")).toBe(
      "order 17/b",
    );
    const response = await call("GET", "/nowhere", { headers });
    expect([response.headers.get("x-correlation-id"), response.json.request_id]).toEqual([
      "order 17/b",
      "order 17/b",
    ]);
  });

  test("is generated if it is missing or invalid", async () => {
    const made = new Set<string>();
    for (const given of [undefined, "x".repeat(201), "tab\there", "é", `{"a":1}\u0080`]) {
      const response = await call("GET", "/nowhere", {
        headers: given === undefined ? {} : { "x-correlation-id": given },
      });
      const id = response.headers.get("x-correlation-id") ?? "";
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      made.add(id);
    }
    expect(made.size).toBe(5);
  });
});
