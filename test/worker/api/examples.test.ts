/** Sends every example that an endpoint declares, with existing ids in place of its own. The other examples are recorded calls. */
import { expect, test } from "vitest";
import greetingCard from "../../../samples/greeting-card.json" with { type: "json" };
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { type Caller, call, newCaller } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";
import { mint } from "../../support/embeds/embed-caller.ts";
import { tokenOf } from "../../support/embeds/route-tokens.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";

test("the service accepts every example of a request body, including the submit of a sample", async () => {
  const caller = await newCaller();
  const workflow = await publishedWorkflow(caller, greetingCard.definition);
  const template = await publishedTemplate(caller);
  const { json: file } = await upload(caller, "prices.csv", "sku;price\na;1,5\n");
  const sent: string[] = [];
  const embedded = await mint({ ...caller, workflowId: workflow });
  for (const { path, method, operationId, example, access } of ENDPOINTS) {
    if (example !== undefined) {
      const json = JSON.parse(
        JSON.stringify(example)
          .replaceAll(/wf_[0-9a-f]{32}/g, workflow)
          .replaceAll("assets/prices.csv", String(file.path)),
      );
      const response = await call(
        method.toUpperCase(),
        path
          .replace("{id}", path.startsWith("/api/v1/design-templates") ? template : workflow)
          .replace("{workflow_id}", workflow)
          .replace("{revision}", "1"),
        {
          token: tokenOf({ access }, { ...caller, embedToken: embedded.token }),
          json,
          headers: { "idempotency-key": `example-${operationId}` },
        },
      );
      expect([operationId, response.status < 300, response.text]).toEqual([
        operationId,
        true,
        expect.any(String),
      ]);
      sent.push(operationId);
    }
  }
  expect(sent).toContain("submitExecution");
  expect(sent.length).toBeGreaterThanOrEqual(7);
});

/** A template with the document of the example that creates one, published once. */
async function publishedTemplate({ token }: Caller): Promise<string> {
  const json = ENDPOINTS.find(({ operationId }) => operationId === "createDesignTemplate")?.example;
  const created = await call("POST", "/api/v1/design-templates", {
    token,
    json,
    headers: { "idempotency-key": "template-of-the-examples" },
  });
  const id = String(created.json.id);
  const published = await call("POST", `/api/v1/design-templates/${id}/draft/publish`, {
    token,
    headers: {
      "idempotency-key": "revision-of-the-examples",
      "if-match": `"${String(created.json.draft_etag)}"`,
    },
  });
  expect(published.status).toBe(201);
  return id;
}
