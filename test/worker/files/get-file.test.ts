import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { fileUrl } from "../../../src/platform/file-url.ts";
import { newId } from "../../../src/platform/ids.ts";
import { call, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { waitUntil } from "../../support/wait-until.ts";

const prefix = `${newId("workspace", 0)}/runs/${newId("run", 0)}/${"t".repeat(43)}`;

async function store(name: string, contentType: string, body: string): Promise<string> {
  const key = `${prefix}/${name}`;
  await env.FILES.put(key, body, { httpMetadata: { contentType } });
  return fileUrl("", key);
}

describe("an output's address", () => {
  let path: string;
  beforeAll(async () => {
    path = await store("Zürich 1.png", "image/png", "0123456789");
  });

  it("returns the bytes without a token, with a type, a name and nosniff", async () => {
    const response = await call("GET", path);
    expect([response.status, response.text]).toEqual([200, "0123456789"]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": "10",
      "accept-ranges": "bytes",
      "x-content-type-options": "nosniff",
      "content-disposition": `inline; filename="Zurich 1.png"; filename*=UTF-8''Z%C3%BCrich%201.png`,
      etag: expect.stringMatching(/^"[^"]+"$/),
    });
    expect(response.headers.get("content-security-policy")).toBeNull();
  });

  it("returns the same headers without a body for HEAD", async () => {
    const [head, get] = [await call("HEAD", path), await call("GET", path)];
    expect([head.status, head.text]).toEqual([200, ""]);
    for (const name of ["content-type", "content-length", "etag", "content-disposition"]) {
      expect(head.headers.get(name), name).toBe(get.headers.get(name));
    }
  });

  it("returns parts", async () => {
    for (const [range, text, contentRange] of [
      ["bytes=2-4", "234", "bytes 2-4/10"],
      ["bytes=7-", "789", "bytes 7-9/10"],
      ["bytes=-2", "89", "bytes 8-9/10"],
    ] as const) {
      const response = await call("GET", path, { headers: { range } });
      expect([response.status, response.text]).toEqual([206, text]);
      expect(response.headers.get("content-range")).toBe(contentRange);
      expect(response.headers.get("content-length")).toBe(String(text.length));
    }
    const whole = await call("GET", path, { headers: { range: "bytes=0-1,3-4" } });
    expect([whole.status, whole.text]).toEqual([200, "0123456789"]);
    const beyond = await call("GET", path, { headers: { range: "bytes=10-" } });
    expect([beyond.status, beyond.json.code]).toEqual([416, "range_not_satisfiable"]);
    expect(beyond.headers.get("content-range")).toBe("bytes */10");
  });

  it("returns 304 for its own tag, and the whole file if the range's tag has changed", async () => {
    const etag = (await call("HEAD", path)).headers.get("etag") ?? "";
    const same = await call("GET", path, { headers: { "if-none-match": `W/${etag}` } });
    expect([same.status, same.text, same.headers.get("etag")]).toEqual([304, "", etag]);
    const other = await call("GET", path, { headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
    const part = await call("GET", path, { headers: { range: "bytes=0-1", "if-range": etag } });
    expect(part.status).toBe(206);
    const changed = await call("GET", path, { headers: { range: "bytes=0-1", "if-range": '"x"' } });
    expect([changed.status, changed.text]).toEqual([200, "0123456789"]);
  });

  it("prevents SVG and HTML from running and downloads types that browsers do not display", async () => {
    for (const [name, type] of [
      ["a.svg", "image/svg+xml"],
      ["a.html", "text/html; charset=utf-8"],
      ["a.xml", "application/xml"],
    ] as const) {
      const response = await call("GET", await store(name, type, "<x/>"));
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy, name).toMatch(/\bsandbox\b/);
      expect(policy, name).toContain("default-src 'none'");
    }
    const binary = await call("GET", await store("a.bin", "application/octet-stream", "x"));
    expect(binary.headers.get("content-disposition")).toMatch(/^attachment/);
  });

  it("returns 404 for anything that is not an output", async () => {
    await env.FILES.put("ws_1/secret.txt", "secret");
    await env.FILES.put(`${prefix.slice(0, -1)}/secret.txt`, "secret");
    for (const bad of [
      "/files/ws_1/secret.txt",
      `/files/${prefix.slice(0, -1)}/secret.txt`,
      `/files/${prefix}/none.png`,
      `/files/${prefix}/cell-0-0.txt`,
      `/files/${prefix}/..%2f..%2fsecret.txt`,
      `/files/x/..%2f${prefix}/a.svg`,
      "/files/%ff",
      "/files/",
    ]) {
      const response = await call("GET", bad);
      expect([response.status, response.json?.code], bad).toEqual([404, "not_found"]);
    }
  });
});

describe("the address of a body that is stored in its run", () => {
  it("serves items beyond the budget of values, and only with the run's token", async () => {
    const caller = await newCaller();
    const workflow = await publishedWorkflow(caller, {
      nodes: [
        { id: "rows", type: "input/json", label: "Rows", parameters: {} },
        { id: "out", type: "output/json", label: "Row", parameters: {} },
      ],
      connections: [{ from: { node: "rows", port: "item" }, to: { node: "out", port: "json" } }],
    });
    const rows = Array.from({ length: 75 }, (_, index) => `${String(index)}${"x".repeat(55_000)}`);
    const run = await call("POST", "/api/v1/executions", {
      token: caller.token,
      json: { workflow, inputs: { rows: { value: JSON.stringify(rows.slice(0, 70)) } } },
    });
    expect(run.status, run.text.slice(0, 300)).toBe(202);
    const execution = await waitUntil("the run's end", async () => {
      const response = await call("GET", `/api/v1/executions/${run.json.id}`, {
        token: caller.token,
      });
      return response.json.completed_at !== null && response.json;
    });
    // An execution carries one mebibyte of values; the other values are addresses of rows.
    const addressed = execution.outputs.filter((raw: { url?: string }) => raw.url !== undefined);
    expect(addressed.length).toBeGreaterThan(40);
    const [raw] = addressed.slice(-1);
    const path = raw.url.slice(ORIGIN.length);
    const response = await call("GET", path);
    expect([response.status, response.json]).toEqual([200, rows[raw.input_indices[0]]]);
    const etag = response.headers.get("etag") ?? "";
    expect((await call("GET", path, { headers: { "if-none-match": etag } })).status).toBe(304);
    const segments = path.split("/");
    segments[5] = "t".repeat(43);
    expect((await call("GET", segments.join("/"))).status).toBe(404);
  });
});
