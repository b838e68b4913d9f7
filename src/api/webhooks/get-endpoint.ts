import * as z from "zod";
import { WebhookEndpoint } from "../../contracts/webhook.ts";
import { readEndpoint } from "../../domain/webhooks/endpoints/require-endpoint.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getEndpoint = defineEndpoint({
  method: "get",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}",
  operationId: "getWebhookEndpoint",
  summary: "Read a webhook endpoint",
  description:
    "The endpoint as it stands, without its secret. `status` and `disabled_reason` say whether it gets events, and why not.",
  tag: "Webhooks",
  access: { scope: "webhooks:read", permission: null },
  request: { params: z.object({ endpoint_id: idField("webhookEndpoint") }) },
  responses: { 200: { description: "The endpoint", body: WebhookEndpoint } },
  errors: ["invalid_id", "forbidden", "not_found"],
  handle: async (ctx, { params }) => ({
    status: 200,
    body: await readEndpoint(ctx, params.endpoint_id),
  }),
});
