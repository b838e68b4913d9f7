import { z } from "zod";
import { WebhookEndpointWithSecret } from "../../contracts/webhook.ts";
import { changeEndpoint } from "../../domain/webhooks/change-endpoint.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { idempotencyKeyField } from "../idempotency-key-field.ts";

export const rotateSecret = defineEndpoint({
  method: "post",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}/rotate-secret",
  operationId: "rotateWebhookSecret",
  summary: "Rotate the signing secret",
  description:
    "The new secret is shown in this answer and never again. For 24 hours the one before signs too, so that receivers can change over; a second rotation in that time drops the oldest.",
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
      body: WebhookEndpointWithSecret,
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
      "rotate-secret",
      headers["idempotency-key"],
    );
    return {
      status: 200,
      body: endpoint,
      headers: isReplay ? { "Idempotency-Replayed": "true" } : {},
    };
  },
});
