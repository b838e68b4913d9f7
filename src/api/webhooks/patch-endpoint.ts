import { z } from "zod";
import { PatchWebhookEndpoint, WebhookEndpoint } from "../../contracts/webhook.ts";
import { updateEndpoint } from "../../domain/webhooks/update-endpoint.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { idempotencyKeyField } from "../idempotency-key-field.ts";

export const patchEndpoint = defineEndpoint({
  method: "patch",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}",
  operationId: "patchWebhookEndpoint",
  summary: "Change a webhook endpoint",
  description:
    "What is left out stays as it is. Another `url` makes a new revision in `pending_verification`: deliveries wait until it has passed a test and is activated, and then go there.",
  tag: "Webhooks",
  access: { scope: "webhooks:write", permission: "ws:webhooks:manage" },
  request: {
    params: z.object({ endpoint_id: idField("webhookEndpoint") }),
    headers: z.object({ "idempotency-key": idempotencyKeyField }),
    body: PatchWebhookEndpoint,
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
    "invalid_url",
    "invalid_id",
    "missing_idempotency_key",
    "invalid_idempotency_key",
    "idempotency_conflict",
    "forbidden",
    "not_found",
    "invalid_state",
  ],
  handle: async (ctx, { params, body, headers, exactBody }) => {
    const { endpoint, isReplay } = await updateEndpoint(ctx, params.endpoint_id, body, {
      idempotencyKey: headers["idempotency-key"],
      exactBody: exactBody(),
    });
    return {
      status: 200,
      body: endpoint,
      headers: isReplay ? { "Idempotency-Replayed": "true" } : {},
    };
  },
});
