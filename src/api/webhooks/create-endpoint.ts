import { z } from "zod";
import { CreateWebhookEndpoint, WebhookEndpointWithSecret } from "../../contracts/webhook.ts";
import { createEndpoint as create } from "../../domain/webhooks/create-endpoint.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idempotencyKeyField } from "../idempotency-key-field.ts";

export const createEndpoint = defineEndpoint({
  method: "post",
  path: "/api/v1/webhooks/endpoints",
  operationId: "createWebhookEndpoint",
  summary: "Create a webhook endpoint",
  description:
    "It begins in `pending_verification`: send a test, then activate it. `signing_secret` is shown in this answer and never again.",
  tag: "Webhooks",
  access: { scope: "webhooks:write", permission: "ws:webhooks:manage" },
  request: {
    headers: z.object({ "idempotency-key": idempotencyKeyField }),
    body: CreateWebhookEndpoint,
    codes: { "headers.idempotency-key": "missing_idempotency_key" },
  },
  responses: {
    201: {
      description: "The endpoint, with its secret in the first answer",
      body: WebhookEndpointWithSecret,
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
    "endpoint_limit_reached",
  ],
  handle: async (ctx, { body, headers, exactBody }) => {
    const { endpoint, isReplay } = await create(ctx, {
      name: body.name,
      description: body.description,
      url: body.url,
      workflowScope: body.workflow_scope,
      workflowIds: body.workflow_ids,
      eventTypes: body.event_types,
      idempotencyKey: headers["idempotency-key"],
      exactBody: exactBody(),
    });
    return {
      status: 201,
      body: endpoint,
      headers: isReplay ? { "Idempotency-Replayed": "true" } : {},
    };
  },
});
