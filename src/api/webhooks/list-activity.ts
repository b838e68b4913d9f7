import * as z from "zod";
import { WebhookActivityList } from "../../contracts/webhooks/webhook.ts";
import { listActivity as list } from "../../domain/webhooks/deliveries/list-activity.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { cursorField, limitField } from "../query-fields.ts";

export const listActivity = defineEndpoint({
  method: "get",
  path: "/api/v1/webhooks/activity",
  operationId: "listWebhookActivity",
  summary: "List activity",
  description: "Changes of endpoints and their deliveries, newest first. Kept for 60 days.",
  tag: "Webhooks",
  access: { scope: "webhooks:read", permission: null },
  request: {
    query: z.object({
      limit: limitField(),
      starting_after: cursorField,
      endpoint_id: idField("webhookEndpoint").optional(),
    }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: { 200: { description: "A page of activity", body: WebhookActivityList } },
  errors: ["invalid_id", "invalid_request", "forbidden", "not_found"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await list(ctx, {
      limit: query.limit,
      startingAfter: query.starting_after,
      endpointId: query.endpoint_id,
    }),
  }),
});
