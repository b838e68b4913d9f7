import { z } from "zod";
import { WebhookEndpoint } from "../../contracts/webhook.ts";
import { changeEndpoint } from "../../domain/webhooks/change-endpoint.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { idempotencyKeyField } from "../idempotency-key-field.ts";

export const archiveEndpoint = defineEndpoint({
  method: "delete",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}",
  operationId: "archiveWebhookEndpoint",
  summary: "Archive a webhook endpoint",
  description:
    "For good: it stays readable, is hidden from lists unless `status=archived`, and what was still to be sent is cancelled. Archiving an archived endpoint changes nothing.",
  tag: "Webhooks",
  access: { scope: "webhooks:write", permission: "ws:webhooks:manage" },
  request: {
    params: z.object({ endpoint_id: idField("webhookEndpoint") }),
    headers: z.object({ "idempotency-key": idempotencyKeyField }),
    codes: { "headers.idempotency-key": "missing_idempotency_key" },
  },
  responses: {
    200: {
      description: "The endpoint",
      body: WebhookEndpoint,
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
  ],
  handle: async (ctx, { params, headers }) => {
    const { endpoint, isReplay } = await changeEndpoint(
      ctx,
      params.endpoint_id,
      "archive",
      headers["idempotency-key"],
    );
    return {
      status: 200,
      body: endpoint,
      headers: isReplay ? { "Idempotency-Replayed": "true" } : {},
    };
  },
});
