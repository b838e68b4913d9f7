import { z } from "zod";
import { WebhookEndpoint } from "../../contracts/webhook.ts";
import { changeEndpoint } from "../../domain/webhooks/change-endpoint.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { idempotencyKeyField } from "../idempotency-key-field.ts";

export const activateEndpoint = defineEndpoint({
  method: "post",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}/activate",
  operationId: "activateWebhookEndpoint",
  summary: "Activate a webhook endpoint",
  description:
    "From then on events are sent, those that were held back first. The current URL must have passed a test; one that was only paused needs no new one. Activating an active endpoint changes nothing.",
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
    "verification_required",
  ],
  handle: async (ctx, { params, headers }) => {
    const { endpoint, isReplay } = await changeEndpoint(
      ctx,
      params.endpoint_id,
      "activate",
      headers["idempotency-key"],
    );
    return {
      status: 200,
      body: endpoint,
      headers: isReplay ? { "Idempotency-Replayed": "true" } : {},
    };
  },
});
