import { describe, expect, test } from "vitest";
import { ERRORS } from "../../../src/lib/errors/errors.ts";
import { call, ORIGIN } from "../../support/api-caller.ts";

/** The addresses that a page requests, resolved as a browser resolves them. */
function addressesIn(html: string): string[] {
  return [...html.matchAll(/(?:href|src)="([^"]+)"/g)]
    .map(([, address]) => address ?? "")
    .filter((address) => !address.startsWith("data:"));
}

const PATHS = [
  "/",
  "/docs",
  "/docs/reference/submitExecution",
  "/docs/errors",
  "/docs/limits",
  "/docs/public-api/errors/not-found",
];

describe("the pages", () => {
  test("request nothing outside this service, and nothing that does not exist", async () => {
    const seen = new Set<string>();
    for (const path of PATHS) {
      const page = await call("GET", path);
      expect([page.status, page.headers.get("content-type")]).toEqual([
        200,
        "text/html; charset=utf-8",
      ]);
      for (const address of addressesIn(page.text)) {
        expect(address).toMatch(/^[/#]/);
        seen.add(address.split("#")[0] ?? "");
      }
    }
    expect(seen.size).toBeGreaterThan(100);
    for (const address of [...seen].filter((one) => one !== "")) {
      expect((await call("GET", address)).status, address).toBe(200);
    }
  });

  test("start with a home page that links to the reference, OpenAPI and the errors", async () => {
    const { text } = await call("GET", "/");
    expect(text).toMatch(/<title>Edgeloom<\/title>[^]*workflow execution service[^]*<h1>/);
    for (const path of ["/docs", "/swagger/public-v1/swagger.json", "/docs/errors"]) {
      expect(text).toContain(`href="${path}"`);
    }
  });

  test("run only scripts and styles of this service, in no frame, and none inline", async () => {
    for (const path of PATHS) {
      const page = await call("GET", path);
      const policy = page.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("style-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/https?:|unsafe|\*/);
      expect(page.text).not.toMatch(/<script>|<style|\son\w+=|\sstyle=/);
    }
  });

  test("show every operation of the OpenAPI document, each with its fields and responses", async () => {
    const { json: document } = await call("GET", "/swagger/public-v1/swagger.json");
    const { text: list } = await call("GET", "/docs");
    const operations = Object.values(document.paths).flatMap((path) =>
      Object.values(path as Record<string, { operationId: string; summary: string }>),
    ) as unknown as {
      operationId: string;
      summary: string;
      parameters?: { name: string; in: string }[];
      responses: Record<string, unknown>;
    }[];
    expect(operations.length).toBeGreaterThan(80);
    for (const operation of operations) {
      const address = `/docs/reference/${operation.operationId}`;
      expect(list).toContain(`"${address}"`);
      const page = await call("GET", address);
      expect(page.status, address).toBe(200);
      for (const { name } of operation.parameters ?? []) {
        expect(page.text.toLowerCase(), address).toContain(`<b>${name.toLowerCase()}</b>`);
      }
      for (const status of Object.keys(operation.responses)) {
        expect(page.text, address).toContain(`<code>${status}</code>`);
      }
    }
    for (const unknown of ["nothing", "constructor", "__proto__", "%3Cscript%3E"]) {
      expect((await call("GET", `/docs/reference/${unknown}`)).status, unknown).toBe(404);
    }
  });

  test("have a page with cause and fix for every code", async () => {
    const list = await call("GET", "/docs/errors");
    for (const code of Object.keys(ERRORS)) {
      const address = `/docs/public-api/errors/${code.replaceAll("_", "-")}`;
      expect(list.text).toContain(`"${address}"`);
      const page = await call("GET", address);
      expect(page.text).toMatch(
        /<h2>Cause<\/h2>\n<p class="lede">.{20,}<\/p>\n<h2>Fix<\/h2>\n<p class="lede">.{20,}<\/p>/,
      );
    }
    for (const unknown of ["nothing", "not_found", "constructor", "__proto__", "%3Cscript%3E"]) {
      expect((await call("GET", `/docs/public-api/errors/${unknown}`)).status, unknown).toBe(404);
    }
  });

  test("serve only their own files", async () => {
    const script = await call("GET", "/docs/assets/site.js");
    expect([
      script.status,
      script.headers.get("content-type"),
      script.headers.get("x-content-type-options"),
    ]).toEqual([200, "text/javascript; charset=utf-8", "nosniff"]);
    for (const name of [
      "index.html",
      "site.ts",
      "tokens.css",
      "..%2fpackage.json",
      "constructor",
    ]) {
      expect((await call("GET", `/docs/assets/${name}`)).status, name).toBe(404);
    }
  });
});

describe("the OpenAPI document", () => {
  test("is served with its own address, can be cached, and returns 304 for its ETag", async () => {
    const response = await call("GET", "/swagger/public-v1/swagger.json");
    expect([response.status, response.json.openapi, response.json.servers]).toEqual([
      200,
      "3.1.0",
      [{ url: ORIGIN }],
    ]);
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    const again = await call("GET", "/swagger/public-v1/swagger.json", {
      headers: { "if-none-match": etag },
    });
    expect([again.status, again.text]).toEqual([304, ""]);
    const other = await call("GET", "/swagger/public-v1/swagger.json", {
      headers: { "if-none-match": '"0"' },
    });
    expect(other.status).toBe(200);
  });

  test("is found through the API catalog (RFC 9727)", async () => {
    const catalog = await call("GET", "/.well-known/api-catalog");
    expect(catalog.headers.get("content-type")).toMatch(/^application\/linkset\+json/);
    expect(catalog.headers.get("cache-control")).toBe("public, max-age=3600");
    const [link] = catalog.json.linkset;
    for (const target of [link["service-desc"][0].href, link["service-doc"][0].href]) {
      expect((await call("GET", target.slice(ORIGIN.length))).status, target).toBe(200);
    }
  });
});
