import {
  CreateWebhookEndpoint,
  WebhookEndpointWithSecret,
} from "../../contracts/webhooks/webhook.ts";
import { createEndpoint as create } from "../../domain/webhooks/endpoints/create-endpoint.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import { KEYED_MUTATION } from "./keyed-mutation.ts";

export const createEndpoint = defineEndpoint({
  method: "post",
  path: "/api/v1/webhooks/endpoints",
  operationId: "createWebhookEndpoint",
  summary: "Create a webhook endpoint",
  description:
    "The endpoint starts in `pending_verification`: send a test, then activate it. `signing_secret` is shown only in this response.",
  tag: KEYED_MUTATION.tag,
  access: KEYED_MUTATION.access,
  example: {
    name: "Orders",
    url: "https://hooks.example.com/edgeloom",
    workflow_scope: "all",
  },
  request: {
    headers: KEYED_MUTATION.headers,
    body: CreateWebhookEndpoint,
    codes: KEYED_MUTATION.codes,
  },
  responses: {
    201: {
      description: "The endpoint, with its secret in the first response",
      body: WebhookEndpointWithSecret,
      headers: KEYED_MUTATION.responseHeaders,
    },
  },
  errors: [
    ...KEYED_MUTATION.errors,
    "idempotency_conflict",
    "invalid_url",
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
      headers: replayHeaders(isReplay),
    };
  },
});
