import { describe, expect, test } from "vitest";
import { ERRORS } from "../../../src/lib/errors.ts";
import { call, ORIGIN } from "../../support/api-caller.ts";

/** What a page asks for, resolved as a browser would. */
function addressesIn(html: string): string[] {
  return [...html.matchAll(/(?:href|src)="([^"]+)"/g)]
    .map(([, address]) => address ?? "")
    .filter((address) => !address.startsWith("data:"));
}

describe("the docs", () => {
  test("ask for nothing outside of this service, and for nothing that is not there", async () => {
    for (const path of ["/docs", "/docs/errors", "/docs/public-api/errors/not-found"]) {
      const page = await call("GET", path);
      expect([page.status, page.headers.get("content-type")]).toEqual([
        200,
        "text/html; charset=utf-8",
      ]);
      for (const address of addressesIn(page.text)) {
        expect(address).toMatch(/^\//);
        expect((await call("GET", address)).status, address).toBe(200);
      }
    }
  });

  test("run scripts of this service only, in no frame, and error pages run none", async () => {
    const policy = async (path: string) =>
      (await call("GET", path)).headers.get("content-security-policy") ?? "";
    const reference = await policy("/docs");
    expect(reference).toContain("default-src 'none'");
    expect(reference).toContain("script-src 'self';");
    expect(reference).toContain("frame-ancestors 'none'");
    expect(reference).not.toMatch(/https?:|unsafe-eval|\*/);
    expect(await policy("/docs/errors")).not.toContain("script-src");
    expect((await call("GET", "/docs")).text).not.toMatch(/<script>|\son\w+=|\sstyle=/);
  });

  test("have a page with cause and mend for every code", async () => {
    const list = await call("GET", "/docs/errors");
    for (const code of Object.keys(ERRORS)) {
      const address = `/docs/public-api/errors/${code.replaceAll("_", "-")}`;
      expect(list.text).toContain(`"${address}"`);
      const page = await call("GET", address);
      expect(page.text).toMatch(
        /<h2>Cause<\/h2>\n<p>.{20,}<\/p>\n<h2>What to do<\/h2>\n<p>.{20,}<\/p>/,
      );
    }
    for (const unknown of ["nothing", "not_found", "constructor", "__proto__", "%3Cscript%3E"]) {
      expect((await call("GET", `/docs/public-api/errors/${unknown}`)).status, unknown).toBe(404);
    }
  });

  test("serve two files of Swagger UI and no other", async () => {
    const script = await call("GET", "/docs/assets/swagger-ui-bundle.js");
    expect([
      script.status,
      script.headers.get("content-type"),
      script.headers.get("x-content-type-options"),
    ]).toEqual([200, "text/javascript; charset=utf-8", "nosniff"]);
    expect(script.text.length).toBeGreaterThan(1_000_000);
    for (const name of [
      "index.html",
      "swagger-ui.js",
      "package.json",
      "..%2fpackage.json",
      "constructor",
    ]) {
      expect((await call("GET", `/docs/assets/${name}`)).status, name).toBe(404);
    }
  });
});

describe("the OpenAPI document", () => {
  test("is served with its own address, is cacheable, and answers 304 to its ETag", async () => {
    const answer = await call("GET", "/swagger/public-v1/swagger.json");
    expect([answer.status, answer.json.openapi, answer.json.servers]).toEqual([
      200,
      "3.1.0",
      [{ url: ORIGIN }],
    ]);
    const etag = answer.headers.get("etag") ?? "";
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
