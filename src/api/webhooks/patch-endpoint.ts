import * as z from "zod";
import { PatchWebhookEndpoint, WebhookEndpoint } from "../../contracts/webhooks/webhook.ts";
import { updateEndpoint } from "../../domain/webhooks/endpoints/update-endpoint.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { replayHeaders } from "../replay-headers.ts";
import { KEYED_MUTATION } from "./keyed-mutation.ts";

export const patchEndpoint = defineEndpoint({
  method: "patch",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}",
  operationId: "patchWebhookEndpoint",
  summary: "Change a webhook endpoint",
  description:
    "Omitted fields are not changed. A new `url` creates a revision in `pending_verification`: deliveries wait until it has passed a test and is activated, and are then sent to it.",
  tag: KEYED_MUTATION.tag,
  access: KEYED_MUTATION.access,
  request: {
    params: z.object({ endpoint_id: idField("webhookEndpoint") }),
    headers: KEYED_MUTATION.headers,
    body: PatchWebhookEndpoint,
    codes: KEYED_MUTATION.codes,
  },
  responses: {
    200: {
      description: "The endpoint",
      body: WebhookEndpoint,
      headers: KEYED_MUTATION.responseHeaders,
    },
  },
  errors: [...KEYED_MUTATION.errors, "idempotency_conflict", "invalid_url", "invalid_state"],
  handle: async (ctx, { params, body, headers, exactBody }) => {
    const { endpoint, isReplay } = await updateEndpoint(ctx, params.endpoint_id, body, {
      idempotencyKey: headers["idempotency-key"],
      exactBody: exactBody(),
    });
    return {
      status: 200,
      body: endpoint,
      headers: replayHeaders(isReplay),
    };
  },
});
