import * as z from "zod";
import { WebhookDelivery } from "../../contracts/webhooks/webhook.ts";
import { requireDelivery } from "../../domain/webhooks/deliveries/require-delivery.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getDelivery = defineEndpoint({
  method: "get",
  path: "/api/v1/webhooks/deliveries/{delivery_id}",
  operationId: "getWebhookDelivery",
  summary: "Read a delivery",
  description:
    "One event for one endpoint with all attempts so far: time, duration and the receiver's response.",
  tag: "Webhooks",
  access: { scope: "webhooks:read", permission: null },
  request: { params: z.object({ delivery_id: idField("webhookDelivery") }) },
  responses: { 200: { description: "The delivery with its attempts", body: WebhookDelivery } },
  errors: ["invalid_id", "forbidden", "not_found"],
  handle: async (ctx, { params }) => ({
    status: 200,
    body: (await requireDelivery(ctx, params.delivery_id)).delivery,
  }),
});
