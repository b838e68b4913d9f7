import { defineEndpoint } from "../define-endpoint.ts";
import { endpointChange } from "./endpoint-change.ts";

export const activateEndpoint = defineEndpoint({
  ...endpointChange("activate", "invalid_state", "verification_required"),
  method: "post",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}/activate",
  operationId: "activateWebhookEndpoint",
  summary: "Activate a webhook endpoint",
  description:
    "Starts sending events, beginning with those that were held. The current URL must have passed a test; a paused endpoint needs no new test. Activating an active endpoint changes nothing.",
});
