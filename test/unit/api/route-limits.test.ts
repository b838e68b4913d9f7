/** A route's own caps, of its body and of the problems it reports, are entries of the table of limits. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { RequestSchemas } from "../../../src/api/endpoint-declaration.ts";
import { parseRequest } from "../../../src/api/parse-request.ts";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import { MemoryBudget } from "../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../src/lib/memory/memory-gate.ts";

const body = z.object({ numbers: z.array(z.number()), text: z.string().optional() });

function parse(schemas: RequestSchemas, given: unknown) {
  const url = "http://service/api/v1/things";
  const raw = new Request(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(given),
  });
  const context = {
    req: { raw, url, param: () => ({}), header: () => ({}) },
    var: { ctx: { memory: new MemoryGate(new MemoryBudget(2 ** 30)) } },
  };
  return parseRequest(context as never, { body, ...schemas }, "/api/v1/things");
}

const text = (bytes: number) => {
  const rest = JSON.stringify({ numbers: [], text: "" }).length;
  return { numbers: [], text: "x".repeat(bytes - rest) };
};
const wrong = { numbers: Array.from({ length: 150 }, () => "no number") };

describe("the cap of a body", () => {
  test.each([
    ["all routes'", {}, LIMITS.json_body.value],
    ["the route's own", { bodyLimit: "form_fields" }, LIMITS.form_fields.value],
  ] as const)("is %s", async (_whose, schemas, bytes) => {
    await expect(parse(schemas, text(bytes))).resolves.toMatchObject({ body: { numbers: [] } });
    await expect(parse(schemas, text(bytes + 1))).rejects.toMatchObject({
      code: "payload_too_large",
      message: expect.stringContaining(String(bytes)),
    });
  });
});

describe("the number of problems reported", () => {
  test.each([
    ["all routes'", {}, LIMITS.problems_reported.value],
    ["the route's own", { problemsLimit: "import_redirects" }, LIMITS.import_redirects.value],
  ] as const)("is %s", async (_whose, schemas, count) => {
    const refused = await parse(schemas, wrong).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "validation_error" });
    expect((refused as { errors: unknown[] }).errors).toHaveLength(count);
  });
});
