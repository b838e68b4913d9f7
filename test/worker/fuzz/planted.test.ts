/** Shows that the fuzzer can fail: it must find planted faults. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createApp } from "../../../src/api/app.ts";
import { defineEndpoint } from "../../../src/api/define-endpoint.ts";
import { buildOpenApi } from "../../../src/api/docs/build-openapi.ts";
import { ORIGIN } from "../../support/api-caller.ts";
import { fuzzApi } from "../../support/fuzz/fuzz-api.ts";
import { ServedDocument } from "../../support/openapi/served-document.ts";

describe("the fuzzer", () => {
  test("detects a route that throws for one kind of value, and one with an undocumented response", async () => {
    const shared = { tag: "Discovery", access: "public", errors: [] } as const;
    const planted = [
      defineEndpoint({
        ...shared,
        method: "post",
        path: "/planted",
        operationId: "planted",
        summary: "Throws on a negative count",
        request: { body: z.strictObject({ name: z.string(), count: z.number() }) },
        responses: { 200: { description: "Done", body: z.object({ text: z.string() }) } },
        handle: (_ctx, { body }) => ({
          status: 200,
          body: { text: "x".repeat(Math.min(body.count, 10)) },
        }),
      }),
      defineEndpoint({
        ...shared,
        method: "get",
        path: "/planted/{id}",
        operationId: "strange",
        summary: "Returns an undocumented response",
        request: { params: z.object({ id: z.string() }) },
        responses: { 200: { description: "Done", body: z.object({ text: z.string() }) } },
        handle: (_ctx, { params }) => ({
          response: Response.json({ text: params.id.startsWith("_") ? 1 : "fine" }),
        }),
      }),
    ];
    const app = createApp(planted);
    const document = buildOpenApi(planted, ORIGIN) as { components: { schemas: unknown } };
    const report = await fuzzApi({
      seed: 20_261_120,
      executions: 400,
      document,
      served: new ServedDocument(document),
      secret: "nobody's secret",
      world: {
        components: document.components.schemas,
        foreign: ["x"],
        pathValue: () => "1",
        bodies: {},
      },
      send: async ({ method, url, headers, body }) =>
        app.fetch(
          new Request(ORIGIN + url, { method, headers, ...(body !== undefined && { body }) }),
          env,
          createExecutionContext(),
        ),
    });
    const problems = report.findings.map(({ operation, problem }) => `${operation} ${problem}`);
    expect(problems.some((problem) => problem.startsWith("planted 500"))).toBe(true);
    expect(problems.some((problem) => problem.startsWith("strange"))).toBe(true);
  });
});
