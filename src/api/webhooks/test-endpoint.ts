import { z } from "zod";
import { WebhookTestOutcome } from "../../contracts/webhook.ts";
import { testEndpoint as runTest } from "../../domain/webhooks/test-endpoint.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { idempotencyKeyField } from "../idempotency-key-field.ts";

export const testEndpoint = defineEndpoint({
  method: "post",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}/test",
  operationId: "testWebhookEndpoint",
  summary: "Send a signed test",
  description:
    "One attempt to the current URL; the answer comes when it has ended, after 15 seconds at most. Any 2xx passes. A failed test changes nothing and withdraws no earlier pass.",
  tag: "Webhooks",
  access: { scope: "webhooks:write", permission: "ws:webhooks:manage" },
  request: {
    params: z.object({ endpoint_id: idField("webhookEndpoint") }),
    headers: z.object({ "idempotency-key": idempotencyKeyField }),
    codes: { "headers.idempotency-key": "missing_idempotency_key" },
  },
  responses: {
    200: {
      description: "What came of the test, whether it passed or not",
      body: WebhookTestOutcome,
      headers: { "Idempotency-Replayed": "`true` when an earlier request made this change" },
    },
  },
  errors: [
    "invalid_id",
    "missing_idempotency_key",
    "invalid_idempotency_key",
    "idempotency_conflict",
    "forbidden",
    "not_found",
    "invalid_state",
    "service_unavailable",
  ],
  handle: async (ctx, { params, headers }) => {
    const { outcome, isReplay } = await runTest(
      ctx,
      params.endpoint_id,
      headers["idempotency-key"],
    );
    return {
      status: 200,
      body: outcome,
      headers: isReplay ? { "Idempotency-Replayed": "true" } : {},
    };
  },
});
