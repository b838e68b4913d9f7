import * as z from "zod";
import { WebhookEndpoint } from "../../contracts/webhooks/webhook.ts";
import { readEndpoint } from "../../domain/webhooks/endpoints/require-endpoint.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getEndpoint = defineEndpoint({
  method: "get",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}",
  operationId: "getWebhookEndpoint",
  summary: "Read a webhook endpoint",
  description:
    "The endpoint's current state, without its secret. `status` and `disabled_reason` show whether it receives events and, if not, why.",
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
