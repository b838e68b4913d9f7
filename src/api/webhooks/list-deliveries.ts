import * as z from "zod";
import { WebhookDeliveryList, WebhookDeliveryStatus } from "../../contracts/webhooks/webhook.ts";
import { listDeliveries as list } from "../../domain/webhooks/deliveries/list-deliveries.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { cursorField, limitField } from "../query-fields.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export const listDeliveries = defineEndpoint({
  method: "get",
  path: "/api/v1/webhooks/deliveries",
  operationId: "listWebhookDeliveries",
  summary: "List deliveries",
  description: "With their attempts, newest first; includes tests. Kept for 60 days.",
  tag: "Webhooks",
  access: { scope: "webhooks:read", permission: null },
  request: {
    query: z.object({
      limit: limitField(),
      starting_after: cursorField,
      endpoint_id: idField("webhookEndpoint").optional(),
      status: WebhookDeliveryStatus.optional(),
      execution: idField("run").optional(),
      event_type: z.string().max(LIMITS.filter_text.value).optional(),
    }),
    codes: { "query.status": "invalid_status", "query.starting_after": "invalid_request" },
  },
  responses: { 200: { description: "A page of deliveries", body: WebhookDeliveryList } },
  errors: ["invalid_id", "invalid_status", "invalid_request", "forbidden", "not_found"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await list(ctx, {
      limit: query.limit,
      startingAfter: query.starting_after,
      endpointId: query.endpoint_id,
      status: query.status,
      execution: query.execution,
      eventType: query.event_type,
    }),
  }),
});
