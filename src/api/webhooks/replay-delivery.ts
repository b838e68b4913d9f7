import { z } from "zod";
import { WebhookDelivery } from "../../contracts/webhook.ts";
import { resendDelivery } from "../../domain/webhooks/resend-delivery.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { idempotencyKeyField } from "../idempotency-key-field.ts";

export const replayDelivery = defineEndpoint({
  method: "post",
  path: "/api/v1/webhooks/deliveries/{delivery_id}/replay",
  operationId: "replayWebhookDelivery",
  summary: "Replay a delivery",
  description:
    "A `delivered` or `exhausted` delivery is sent again: same body and `webhook-id`, fresh timestamp and signature, appended to its attempts.",
  tag: "Webhooks",
  access: { scope: "webhooks:write", permission: "ws:webhooks:manage" },
  request: {
    params: z.object({ delivery_id: idField("webhookDelivery") }),
    headers: z.object({ "idempotency-key": idempotencyKeyField }),
    codes: { "headers.idempotency-key": "missing_idempotency_key" },
  },
  responses: {
    202: {
      description: "The delivery, to be sent",
      body: WebhookDelivery,
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
    "delivery_not_retryable",
  ],
  handle: async (ctx, { params, headers }) => {
    const { delivery, isReplay } = await resendDelivery(
      ctx,
      params.delivery_id,
      "replay",
      headers["idempotency-key"],
    );
    return {
      status: 202,
      body: delivery,
      headers: isReplay ? { "Idempotency-Replayed": "true" } : {},
    };
  },
});
