import * as z from "zod";
import { WebhookEndpointList, WebhookEndpointStatus } from "../../contracts/webhooks/webhook.ts";
import { listEndpoints as list } from "../../domain/webhooks/endpoints/list-endpoints.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, limitField } from "../query-fields.ts";

export const listEndpoints = defineEndpoint({
  method: "get",
  path: "/api/v1/webhooks/endpoints",
  operationId: "listWebhookEndpoints",
  summary: "List webhook endpoints",
  description: "Newest first. Archived endpoints are listed only with `status=archived`.",
  tag: "Webhooks",
  access: { scope: "webhooks:read", permission: null },
  request: {
    query: z.object({
      limit: limitField(),
      starting_after: cursorField,
      status: WebhookEndpointStatus.optional(),
    }),
    codes: { "query.status": "invalid_status", "query.starting_after": "invalid_request" },
  },
  responses: { 200: { description: "A page of endpoints", body: WebhookEndpointList } },
  errors: ["invalid_status", "invalid_request"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await list(ctx, {
      limit: query.limit,
      startingAfter: query.starting_after,
      status: query.status,
    }),
  }),
});
