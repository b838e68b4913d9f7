/**
 * The OpenAPI document by an independent linter, which takes seconds to be imported; `openapi.test.ts` checks the document's
 * content.
 */
import "../../support/only-in-proof.ts";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, test } from "vitest";
import { buildOpenApi } from "../../../src/api/docs/build-openapi.ts";
import recorded from "../../../src/api/docs/recorded-examples.json" with { type: "json" };
import { ENDPOINTS } from "../../../src/api/routes.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- the tests walk a JSON document
type Json = any;
const document = buildOpenApi(ENDPOINTS, "https://svc.example", recorded) as Json;

async function lint(source: object) {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: JSON.stringify(source), config });
  return problems.map(
    ({ ruleId, severity, message, location }) =>
      `${severity} ${ruleId}: ${message} at ${location[0]?.pointer ?? ""}`,
  );
}

describe("the OpenAPI document", () => {
  test("is a valid 3.1 document by the recommended rules of an independent linter", async () => {
    // A public document has no 4XX of its own.
    const own =
      /^warn operation-4xx-response: .* at #\/paths\/~1(health|swagger~1public-v1~1swagger\.json|\.well-known~1api-catalog|\.well-known~1agent-skills~1index\.json)\/get\/responses$/;
    expect((await lint(document)).filter((problem) => !own.test(problem))).toEqual([]);
  });

  test("fails that linter if it is wrong", async () => {
    const broken = structuredClone(document);
    const [path] = Object.keys(broken.paths);
    const [method] = Object.keys(broken.paths[path ?? ""]);
    delete broken.paths[path ?? ""][method ?? ""].responses;
    broken.components.schemas.Problem = { type: "nonsense" };
    const problems = await lint(broken);
    expect(problems.some((problem) => problem.includes("responses"))).toBe(true);
    expect(problems).toContainEqual(expect.stringMatching(/error struct.*Problem\/type/));
  });
});
