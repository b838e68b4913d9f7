import { WebhookEndpointWithSecret } from "../../contracts/webhooks/webhook.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { endpointChange } from "./endpoint-change.ts";

const change = endpointChange("rotate-secret", "invalid_state");

export const rotateSecret = defineEndpoint({
  ...change,
  method: "post",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}/rotate-secret",
  operationId: "rotateWebhookSecret",
  summary: "Rotate the signing secret",
  description:
    "The new secret is shown only in this response. The previous secret also signs for 24 hours, so that receivers can switch. A second rotation within that time removes the oldest secret.",
  responses: { 200: { ...change.responses[200], body: WebhookEndpointWithSecret } },
  handle: async (ctx, input) => {
    const { body, ...reply } = await change.handle(ctx, input);
    return { ...reply, body: { ...body, signing_secret: body.signing_secret ?? null } };
  },
});
